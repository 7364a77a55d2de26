import { type Block, coolingIn, isEmpty, isWhollyTaken, takenIn } from "../domain/block.ts";
import { cellAt } from "../domain/cell.ts";
import { contains, formatCidr, sameCidr } from "../domain/cidr.ts";
import type { HostId } from "../domain/host.ts";
import { BLOCKS_READ_AT_ONCE, PASS_MS_MAX, RECLAIM_CELLS_PER_PASS } from "../domain/limits.ts";
import { Unreadable, unlessUnreadable } from "../domain/outcome.ts";
import { cooldownMsOf, type Pool, type Settings, serves } from "../domain/pool.ts";
import { selectsHost } from "../domain/selection.ts";
import { shardOfSpace } from "../domain/shard.ts";
import { correctFull } from "./called-full.ts";
import { configurationOf } from "./configuration.ts";
import { type Context, fresh } from "./context.ts";
import { readCursor } from "./cursor.ts";
import { correctAfterwards } from "./full.ts";
import { giveUpBlock } from "./give-up.ts";
import { inParallel } from "./parallel.ts";
import { restoreRow } from "./rows.ts";
import type { Store } from "./store.ts";

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

/** What stood in one cell, and what was done there. */
interface CellReclaimed {
  readonly blocks: number;
  readonly markedIdle: number;
  readonly deleted: number;
  readonly rowsRestored: number;
  /** Addresses that somebody has. */
  readonly taken: number;
  /** Released addresses that may not be given again yet. */
  readonly cooling: number;
  /** What could not be read: the rest of the cell was worked on. */
  readonly failures: readonly Unreadable[];
}

const passOf = (shard: number) => `reclaim-${shard}`;
/** Hex digits of the largest index of a cell: as many as an address has. */
const CELL_DIGITS = 32;

/**
 * One bounded pass over the cells of every pool of the spaces of a shard, going on where the last one stopped. Every block in
 * them is read: an empty one is marked at first sight and deleted at the second, and one whose affinity row is lost gets it
 * back (I4).
 */
export async function reclaim(context: Context, shard: number): Promise<Reclaimed> {
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
  let position = await readCursor(context, passOf(shard), done.failures);
  for await (const cell of cellsAfter(context, shard, position ?? "", done.failures)) {
    const spent = done.cells >= RECLAIM_CELLS_PER_PASS || context.now() - startedAtMs > PASS_MS_MAX;
    if (spent) {
      await store.writeCursor(passOf(shard), position);
      return done;
    }
    // One cell that cannot be worked on must not keep the pass from all that come after it.
    await reclaimCell(context, cell, startedAtMs).then(
      ({ blocks, markedIdle, deleted, rowsRestored, failures }) => {
        done.cells++;
        done.blocks += blocks;
        done.markedIdle += markedIdle;
        done.deleted += deleted;
        done.rowsRestored += rowsRestored;
        done.failures.push(...failures);
      },
      (error) => done.failures.push(error),
    );
    position = cell.name;
  }
  await store.writeCursor(passOf(shard), undefined);
  return done;
}

/** A cell of a pool's map. */
interface CellOfPool {
  readonly pool: Pool;
  readonly index: bigint;
  /** Was it called full? */
  readonly full: boolean;
}

interface NamedCell extends CellOfPool {
  /** Sorts the cells of all spaces in one order, so that a pass can go on after the last one. */
  readonly name: string;
}

/**
 * Every cell that may hold blocks, after the pool maps: consistent reads, for whoever must see every block. What cannot be
 * read is a failure, and the others come all the same.
 */
async function* cellsAfter(
  context: Context,
  shard: number,
  position: string,
  failures: unknown[],
): AsyncGenerator<NamedCell> {
  const { store } = context;
  const past = (name: string) => name < position && !position.startsWith(name);
  const read = async <T>(reading: Promise<T>): Promise<T | undefined> => {
    const found = await unlessUnreadable(reading);
    if (!(found instanceof Unreadable)) return found;
    failures.push(found);
    return undefined;
  };
  const { spaces, unreadable } = await store.listSpaces();
  failures.push(...unreadable);
  for (const space of spaces.filter((name) => shardOfSpace(name) === shard).toSorted()) {
    if (past(`${space}#`)) continue;
    const configuration = await read(configurationOf(context, space));
    if (!configuration) continue;
    failures.push(...configuration.unreadablePools.map((pool) => pool.unreadable));
    for (const pool of configuration.pools.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (past(`${space}#${pool.name}#`)) continue;
      const map = await read(store.readPoolMap(space, pool.id, { consistent: true }));
      if (!map) continue;
      for (const index of [...map.cells].sort((a, b) => (a < b ? -1 : 1))) {
        const name = `${space}#${pool.name}#${index.toString(16).padStart(CELL_DIGITS, "0")}`;
        if (name > position) yield { name, pool, index, full: map.full.has(index) };
      }
    }
  }
}

/**
 * Gives up what is empty in a cell, by the rules of `reclaimBlock`.
 *
 * @param startedAtMs when the pass began: only marks of earlier ones count
 */
async function reclaimCell(
  context: Context,
  { pool, index, full }: CellOfPool,
  startedAtMs: number,
): Promise<CellReclaimed> {
  const { store } = context;
  const cell = cellAt(pool, index);
  const inCell = await store.lookAtCell(pool.space, cell, { consistent: true });
  const standing = inCell.filter(({ cidr }) =>
    contains(pool.cidr, { family: cidr.family, value: cidr.base }),
  );
  const hosts = new Map<HostId, HostSeen>();
  const failures: Unreadable[] = [];
  const gone = new Set<string>();
  const done = { kept: 0, markedIdle: 0, deleted: 0, rowsRestored: 0, taken: 0, cooling: 0 };
  for (const block of standing) {
    // A pass is long: each block is judged, after it was looked at, by the configuration of that time, as an operator was
    // promised. It is a copy in memory but for one question each few seconds.
    const { settings, pools } = await configurationOf(context, pool.space);
    const now = pools.find(({ id }) => id === pool.id) ?? pool;
    if (block.unreadable) {
      // What is in it, and whose it is, nobody knows.
      failures.push(block.unreadable);
      continue;
    }
    done.taken += takenIn(block);
    done.cooling += coolingIn(block, context.now(), cooldownMsOf(now, settings));
    // The block of another pool, before or after this one, is not to be judged by the rules of this.
    if (block.poolId !== pool.id) continue;
    const judgement = { settings, pools, pool: now, startedAtMs, hosts };
    const outcome = await unlessUnreadable(reclaimBlock(context, block, judgement));
    if (outcome instanceof Unreadable) failures.push(outcome);
    else done[outcome]++;
    if (outcome === "deleted") gone.add(formatCidr(block.cidr));
  }
  // The hint is put right here, so that a block that became free, by a release or a reservation, is not passed over for ever.
  const left = standing.map(({ cidr }) => cidr).filter((cidr) => !gone.has(formatCidr(cidr)));
  await correctAfterwards(context, pool, index, { standing: left, isCalledFull: full });
  return { ...done, blocks: standing.length, failures };
}

/** What a block is judged by. */
interface Judgement {
  readonly settings: Settings;
  readonly pools: readonly Pool[];
  readonly pool: Pool;
  readonly startedAtMs: number;
  /** The hosts of a cell, each read once. */
  readonly hosts: Map<HostId, HostSeen>;
}

type HostSeen = Awaited<ReturnType<Store["readHost"]>>;

/** One block as it was seen. Everything done to it names the revision seen (I6). */
async function reclaimBlock(
  context: Context,
  seen: Block,
  { settings, pools, pool, startedAtMs, hosts }: Judgement,
): Promise<"kept" | "markedIdle" | "deleted" | "rowsRestored"> {
  const { store } = context;
  const { space, host, cidr } = seen;
  const owner =
    host === undefined ? undefined : (hosts.get(host) ?? (await store.readHost(space, host)));
  if (host !== undefined && owner) hosts.set(host, owner);
  if (host !== undefined && !owner?.rows.some(({ block }) => sameCidr(block, cidr))) {
    await restoreRow(context, { space, host, family: cidr.family, block: cidr, pool: pool.name });
    return "rowsRestored";
  }
  const hint = owner?.full.find(({ block }) => sameCidr(block, cidr));
  if (hint && !isWhollyTaken(seen)) await correctFull(context, hint);
  const nowMs = context.now();
  if (!isEmpty(seen, { nowMs, cooldownMs: cooldownMsOf(pool, settings) })) return "kept";
  if (seen.idleSinceMs === undefined || seen.slots.size > 0) {
    const marked = await store.markIdle(seen, nowMs, fresh(context));
    return marked.outcome === "done" ? "markedIdle" : "kept";
  }
  const oldEnough = nowMs - seen.claimedAtMs >= settings.blockMinAgeSeconds * 1000;
  // The mark is of an earlier pass: a block is given up at its second sighting, not at its first.
  if (!oldEnough || seen.idleSinceMs >= startedAtMs) return "kept";
  const { warmBlocksPerHost } = settings;
  if (owner && (await isKeptWarm(context, seen, owner, { pools, warmBlocksPerHost })))
    return "kept";
  return (await giveUpBlock(context, seen)) ? "deleted" : "kept";
}

/**
 * A host that holds addresses may keep some empty blocks of a family ready; those at its lowest places stay. A pool that
 * serves nobody, or does not select the host, has none that is ready for it.
 */
async function isKeptWarm(
  { store }: Context,
  seen: Block,
  { rows, node }: HostSeen,
  {
    pools,
    warmBlocksPerHost,
  }: { readonly pools: readonly Pool[]; readonly warmBlocksPerHost: number },
): Promise<boolean> {
  if (warmBlocksPerHost === 0) return false;
  const labels = node instanceof Unreadable ? undefined : node?.labels;
  const isReady = ({ poolId }: Block) =>
    pools.some((pool) => pool.id === poolId && serves(pool) && selectsHost(pool, labels));
  if (!isReady(seen)) {
    // Labels that cannot be read may well be those that the pool selects.
    const isOpen = pools.some((pool) => pool.id === seen.poolId && serves(pool));
    return isOpen && node instanceof Unreadable;
  }
  const places = rows
    .filter(({ family }) => family === seen.cidr.family)
    .toSorted((a, b) => a.place - b.place);
  const blocks = await inParallel(places, BLOCKS_READ_AT_ONCE, ({ space, block }) =>
    store.readBlock(space, block),
  );
  const own = blocks.flatMap((block) => (block && block.host === seen.host ? [block] : []));
  const isUsed = (block: Block) => block.slots.size > 0;
  const warm = own.filter((block) => !isUsed(block) && isReady(block)).slice(0, warmBlocksPerHost);
  return own.some(isUsed) && warm.some(({ cidr }) => sameCidr(cidr, seen.cidr));
}
