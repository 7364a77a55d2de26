import { type AffinityRow, lowestFreePlace } from "../../domain/affinity.ts";
import type { Block, BlockChanges } from "../../domain/block.ts";
import { cellIndexOf, cellOf, isBlockOf } from "../../domain/block-group.ts";
import type { Cidr } from "../../domain/cidr.ts";
import type { HostId } from "../../domain/host.ts";
import type { HostReserved } from "../../domain/host-reserved.ts";
import { CLOCK_SKEW_MS_MAX, REQUEST_MS_MAX, SWAP_TRIES_MAX } from "../../domain/limits.ts";
import { Unavailable, Unreadable, unlessUnreadable } from "../../domain/outcome.ts";
import type { Pool } from "../../domain/pool.ts";
import { type Context, fresh } from "../core/context.ts";
import { allOf } from "../core/parallel.ts";
import { confirmRow, restoreRow, retireRows } from "./block-affinities.ts";

/** What became of a claim: the block, and whose it is now. */
export type Claim =
  | { readonly kind: "ours"; readonly block: Block }
  /** Another host was faster, or the answer is unknown: try another block. */
  | { readonly kind: "lost" }
  /** The host's place was taken meanwhile by another claim of its own, which is not finished: look again. */
  | { readonly kind: "busy" };

/**
 * Claims a block for a host: affinity row `pending` at the host's lowest free place → an empty block, put if absent (the
 * arbiter) → row `confirmed`. Whoever finds the place being claimed helps that claim if its block is absent.
 *
 * @param rows the host's rows as just read
 * @param hostReserved what the host keeps for itself in the block. It stands in the row as well, so that whoever finishes the
 *   claim makes the block that was meant; a block that stands already is claimed as it is
 */
export async function claimBlock(
  context: Context,
  pool: Pool,
  host: HostId,
  rows: readonly AffinityRow[],
  cidr: Cidr,
  hostReserved?: HostReserved,
): Promise<Claim> {
  const { store } = context;
  const place = lowestFreePlace(rows, cidr.family);
  const row: AffinityRow = {
    space: pool.space,
    host,
    family: cidr.family,
    place,
    block: cidr,
    pool: pool.name,
    state: "pending",
    ...(hostReserved && { hostReserved }),
    revision: fresh(context),
    atMs: context.now(),
  };
  // Both must stand before the block is put; neither waits for the other.
  const [placed] = await allOf(store.createRow(row), enterCell(context, pool, cidr));
  if (placed.outcome === "unknown") return { kind: "lost" };
  const standing = placed.item;
  if (!standing) return { kind: "busy" };
  if (standing.revision === row.revision) return finishClaim(context, pool, standing);
  return helpClaim(context, [pool], standing);
}

/** Finishes a claim of the same host that stands half done, where the block it is for is absent. */
export async function helpClaim(
  context: Context,
  pools: readonly Pool[],
  row: AffinityRow,
): Promise<Claim> {
  const pool = pools.find((pool) => pool.name === row.pool && isBlockOf(pool, row.block));
  const there = await unlessUnreadable(context.store.readBlock(row.space, row.block));
  // It serves nobody, and its row stays: it may be the host's.
  if (there instanceof Unreadable) return { kind: "busy" };
  if (there?.host === row.host)
    // What a pool before this one left serves nobody.
    return there.poolId === pool?.id ? { kind: "ours", block: there } : { kind: "busy" };
  if (there) {
    // Its author lost the block and was cut off before it could take its row back: the place is free again.
    const old = context.now() - row.atMs > REQUEST_MS_MAX + CLOCK_SKEW_MS_MAX;
    if (old) await context.store.deleteRow("row-stale", row);
    return { kind: "busy" };
  }
  if (row.state !== "pending") {
    // The block is gone, and whoever was to take its row with it was cut off: the place is free again.
    await context.store.deleteRow("row-orphan", row);
    return { kind: "busy" };
  }
  if (!pool) return { kind: "busy" };
  await enterCell(context, pool, row.block);
  return finishClaim(context, pool, row);
}

async function finishClaim(context: Context, pool: Pool, row: AffinityRow): Promise<Claim> {
  const { store } = context;
  const created = await store.createBlock({
    space: row.space,
    cidr: row.block,
    pool: pool.name,
    poolId: pool.id,
    host: row.host,
    claimedAtMs: context.now(),
    ...(row.hostReserved && { hostReserved: row.hostReserved }),
    slots: new Map(),
    epoch: fresh(context),
    revision: fresh(context),
  });
  const block =
    created.outcome === "unknown" ? await store.readBlock(row.space, row.block) : created.item;
  if (block?.host !== row.host || block.poolId !== pool.id) {
    // A creation of unknown outcome may land yet: then the block has no row, and the reclaimer restores it (I4).
    await store.deleteRow("row-undo", row);
    return { kind: "lost" };
  }
  await confirm(context, row);
  return { kind: "ours", block };
}

/** Whoever must see every block reads the map, so a cell enters it before its first block is put. */
async function enterCell(context: Context, pool: Pool, block: Cidr): Promise<void> {
  const index = cellIndexOf(pool, cellOf(block));
  const known = `${pool.space}#${pool.id}#${index}`;
  if (context.memory.knowsCell(known)) return;
  for (let attempt = 0; attempt < SWAP_TRIES_MAX; attempt++) {
    const entered = await context.store.addCell(pool.space, pool.id, index);
    if (entered.outcome !== "done") continue;
    context.memory.rememberCell(known);
    return;
  }
  throw new Unavailable("the database did not say whether a cell was entered into the pool map");
}

/** When the collector took our row for a stale one, it is written again before anybody is answered. */
async function confirm(context: Context, row: AffinityRow): Promise<void> {
  if (!(await confirmRow(context, "row-confirm", row))) await restoreRow(context, row);
}

/**
 * Takes over an empty block of another host, or of nobody: a new row pending → the old rows pendingDeletion → the block,
 * under the revision seen, with a new epoch → the new row confirmed → the old rows deleted. Nothing if anything of that
 * has changed since it was seen. What the host before kept for itself goes, as if the block had gone and were claimed anew.
 */
export async function takeOver(
  context: Context,
  pool: Pool,
  host: HostId,
  rows: readonly AffinityRow[],
  seen: Block,
  hostReserved?: HostReserved,
): Promise<Block | undefined> {
  const { store } = context;
  const { space, cidr } = seen;
  const row: AffinityRow = {
    space,
    host,
    family: cidr.family,
    place: lowestFreePlace(rows, cidr.family),
    block: cidr,
    pool: pool.name,
    state: "pending",
    // The block may be gone by the time that somebody finishes this claim.
    ...(hostReserved && { hostReserved }),
    revision: fresh(context),
    atMs: context.now(),
  };
  const placed = await store.createRow(row);
  if (placed.outcome !== "done") return undefined;
  const retired = await retireRows(context, seen);
  const changed =
    retired && (await store.changeHost("take-over", seen, host, changes(context, hostReserved)));
  const block = changed?.outcome === "unknown" ? await store.readBlock(space, cidr) : changed?.item;
  if (!retired || block?.host !== host) {
    await store.deleteRow("row-undo", row);
    return undefined;
  }
  await confirm(context, row);
  for (const old of retired) await store.deleteRow("row-drop", old);
  return block;
}

/** The fresh values of a block that changes hands. */
export const changes = (
  context: Context,
  hostReserved: HostReserved | undefined,
): BlockChanges => ({
  epoch: fresh(context),
  revision: fresh(context),
  claimedAtMs: context.now(),
  ...(hostReserved && { hostReserved }),
});
