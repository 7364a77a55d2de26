import { POOLS_PER_SPACE_MAX } from "../../domain/limits.ts";
import { Rejection } from "../../domain/outcome.ts";
import { isRanged, type Pool, type PoolSpec } from "../../domain/pool.ts";
import { announceChange } from "../core/configuration.ts";
import { type Context, fresh } from "../core/context.ts";
import { enterPlan } from "./enter-plan.ts";
import { registerSpace } from "./register-space.ts";
import { changedMeanwhile, knownOutcome, type Written } from "./written.ts";

/** A pool to create. */
interface NewPool {
  readonly space: string;
  readonly name: string;
  readonly spec: PoolSpec;
  /** The pending pool that an interrupted attempt left. */
  readonly current: Pool | undefined;
  /** The number of pools in the space. */
  readonly count: number;
}

/** Creates a pool: its item `pending` → its range in the address plan → its item `active`. */
export async function createPool(
  context: Context,
  { space, name, spec, current, count }: NewPool,
): Promise<Written<Pool> | Rejection> {
  if (!current && count >= POOLS_PER_SPACE_MAX)
    return new Rejection("invalid_request", `A space has at most ${POOLS_PER_SPACE_MAX} pools.`);
  await registerSpace(context, space);
  const id = current?.id ?? fresh(context);
  const pending: Pool = {
    ...spec,
    space,
    name,
    id,
    ...(isRanged(spec) && { subnetId: current?.subnetId ?? id }),
    state: "pending",
    revision: fresh(context),
  };
  const put = await knownOutcome(context.store.putPool(pending, current));
  if (put.outcome === "lost") return changedMeanwhile("pool", name);
  // A reclaim run that read the space while it had no pool may have removed it from the register. A run that reads it
  // now keeps it.
  await registerSpace(context, space);
  const { pool, rejection } = await enterPlan(context, pending);
  if (rejection) {
    await context.store.deletePool(pool);
    return rejection;
  }
  const active: Pool = { ...pool, state: "active", revision: fresh(context) };
  const activated = await knownOutcome(context.store.putPool(active, pool));
  if (activated.outcome === "lost") return changedMeanwhile("pool", name);
  return { value: active, created: true, effectiveAtMs: await announceChange(context, space) };
}
