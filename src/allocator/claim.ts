import { type AffinityRow, lowestFreePlace } from "../domain/affinity.ts";
import { type Block, isWhollyReserved } from "../domain/block.ts";
import { blocksOfCell, cellAt, cellIndexOf, cellOf, cellOrder } from "../domain/cell.ts";
import { type Cidr, formatCidr, type Interval, sameCidr } from "../domain/cidr.ts";
import { randomBelow } from "../domain/fresh.ts";
import type { HostId } from "../domain/host.ts";
import {
  CELL_LOOKS_MAX,
  CLOCK_SKEW_MS_MAX,
  REQUEST_MS_MAX,
  SWAP_TRIES_MAX,
} from "../domain/limits.ts";
import { Unavailable } from "../domain/outcome.ts";
import type { Pool } from "../domain/pool.ts";
import { type Context, fresh } from "./context.ts";

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
 */
export async function claimBlock(
  context: Context,
  pool: Pool,
  host: HostId,
  rows: readonly AffinityRow[],
  cidr: Cidr,
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
    revision: fresh(context),
    atMs: context.now(),
  };
  // Both must stand before the block is put; neither waits for the other.
  const [placed] = await Promise.all([store.createRow(row), enterCell(context, pool, cidr)]);
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
  const there = await context.store.readBlock(row.space, row.block);
  if (there?.host === row.host) return { kind: "ours", block: there };
  if (there) {
    // Its author lost the block and was cut off before it could take its row back: the place is free again.
    const old = context.now() - row.atMs > REQUEST_MS_MAX + CLOCK_SKEW_MS_MAX;
    if (old) await context.store.deleteRow("row-stale", row);
    return { kind: "busy" };
  }
  const pool = pools.find(({ name }) => name === row.pool);
  if (!pool || row.state !== "pending") return { kind: "busy" };
  await enterCell(context, pool, row.block);
  return finishClaim(context, pool, row);
}

async function finishClaim(context: Context, pool: Pool, row: AffinityRow): Promise<Claim> {
  const { store } = context;
  const created = await store.createBlock({
    space: row.space,
    cidr: row.block,
    pool: pool.name,
    host: row.host,
    claimedAtMs: context.now(),
    slots: new Map(),
    epoch: fresh(context),
    revision: fresh(context),
  });
  const block =
    created.outcome === "unknown" ? await store.readBlock(row.space, row.block) : created.item;
  if (block?.host !== row.host) {
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
    const entered = await context.store.addCell(pool.space, pool.name, index);
    if (entered.outcome !== "done") continue;
    context.memory.rememberCell(known);
    return;
  }
  throw new Unavailable("the database did not say whether a cell was entered into the pool map");
}

async function confirm(context: Context, row: AffinityRow): Promise<void> {
  const { store } = context;
  const next = { ...row, state: "confirmed", revision: fresh(context) } as const;
  const confirmed = await store.changeRow("row-confirm", row, next);
  if (confirmed.outcome !== "lost") return;
  // The collector took our row for a stale one: it is written again before anybody is answered.
  await restoreRow(context, row);
}

/** Writes the row of a block that its host has lost the row of, at the lowest free place. */
export async function restoreRow(
  context: Context,
  row: Pick<AffinityRow, "space" | "host" | "family" | "block" | "pool">,
): Promise<void> {
  const rows = await context.store.listRows(row.space, row.host);
  if (rows.some(({ block }) => sameCidr(block, row.block))) return;
  await context.store.createRow({
    ...row,
    place: lowestFreePlace(rows, row.family),
    state: "confirmed",
    revision: fresh(context),
    atMs: context.now(),
  });
}

/** A look for a free block in one pool. */
export interface Search {
  /** Free as far as could be seen, in the order to try; put-if-absent decides. */
  readonly candidates: readonly Cidr[];
  /** Were there cells the look did not reach? Then "nothing found" does not mean "nothing there". */
  readonly bounded: boolean;
}

/**
 * Looks for free blocks of a pool in a bounded number of cells, starting where the host's name hashes to and passing over
 * cells the map calls full. When all are called full, the hints are not believed: one bounded look decides.
 */
export async function findFreeBlocks(
  context: Context,
  pool: Pool,
  host: HostId,
  reserved: readonly Interval[],
): Promise<Search> {
  const { store, random } = context;
  const { full } = await store.readPoolMap(pool.space, pool.name, { consistent: false });
  const order = cellOrder(pool, host);
  const hinted: bigint[] = [];
  let looks = 0;
  let bounded = false;
  const look = async (index: bigint) => {
    looks++;
    const cell = cellAt(pool, index);
    const blocks = await store.lookAtCell(pool.space, cell, { consistent: false });
    const standing = new Set(blocks.map(({ cidr }) => formatCidr(cidr)));
    const free = blocksOfCell(pool, cell).filter((cidr) => !standing.has(formatCidr(cidr)));
    if (free.length === 0 && !full.has(index)) await store.markFull(pool.space, pool.name, index);
    const usable = free.filter((cidr) => !isWhollyReserved(cidr, reserved));
    const start = randomBelow(usable.length, random);
    return [...usable.slice(start), ...usable.slice(0, start)];
  };
  for (const index of order) {
    if (full.has(index)) {
      if (hinted.length < CELL_LOOKS_MAX) hinted.push(index);
      continue;
    }
    if (looks === CELL_LOOKS_MAX) {
      bounded = true;
      break;
    }
    const candidates = await look(index);
    if (candidates.length > 0) return { candidates, bounded };
  }
  for (const index of hinted) {
    if (looks === CELL_LOOKS_MAX) break;
    const candidates = await look(index);
    if (candidates.length > 0) return { candidates, bounded };
  }
  return { candidates: [], bounded };
}
