import type { AffinityRow } from "../domain/affinity.ts";
import { type Block, isEmpty } from "../domain/block.ts";
import { blocksOfCell, cellAt } from "../domain/cell.ts";
import { contains, sameCidr } from "../domain/cidr.ts";
import { PASS_MS_MAX, RECLAIM_CELLS_PER_PASS } from "../domain/limits.ts";
import { cooldownMsOf, type Pool, type SpaceConfiguration } from "../domain/pool.ts";
import { restoreRow } from "./claim.ts";
import { confirmRow } from "./collect.ts";
import { configurationOf } from "./configuration.ts";
import { type Context, fresh } from "./context.ts";

/** What a pass of the reclaimer did. */
export interface Reclaimed {
  cells: number;
  blocks: number;
  markedIdle: number;
  deleted: number;
  rowsRestored: number;
  /** What went wrong on the way, for the log; the pass went on. */
  readonly failures: unknown[];
}

const PASS = "reclaim";
/** Hex digits of the largest index of a cell: as many as an address has. */
const CELL_DIGITS = 32;

/**
 * One bounded pass over the cells of every pool, going on where the last one stopped. Every block in them is read: an
 * empty one is marked at first sight and deleted at the second, and one whose affinity row is lost gets it back (I4).
 */
export async function reclaim(context: Context): Promise<Reclaimed> {
  const { store } = context;
  const done: Reclaimed = {
    cells: 0,
    blocks: 0,
    markedIdle: 0,
    deleted: 0,
    rowsRestored: 0,
    failures: [],
  };
  const startedAtMs = context.now();
  let position = await store.readCursor(PASS);
  for await (const cell of cellsAfter(context, position ?? "")) {
    const spent = done.cells >= RECLAIM_CELLS_PER_PASS || context.now() - startedAtMs > PASS_MS_MAX;
    if (spent) {
      await store.writeCursor(PASS, position);
      return done;
    }
    // One cell that cannot be worked on must not keep the pass from all that come after it.
    await reclaimCell(context, cell, startedAtMs, done).catch((error) => done.failures.push(error));
    position = cell.name;
  }
  await store.writeCursor(PASS, undefined);
  return done;
}

interface CellOfPool {
  /** Sorts the cells of all spaces in one order, so that a pass can go on after the last one. */
  readonly name: string;
  readonly pool: Pool;
  readonly index: bigint;
  /** Was it called full? */
  readonly full: boolean;
  readonly configuration: SpaceConfiguration;
}

/** Every cell that may hold blocks, after the pool maps: consistent reads, for whoever must see every block. */
async function* cellsAfter(context: Context, position: string): AsyncGenerator<CellOfPool> {
  const { store } = context;
  const past = (name: string) => name < position && !position.startsWith(name);
  for (const space of (await store.listSpaces()).toSorted()) {
    if (past(`${space}#`)) continue;
    const configuration = await configurationOf(context, space);
    for (const pool of configuration.pools.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (past(`${space}#${pool.name}#`)) continue;
      const map = await store.readPoolMap(space, pool.name, { consistent: true });
      for (const index of [...map.cells].sort((a, b) => (a < b ? -1 : 1))) {
        const name = `${space}#${pool.name}#${index.toString(16).padStart(CELL_DIGITS, "0")}`;
        if (name > position) yield { name, pool, index, full: map.full.has(index), configuration };
      }
    }
  }
}

async function reclaimCell(
  context: Context,
  { pool, index, full, configuration }: CellOfPool,
  startedAtMs: number,
  done: Reclaimed,
): Promise<void> {
  const { store } = context;
  const cell = cellAt(pool, index);
  const inCell = await store.lookAtCell(pool.space, cell, { consistent: true });
  const blocks = inCell.filter(({ cidr }) =>
    contains(pool.cidr, { family: cidr.family, value: cidr.base }),
  );
  const rowsOf = new Map<string, readonly AffinityRow[]>();
  let standing = blocks.length;
  for (const block of blocks) {
    const rows = rowsOf.get(block.host) ?? (await store.listRows(block.space, block.host));
    rowsOf.set(block.host, rows);
    const result = await reclaimBlock(context, block, rows, configuration, pool, startedAtMs);
    if (result !== "kept") done[result]++;
    if (result === "deleted") standing--;
  }
  // The hint is put right here, so that a block that became free is not passed over for ever.
  if (full && standing < blocksOfCell(pool, cell).length)
    await store.unmarkFull(pool.space, pool.name, index);
  done.cells++;
  done.blocks += blocks.length;
}

/** One block as it was seen. Everything done to it names the revision seen (I6). */
async function reclaimBlock(
  context: Context,
  seen: Block,
  rows: readonly AffinityRow[],
  configuration: SpaceConfiguration,
  pool: Pool,
  startedAtMs: number,
): Promise<"kept" | "markedIdle" | "deleted" | "rowsRestored"> {
  const { store } = context;
  const own = rows.filter(({ block }) => sameCidr(block, seen.cidr));
  const nowMs = context.now();
  const cooldownMs = cooldownMsOf(pool, configuration.settings);
  if (own.length === 0) {
    const { space, host, cidr } = seen;
    await restoreRow(context, { space, host, family: cidr.family, block: cidr, pool: pool.name });
    return "rowsRestored";
  }
  if (!isEmpty(seen, { nowMs, cooldownMs })) return "kept";
  if (seen.idleSinceMs === undefined || seen.slots.size > 0) {
    const marked = await store.markIdle(seen, nowMs, fresh(context));
    return marked.outcome === "done" ? "markedIdle" : "kept";
  }
  const oldEnough = nowMs - seen.claimedAtMs >= configuration.settings.blockMinAgeSeconds * 1000;
  // The mark is of an earlier pass: a block is given up at its second sighting, not at its first.
  if (!oldEnough || seen.idleSinceMs >= startedAtMs) return "kept";
  const retired = await retireRows(context, own);
  if (!retired) return "kept";
  const deleted = await store.deleteBlock(seen);
  if (deleted.outcome === "done") {
    for (const row of retired) await store.deleteRow("row-drop", row);
    return "deleted";
  }
  // An assign was faster: its block stays, and so do its rows.
  if (deleted.outcome === "lost" && deleted.item?.host === seen.host)
    for (const row of retired) await confirmRow(context, row);
  return "kept";
}

/** Marks the rows of a block that is about to go; nothing if one of them changed meanwhile. */
async function retireRows(
  context: Context,
  rows: readonly AffinityRow[],
): Promise<readonly AffinityRow[] | undefined> {
  const retired: AffinityRow[] = [];
  for (const row of rows) {
    const next = {
      ...row,
      state: "pendingDeletion",
      revision: fresh(context),
      atMs: context.now(),
    } as const;
    const result = await context.store.changeRow("row-retire", row, next);
    if (result.outcome !== "done") return undefined;
    retired.push(next);
  }
  return retired;
}
