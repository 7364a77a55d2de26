import { parseAddress } from "../domain/address.ts";
import { type Block, isEmpty } from "../domain/block.ts";
import type { FullPool, MapPage } from "../domain/contents.ts";
import { COOLDOWN_SECONDS_MAX, GRACE_MS } from "../domain/limits.ts";
import type { Node, NodeEntry } from "../domain/node.ts";
import { poolOfId } from "../domain/pool.ts";
import type { Seat } from "../domain/seat.ts";
import { configurationOf } from "./configuration.ts";
import type { Context } from "./context.ts";
import { clearAround, isFullByMap } from "./full.ts";
import { giveUpBlock } from "./give-up.ts";
import { grantedAt } from "./limit.ts";
import { recordPlaceOf } from "./seats.ts";

/**
 * Deletes an empty block whose pool is gone: its creation landed after the range was given back. Nobody can take a slot of
 * it, since whoever knew its pool as one that serves is shut out (`assign.ts`). Returns whether it went.
 */
export async function collectStray(context: Context, seen: Block): Promise<boolean> {
  const nowMs = context.now();
  if (nowMs - seen.claimedAtMs <= GRACE_MS) return false;
  if (!isEmpty(seen, { nowMs, cooldownMs: 1000 * COOLDOWN_SECONDS_MAX })) return false;
  if (!((await isPoolGone(context, seen)) && (await giveUpBlock(context, seen)))) return false;
  await clearAround(context, seen.space, seen.cidr);
  return true;
}

/** Deletes a page of a pool's map when its pool is gone. Returns whether it did. */
export async function collectMap(context: Context, seen: MapPage): Promise<boolean> {
  if (!(await isPoolGone(context, seen))) return false;
  await context.store.deleteMapPage(seen);
  return true;
}

/**
 * Deletes the hint that a pool is full where the pool is gone, or where its map says otherwise: who cleared the hint of a cell
 * was cut off before that of the pool. Returns whether it went.
 */
export async function collectHint(context: Context, seen: FullPool): Promise<boolean> {
  const { space, poolId } = seen;
  const { pools, reserved } = await configurationOf(context, space);
  const pool = pools.find(({ id }) => id === poolId);
  const isRight = pool
    ? await isFullByMap(context, pool, reserved)
    : !(await isPoolGone(context, seen));
  if (!isRight) await context.store.clearPoolFull("collect-pool-full", seen);
  return !isRight;
}

/** Gives up a seat that its request has no more: it was released, or never taken. */
export async function collectSeat(context: Context, seat: Seat): Promise<void> {
  if (context.now() - seat.atMs <= GRACE_MS) return;
  const record = await context.store.readRecord(recordPlaceOf(seat));
  const listed = record?.seats.find(({ revision }) => revision === seat.revision);
  const address = listed?.address === undefined ? undefined : parseAddress(listed.address);
  const held = record && address?.ok && (await grantedAt(context, record, address.value));
  // One that is listed without an address is the business of whoever ends its open record.
  if (!held && (!listed || address)) await context.store.deleteSeat("collect-seat", seat);
}

/** Enters a node whose entry is lost: one that was entered long before it stood. Lists would not show it. */
export async function restoreEntry(context: Context, { space, name, id }: Node): Promise<void> {
  await context.store.restoreNodeEntry({ space, name, id, atMs: context.now() });
}

/** Drops an entry whose node was never created, or is deleted. */
export async function collectEntry({ store, now }: Context, entry: NodeEntry): Promise<void> {
  if (now() - entry.atMs <= GRACE_MS) return;
  if (!(await store.readNode(entry.space, entry.name)))
    await store.deleteNodeEntry("collect-entry", entry);
}

/** An id is never given twice, and a pool's item stands before anything names it: one that is not there now is gone. */
async function isPoolGone(
  context: Context,
  { space, poolId }: { readonly space: string; readonly poolId: string },
): Promise<boolean> {
  const known = await configurationOf(context, space);
  if (known.pools.some(({ id }) => id === poolId)) return false;
  return poolOfId(await context.store.readSpace(space), poolId) === undefined;
}
