import { Rejection } from "../../../base/outcome.ts";
import { allocationOfSlot, ownerOfSlot } from "../../../kernel/allocations/allocation-of-slot.ts";
import { answer, compareAndSwap, RETRY } from "../../../kernel/core/compare-and-swap.ts";
import type { Context } from "../../../kernel/core/context.ts";
import type { Allocation } from "../../../kernel/values/allocation.ts";
import { isBlockOf } from "../../../kernel/values/block-group.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import { handleOfPrefixes } from "../../../kernel/values/handle.ts";
import { formatCidr } from "../../../net/cidr.ts";
import { deleteJobId, untilDeleted } from "../../job/job.ts";
import { poolNamed, poolOfId, type SpaceConfiguration } from "../../pool/configuration.ts";
import { assignsPrefixes, type Pool, type PoolSpec } from "../../pool/pool.ts";

/** A pool and the prefix that it is made of. */
type Child = Pick<Pool, "space" | "id" | "name" | "cidr" | "parent" | "parentId">;

/**
 * Holds the prefix of which a pending pool is made: the allocation of the prefix names the pool from then on, and no release marks an
 * allocation that names a pool. A release marks it before it frees the prefix. So of a release and this, the first one counts. The
 * item of the pool exists before its prefix is held: a prefix that is held for an id without a pool is left from a cut-off attempt.
 *
 * @returns `pool_overlap` if no handle has the prefix, or if another pool is made of it; nothing for a pool without a parent
 */
export function holdPrefix(context: Context, pool: Child): Promise<Rejection | undefined> {
  const { id } = pool;
  return compareAndSwap<Rejection | undefined>("the prefix of this pool", async () => {
    if (pool.parentId === undefined) return answer(undefined);
    const allocation = await allocationOfPrefix(context, pool);
    if (!allocation) return answer(await unheld(context, pool));
    const { childId } = allocation;
    if (childId === id) return answer(undefined);
    const other = childId === undefined ? undefined : await childOf(context, allocation);
    if (other) return answer(madeOf(other, pool));
    const next: Allocation = { ...allocation, childId: id, revision: fresh(context) };
    await context.store.changeAllocation("hold-prefix", allocation, next);
    // Only a read proves that the prefix is held, whatever became of the write.
    return RETRY;
  });
}

/** Lets the prefix of a pool go that has left the plan, or whose item is gone. It does nothing if it is not held for the pool. */
export function unholdPrefix(context: Context, pool: Child): Promise<void> {
  return compareAndSwap<void>("the prefix of this pool", async () => {
    if (pool.parentId === undefined) return answer(undefined);
    const allocation = await allocationOfPrefix(context, pool);
    if (allocation?.childId !== pool.id) return answer(undefined);
    await unhold(context, allocation);
    return RETRY;
  });
}

/**
 * Lets the prefix of an allocation go if the pool that was made of it is gone.
 *
 * @returns that pool, if it exists
 * @throws {CorruptItemError} if it may be one that cannot be read
 */
export async function childLeftIn(
  context: Context,
  allocation: Allocation,
): Promise<Pool | undefined> {
  const child = await childOf(context, allocation);
  if (!child) await unhold(context, allocation);
  return child;
}

/** Returns the rejection of a release of a prefix of which a pool is made. */
export function prefixInUse(pool: Pool): Rejection {
  const { name, state } = pool;
  const cidr = formatCidr(pool.cidr);
  const way =
    state === "deleting"
      ? ", and is being deleted; release the prefix once it is gone"
      : "; delete that pool first";
  return new Rejection("prefix_in_use", `Pool ${name} is made of prefix ${cidr}${way}.`, {
    cidr,
    pool: name,
    ...untilDeleted(pool),
  });
}

async function childOf({ store }: Context, { childId, place }: Allocation) {
  return childId === undefined ? undefined : poolOfId(await store.readSpace(place.space), childId);
}

async function unhold(context: Context, seen: Allocation): Promise<void> {
  const { childId: _, ...others } = seen;
  const next: Allocation = { ...others, revision: fresh(context) };
  await context.store.changeAllocation("leave-prefix", seen, next);
}

/** Returns the live allocation of a handle that has the prefix of a pool, strongly consistent. */
async function allocationOfPrefix(
  context: Context,
  { space, cidr, parentId }: Child,
): Promise<Allocation | undefined> {
  const block = await context.store.readBlock(space, cidr);
  const slot = block?.poolId === parentId ? block?.slots.get(0) : undefined;
  const owner = slot?.kind === "taken" ? await allocationOfSlot(context, space, slot) : undefined;
  const { state, handle, released } = owner?.allocation ?? {};
  const isHeld = state === "live" && released?.size === 0 && handleOfPrefixes(handle ?? "");
  return isHeld ? owner?.allocation : undefined;
}

/** Returns the rejection of a pool whose prefix no handle has, with the owner that it has instead. */
async function unheld(context: Context, pool: Child): Promise<Rejection> {
  const { space, cidr, parent } = pool;
  const slot = (await context.store.readBlock(space, cidr))?.slots.get(0);
  const owner = slot?.kind === "taken" ? await ownerOfSlot(context, space, slot) : undefined;
  return overlap(
    pool,
    owner
      ? `prefix ${formatCidr(cidr)} of pool ${parent} is assigned to ${owner.handle}, and a pool is made of a prefix that a handle has`
      : `no handle has prefix ${formatCidr(cidr)} of pool ${parent}; assign it first (POST /v1/prefixes)`,
  );
}

/** Returns the rejection of a pool whose prefix another pool is made of. */
function madeOf(other: Pool, pool: Child): Rejection {
  const fate = other.state === "deleting" ? ", which is being deleted" : "";
  return overlap(pool, `pool ${other.name}${fate} is made of this prefix`, untilDeleted(other));
}

function overlap({ name, cidr }: Child, why: string, members = {}): Rejection {
  const value = formatCidr(cidr);
  return new Rejection("pool_overlap", `Pool ${name} cannot have cidr ${value}: ${why}.`, {
    fields: [{ field: "cidr", value, problem: why }],
    ...members,
  });
}

/**
 * Returns the parent of a new pool, or why it cannot be the parent; nothing for a pool that names none.
 *
 * @throws {CorruptItemError} if the parent cannot be read
 */
export function parentOf(
  { parent, cidr }: PoolSpec,
  space: string,
  configuration: SpaceConfiguration,
): Pool | Rejection | undefined {
  if (parent === undefined) return undefined;
  const pool = poolNamed(configuration, parent);
  const ofParent = (problem: string) => invalid("parent", parent, problem);
  if (!pool || pool.state === "pending") return ofParent(`names no active pool of space ${space}`);
  if (pool.state === "deleting") return deleted(pool);
  if (!assignsPrefixes(pool))
    return ofParent(
      "names a pool of addresses; a pool is made of a prefix of a pool with assign prefixes",
    );
  if (isBlockOf(pool, cidr)) return pool;
  const own = `${formatCidr(pool.cidr)}, whose prefixes are /${pool.blockSize}`;
  return invalid("cidr", formatCidr(cidr), `must be a prefix of pool ${parent} (${own})`);
}

function invalid(field: string, value: string, problem: string): Rejection {
  return new Rejection("invalid_request", `${field} ${value} ${problem}.`, {
    fields: [{ field, value, problem }],
  });
}

const deleted = ({ name, id }: Pool): Rejection =>
  new Rejection("pool_deleting", `The pool ${name} is being deleted, and can have no pool in it.`, {
    job: deleteJobId(id),
  });
