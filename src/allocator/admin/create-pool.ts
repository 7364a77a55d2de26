import { sameCidr } from "../../domain/cidr.ts";
import { POOLS_PER_SPACE_MAX } from "../../domain/limits.ts";
import { Rejection } from "../../domain/outcome.ts";
import { isRanged, type Pool, type PoolSpec } from "../../domain/pool.ts";
import { announceChange } from "../core/configuration.ts";
import { type Context, fresh } from "../core/context.ts";
import { holdPrefix, leavePrefix } from "../prefixes/child-pool.ts";
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
  /** The pool of which it is a prefix; absent for a pool that lies in no other. */
  readonly parent: Pool | undefined;
  /** The number of pools in the space. */
  readonly count: number;
}

/**
 * Creates a pool: its item `pending` → the prefix that it is made of held for it → its range in the address plan → its item `active`.
 */
export async function createPool(
  context: Context,
  { space, name, spec, current, parent, count }: NewPool,
): Promise<Written<Pool> | Rejection> {
  if (!current && count >= POOLS_PER_SPACE_MAX)
    return new Rejection("invalid_request", `A space has at most ${POOLS_PER_SPACE_MAX} pools.`);
  await registerSpace(context, space);
  // A prefix is held for an id. So whoever finds it held for an id that no pool has knows that none will have it.
  const isSamePlace = current?.parentId === parent?.id && (!parent || isOfCidr(current, spec));
  const id = (isSamePlace ? current?.id : undefined) ?? fresh(context);
  const pending: Pool = {
    ...spec,
    space,
    name,
    id,
    ...(isRanged(spec) && { subnetId: current?.subnetId ?? id }),
    ...(parent && { parentId: parent.id }),
    state: "pending",
    revision: fresh(context),
  };
  const put = await knownOutcome(context.store.putPool(pending, current));
  if (put.outcome === "lost") return changedMeanwhile("pool", name);
  // A reclaim run that read the space while it had no pool may have removed it from the register. A run that reads it
  // now keeps it.
  await registerSpace(context, space);
  const unheld = await holdPrefix(context, pending);
  const { pool, rejection } = unheld
    ? { pool: pending, rejection: unheld }
    : await enterPlan(context, pending);
  if (rejection) {
    const deleted = await context.store.deletePool(pool);
    if (deleted.outcome === "done") await leavePrefix(context, pool);
    return rejection;
  }
  const active: Pool = { ...pool, state: "active", revision: fresh(context) };
  const activated = await knownOutcome(context.store.putPool(active, pool));
  if (activated.outcome === "lost") return changedMeanwhile("pool", name);
  return { value: active, created: true, effectiveAtMs: await announceChange(context, space) };
}

const isOfCidr = (current: Pool | undefined, { cidr }: PoolSpec): boolean =>
  current !== undefined && sameCidr(current.cidr, cidr);
