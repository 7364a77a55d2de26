import { POOLS_PER_SPACE_MAX } from "../../../base/limits.ts";
import { Rejection } from "../../../base/outcome.ts";
import { answer, compareAndSwap, RETRY } from "../../../kernel/core/compare-and-swap.ts";
import { announceChange } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import {
  changedMeanwhile,
  knownOutcome,
  registerSpace,
  type Written,
} from "../../../kernel/core/written.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import { sameCidr } from "../../../net/cidr.ts";
import { holdPrefix, unholdPrefix } from "../../prefix/operations/child-pool.ts";
import { type AddressPlanEntry, mayShare, nameBytes, planBytes, planned } from "../address-plan.ts";
import { noneUnread, poolNamed, type SpaceConfiguration } from "../configuration.ts";
import { overlappingRange } from "../overlap.ts";
import { isRanged, type Pool, type PoolSpec } from "../pool.ts";
import { extentOf } from "../set.ts";
import { cutCheck, rejectShared } from "./cut-check.ts";

/** The plan of a space is one item of 400 KB at most: 90 bytes a pool, and its name. */
export const PLAN_BYTES_MAX = 380_000;

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
  const unheld = parent && (await holdPrefix(context, pending));
  const { pool, rejection } = unheld
    ? { pool: pending, rejection: unheld }
    : await enterPlan(context, pending);
  if (rejection) {
    const deleted = await context.store.deletePool(pool);
    if (deleted.outcome === "done") await unholdPrefix(context, pool);
    return rejection;
  }
  const active: Pool = { ...pool, state: "active", revision: fresh(context) };
  const activated = await knownOutcome(context.store.putPool(active, pool));
  if (activated.outcome === "lost") return changedMeanwhile("pool", name);
  return { value: active, created: true, effectiveAtMs: await announceChange(context, space) };
}

const isOfCidr = (current: Pool | undefined, { cidr }: PoolSpec): boolean =>
  current !== undefined && sameCidr(current.cidr, cidr);

/** A pending pool as its item is now, and why its range did not enter the address plan. */
interface Entered {
  readonly pool: Pool;
  readonly rejection?: Rejection;
}

/**
 * Enters a pool's range into the address plan with a compare-and-swap. Every change of a range writes this one item, so
 * no two pools can overlap. A ranged pool enters only if no other pool has one of its addresses: its pending item was written
 * before this read of the others, and so was theirs. So of two pools with one address, at least one sees the other.
 */
async function enterPlan(context: Context, pending: Pool): Promise<Entered> {
  const { store } = context;
  let pool = pending;
  const rejected = (rejection: Rejection) => answer({ pool, rejection });
  return compareAndSwap<Entered>("the address plan", async () => {
    const { space, name, id } = pool;
    const plan = await store.readPlan(space);
    // The plan was read before the pool. If the pool still has the revision of this attempt, no other request has
    // entered its range since.
    const configuration = await store.readSpace(space);
    const { pools } = configuration;
    const current = poolNamed(configuration, name);
    if (current?.revision !== pool.revision) return rejected(changedMeanwhile("pool", name));
    const entries = plan.entries.filter((entry) => mayStand(configuration, entry.id));
    const subnetId = subnetFor(pool, entries);
    if (subnetId !== pool.subnetId) {
      const next = { ...pool, subnetId, revision: fresh(context) } as Pool;
      const joined = await knownOutcome(store.changePool("join-subnet", pool, next));
      if (joined.outcome === "lost") return rejected(changedMeanwhile("pool", name));
      pool = next;
      return RETRY;
    }
    if (isRanged(pool)) {
      // The set of a pool that cannot be read is not known.
      noneUnread(configuration);
      const added = extentOf(pool);
      const shared =
        (await rejectShared(context, pool, added, pools)) ??
        (await cutCheck(context, pool, added, configuration));
      if (shared) return rejected(shared);
    }
    const entry = entryOf(pool);
    const change = planned({ ...plan, entries }, entry);
    if ("inTheWay" in change) {
      const other = change.inTheWay;
      // An interrupted attempt may have left this pool's former range in the plan.
      const others = entries.filter((each) => each.id !== id);
      if (others.length < plan.entries.length) await store.changePlan(plan, others, fresh(context));
      const owner = pools.find((candidate) => candidate.id === other.id);
      return rejected(overlappingRange(entry, other, owner));
    }
    if (planBytes(change.entries) > PLAN_BYTES_MAX)
      return rejected(noRoomInPlan(pool, change.entries));
    const changed = await store.changePlan(plan, change.entries, fresh(context));
    // After an unknown outcome, the next try reads the plan again. Entering the same range twice has the same effect as
    // once.
    return changed.outcome === "done" ? answer({ pool }) : RETRY;
  });
}

const entryOf = ({ name, id, subnetId, parentId, cidr, blockSize }: Pool): AddressPlanEntry => ({
  pool: name,
  id,
  ...(subnetId !== undefined && { subnetId }),
  ...(parentId !== undefined && { parentId }),
  cidr,
  blockSize,
});

/**
 * Returns the subnet of a ranged pool: that of the pools in the plan with its CIDR and block size, or its own. The plan write is
 * conditional on these entries. So no pool joins a subnet whose last pool has left the plan, and whose index is being deleted.
 */
function subnetFor(pool: Pool, entries: readonly AddressPlanEntry[]): string | undefined {
  if (!isRanged(pool)) return undefined;
  return entries.find((entry) => mayShare(entry, entryOf(pool)))?.subnetId ?? pool.id;
}

/**
 * Returns true if the plan entry may belong to a pool. A pool's item is written before its range enters the plan, so an
 * entry without a pool is left from an interrupted attempt. If any pool is unreadable, every entry stays, because it
 * may belong to that pool.
 */
const mayStand = ({ pools, unreadablePools }: SpaceConfiguration, poolId: string): boolean =>
  unreadablePools.length > 0 || pools.some(({ id }) => id === poolId);

function noRoomInPlan({ space, name }: Pool, entries: readonly AddressPlanEntry[]): Rejection {
  const problem = `would make the address plan of space ${space} too large: ${entries.length} pools take ${planBytes(entries)} bytes, ${nameBytes(entries)} of them for their names; the maximum is ${PLAN_BYTES_MAX}`;
  return new Rejection(
    "invalid_request",
    `Pool ${name} ${problem}; use shorter pool names, or another space.`,
    { fields: [{ field: "name", value: name, problem }] },
  );
}
