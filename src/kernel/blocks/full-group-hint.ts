import { fnv1a64 } from "../../base/hash.ts";
import type { FullPool } from "../../invariants/contents.ts";
import { type Cidr, type Interval, intervalOf, overlaps } from "../../net/cidr.ts";
import { poolOverBlock } from "../../nouns/pool/of-address.ts";
import { isRanged, type Pool } from "../../nouns/pool/pool.ts";
import { reservedFor } from "../../nouns/pool/set.ts";
import { configurationOf } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { awaitAll } from "../core/parallel.ts";
import {
  claimableIn,
  groupAt,
  groupIndexOf,
  groupOf,
  isBlockOf,
  isReservedGroup,
  isUsedUp,
} from "../values/block-group.ts";
import { noteOpen } from "./lending-hint.ts";

/*
 * A block group is called full if no block of it can be claimed, and a pool if all its block groups are. Both are hints: they save
 * reads, may be wrong at any time, and no rejection is final because of them alone. Ranged pools have none: a request reads their groups.
 */

/** Sets or clears the hint of a block group if it is wrong. */
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
 * Corrects the hint of a block group that a scheduled run worked on. Reserved blocks do not count, because no host claims them.
 *
 * @returns true if the block group is full; nothing if it is wholly reserved, or if a reservation cannot be read
 */
export async function correctAfterwards(
  context: Context,
  pool: Pool,
  index: bigint,
  { current, isCalledFull }: { readonly current: readonly Cidr[]; readonly isCalledFull: boolean },
): Promise<boolean | undefined> {
  if (isRanged(pool)) return undefined;
  const configuration = await configurationOf(context, pool.space);
  // The reservations are not known, so the hint stays as it is.
  if (configuration.unreadableReservations.length > 0) return undefined;
  const reserved = reservedFor(pool, configuration);
  // Scans pass a wholly reserved group over without a hint.
  const isReserved = isReservedGroup(pool, index, reserved);
  const isFull = !isReserved && claimableIn(pool, index, current, reserved).length === 0;
  await correctGroup(context, pool, index, { isFull, isCalledFull });
  return isReserved ? undefined : isFull;
}

/** Clears the hints of a group with a claimable block, and of its pool: it has something for every host. The hint of the group goes first, as `callFull` expects. */
export async function clearGroup(context: Context, pool: Pool, index: bigint): Promise<void> {
  if (isRanged(pool)) return;
  const { store } = context;
  const { space, id } = pool;
  await awaitAll(store.unmarkFull(space, id, index), noteOpen(context, pool, groupAt(pool, index)));
  await store.clearPoolFull("pool-open", { space, poolId: id });
}

/** Clears the hints of the pool around a deleted block, whatever pool that is now. */
export async function clearAround(context: Context, space: string, cidr: Cidr): Promise<void> {
  const pool = poolOverBlock(await configurationOf(context, space), cidr);
  if (pool && isBlockOf(pool, cidr))
    await clearGroup(context, pool, groupIndexOf(pool, groupOf(cidr)));
}

/**
 * Calls a pool full, then reads its index again. A function that clears the hint of a group clears that of the pool afterwards. So
 * one of the two removes a hint that is wrong by then.
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

/** Returns true if all block groups of a pool are called full; strongly consistent. */
export async function isFullByIndex(
  { store }: Context,
  pool: Pool,
  reserved: readonly Interval[],
): Promise<boolean> {
  const { full } = await store.readBlockGroupIndex(pool.space, pool.id, { consistent: true });
  return isUsedUp(pool, full, reserved);
}

/** Returns true if a pool is called full under these reservations. A hint under others says nothing. */
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
