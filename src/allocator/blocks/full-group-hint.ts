import { cellIndexOf, cellOf, isBlockOf, isReservedCell } from "../../domain/block-group.ts";
import { addressAt, type Cidr, type Interval, intervalOf, overlaps } from "../../domain/cidr.ts";
import { claimableIn, isUsedUp } from "../../domain/claimable.ts";
import type { FullPool } from "../../domain/contents.ts";
import { fnv1a64 } from "../../domain/hash.ts";
import { type Pool, poolOver } from "../../domain/pool.ts";
import { configurationOf } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";

/*
 * A cell is called full when no block of it may be claimed, and a pool when all its cells are. Both are hints: they save
 * looks, may be wrong at any time, and nothing is refused for good because of them.
 */

/** Puts the hint of a cell right: sets it or clears it, if it says otherwise. */
export async function correctCell(
  context: Context,
  pool: Pool,
  index: bigint,
  { isFull, isCalledFull }: { readonly isFull: boolean; readonly isCalledFull: boolean },
): Promise<void> {
  if (isFull === isCalledFull) return;
  if (isFull) await context.store.markFull(pool.space, pool.id, index);
  else await clearCell(context, pool, index);
}

/**
 * The same for who worked on a cell, after the reservations of that time: what they keep out nobody claims.
 *
 * @returns whether the cell is full; nothing where no hint says so, since all of it is reserved, or what is cannot be read
 */
export async function correctAfterwards(
  context: Context,
  pool: Pool,
  index: bigint,
  {
    standing,
    isCalledFull,
  }: { readonly standing: readonly Cidr[]; readonly isCalledFull: boolean },
): Promise<boolean | undefined> {
  const configuration = await configurationOf(context, pool.space);
  // What is reserved is not known then, and the hint stays as it is.
  if (configuration.unreadableReservations.length > 0) return undefined;
  const { reserved } = configuration;
  // One that is reserved as a whole is passed over without a hint.
  const isReserved = isReservedCell(pool, index, reserved);
  const isFull = !isReserved && claimableIn(pool, index, standing, reserved).length === 0;
  await correctCell(context, pool, index, { isFull, isCalledFull });
  return isReserved ? undefined : isFull;
}

/** A block of the cell may be claimed: neither it nor its pool is full. The cell's hint goes first, as `callFull` expects. */
export async function clearCell(
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
    await clearCell(context, pool, cellIndexOf(pool, cellOf(cidr)));
}

/**
 * Calls a pool full, then looks at its map again: who clears the hint of a cell clears the pool's after it, so that one of the
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
  if (!(await isFullByMap(context, pool, reserved))) await store.clearPoolFull("pool-undo", hint);
  return hint;
}

/** Are all cells of a pool called full, strongly consistent? */
export async function isFullByMap(
  { store }: Context,
  pool: Pool,
  reserved: readonly Interval[],
): Promise<boolean> {
  const { full } = await store.readPoolMap(pool.space, pool.id, { consistent: true });
  return isUsedUp(pool, full, reserved);
}

/** Is a pool called full under these reservations? Under others nothing is known of it. */
export const isBelievedFull = (
  pool: Pool,
  hint: FullPool | undefined,
  reserved: readonly Interval[],
): boolean => hint !== undefined && hint.reserved === reservedIn(pool, reserved);

/** What is reserved of a pool, in a few characters (FNV-1a); nothing where nothing is. */
function reservedIn({ cidr }: Pool, reserved: readonly Interval[]): string {
  const range = intervalOf(cidr);
  const runs = reserved.filter((run) => overlaps(run, range));
  if (runs.length === 0) return "";
  return fnv1a64(runs.map(({ first, last }) => `${first}-${last}`).join()).toString(16);
}
