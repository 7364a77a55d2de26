import { groupIndexOf, groupOf, isBlockOf, isReservedGroup } from "../../domain/block-group.ts";
import { addressAt, type Cidr, type Interval, intervalOf, overlaps } from "../../domain/cidr.ts";
import { claimableIn, isUsedUp } from "../../domain/claimable.ts";
import type { FullPool } from "../../domain/contents.ts";
import { fnv1a64 } from "../../domain/hash.ts";
import { type Pool, poolOver } from "../../domain/pool.ts";
import { configurationOf } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";

/*
 * A block group is called full when no block of it may be claimed, and a pool when all its block groups are. Both are hints: they save
 * looks, may be wrong at any time, and nothing is refused for good because of them.
 */

/** Puts the hint of a block group right: sets it or clears it, if it says otherwise. */
export async function correctGroup(
  context: Context,
  pool: Pool,
  index: bigint,
  { isFull, isCalledFull }: { readonly isFull: boolean; readonly isCalledFull: boolean },
): Promise<void> {
  if (isFull === isCalledFull) return;
  if (isFull) await context.store.markFull(pool.space, pool.id, index);
  else await clearGroup(context, pool, index);
}

/**
 * The same for who worked on a block group, after the reservations of that time: what they keep out nobody claims.
 *
 * @returns whether the block group is full; nothing where no hint says so, since all of it is reserved, or what is cannot be read
 */
export async function correctAfterwards(
  context: Context,
  pool: Pool,
  index: bigint,
  { current, isCalledFull }: { readonly current: readonly Cidr[]; readonly isCalledFull: boolean },
): Promise<boolean | undefined> {
  const configuration = await configurationOf(context, pool.space);
  // What is reserved is not known then, and the hint stays as it is.
  if (configuration.unreadableReservations.length > 0) return undefined;
  const { reserved } = configuration;
  // One that is reserved as a whole is passed over without a hint.
  const isReserved = isReservedGroup(pool, index, reserved);
  const isFull = !isReserved && claimableIn(pool, index, current, reserved).length === 0;
  await correctGroup(context, pool, index, { isFull, isCalledFull });
  return isReserved ? undefined : isFull;
}

/** A block of the block group may be claimed: neither it nor its pool is full. The block group's hint goes first, as `callFull` expects. */
export async function clearGroup(
  { store }: Context,
  { space, id }: Pool,
  index: bigint,
): Promise<void> {
  await store.unmarkFull(space, id, index);
  await store.clearPoolFull("pool-open", { space, poolId: id });
}

/** A block was deleted: whatever pool has its range now is not full. */
export async function clearAround(context: Context, space: string, cidr: Cidr): Promise<void> {
  const pool = poolOver(await configurationOf(context, space), addressAt(cidr, 0));
  if (pool && isBlockOf(pool, cidr))
    await clearGroup(context, pool, groupIndexOf(pool, groupOf(cidr)));
}

/**
 * Calls a pool full, then looks at its map again: who clears the hint of a block group clears the pool's after it, so that one of the
 * two takes a hint away that is wrong by then.
 */
export async function callFull(
  context: Context,
  pool: Pool,
  reserved: readonly Interval[],
): Promise<FullPool> {
  const { store } = context;
  const { space, id } = pool;
  const hint = { space, poolId: id, reserved: reservedIn(pool, reserved) };
  await store.callPoolFull(hint);
  if (!(await isFullByIndex(context, pool, reserved))) await store.clearPoolFull("pool-undo", hint);
  return hint;
}

/** Are all block groups of a pool called full, strongly consistent? */
export async function isFullByIndex(
  { store }: Context,
  pool: Pool,
  reserved: readonly Interval[],
): Promise<boolean> {
  const { full } = await store.readBlockGroupIndex(pool.space, pool.id, { consistent: true });
  return isUsedUp(pool, full, reserved);
}

/** Is a pool called full under these reservations? Under others nothing is known of it. */
export const isBelievedFull = (
  pool: Pool,
  hint: FullPool | undefined,
  reserved: readonly Interval[],
): boolean => hint !== undefined && hint.reserved === reservedIn(pool, reserved);

/** Returns a short hash of the reservations of a pool (FNV-1a); nothing if there are none. */
function reservedIn({ cidr }: Pool, reserved: readonly Interval[]): string {
  const range = intervalOf(cidr);
  const runs = reserved.filter((run) => overlaps(run, range));
  if (runs.length === 0) return "";
  return fnv1a64(runs.map(({ first, last }) => `${first}-${last}`).join()).toString(16);
}
