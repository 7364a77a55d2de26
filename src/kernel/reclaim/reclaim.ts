import { shardOfSpace } from "../../base/hash.ts";
import { SCHEDULED_RUN_MS_MAX } from "../../base/limits.ts";
import { CorruptItemError, orCorrupt } from "../../base/outcome.ts";
import type { SpaceConfiguration } from "../../nouns/pool/configuration.ts";
import type { PoolCount, SpaceEntry, SpacePosition } from "../../nouns/space/space.ts";
import type { PoolCounted } from "../../nouns/utilization/pool-usage.ts";
import { note, whileTime } from "../core/bounded-work.ts";
import { configurationOf } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { type Random, randomBelow } from "../values/fresh.ts";
import { PoolsSeen } from "./full-pools-seen.ts";
import { type GroupOnWay, groupsOfSpace } from "./groups-of-space.ts";
import { PassCount } from "./pass-count.ts";
import { type GroupOfPool, reclaimGroup } from "./reclaim-group.ts";

/** Spaces that a scheduled run of the reclaimer works on side by side. */
const RECLAIM_SPACES_AT_ONCE = 16;
/** Block groups of all these spaces together that it works on side by side. */
export const RECLAIM_GROUPS_AT_ONCE = 16;
/**
 * Block groups of a space that it reads before the turn of the next space. After each such slice it saves its position,
 * so that a crash loses one slice.
 */
export const RECLAIM_GROUPS_PER_SLICE = 64;

/** The result of a run of `reclaim`. */
export interface Reclaimed {
  /** Spaces that the run began or continued. */
  spaces: number;
  /** Spaces without a pool, taken out of the register. */
  spacesDropped: number;
  groups: number;
  blocks: number;
  markedIdle: number;
  deleted: number;
  affinitiesRestored: number;
  /** The counts of each pool that a pass came to the end of. */
  readonly counted: PoolCounted[];
  /** The spaces whose pass began in an earlier run, or goes on in the next one. */
  readonly longPasses: Set<string>;
  /** Failures for the log; the scheduled run continued. */
  readonly failures: unknown[];
}

/** A run in progress. */
interface ReclaimRun {
  readonly context: Context;
  readonly startedAtMs: number;
  readonly untilMs: number;
  readonly done: Reclaimed;
}

/** A space that a scheduled run goes through. */
interface SpaceWalk {
  readonly entry: SpaceEntry;
  /** The stored position of the next scheduled run. */
  kept: SpacePosition | undefined;
  readonly groups: AsyncGenerator<GroupOnWay>;
  readonly pools: PoolsSeen;
  /** The counts of the pass; absent before the first slice, and if the configuration cannot be read. */
  count: PassCount | undefined;
  isBegun: boolean;
}

/**
 * Runs once, for a bounded time, over the block groups of every pool of a shard's spaces. It continues each space where
 * the last run stopped in it, slice by slice. No space has its second slice before each has its first, and a failure in
 * one space stops no other.
 * A run without time for all spaces begins with a random one.
 *
 * It marks an empty block at first sight and deletes it at the second. It restores the lost affinity (I4) of a young or
 * empty block.
 */
export async function reclaim(context: Context, shard: number): Promise<Reclaimed> {
  const startedAtMs = context.now();
  const done = noneDone();
  const run: ReclaimRun = {
    context,
    startedAtMs,
    untilMs: startedAtMs + SCHEDULED_RUN_MS_MAX,
    done,
  };
  const { items: spaces, unreadable } = await context.store.listSpaces();
  for (const entry of unreadable)
    if (shardOfSpace(entry.name) === shard) done.failures.push(entry.unreadable);
  const own = spaces.filter(({ space }) => shardOfSpace(space) === shard);
  const walks = rotated(own, context.random).map((entry): SpaceWalk => {
    const walk: SpaceWalk = {
      entry,
      kept: entry.position,
      groups: groupsOf(run, entry, (configuration) => {
        walk.count = new PassCount(context, configuration, entry.position);
      }),
      pools: new PoolsSeen(entry.space),
      count: undefined,
      isBegun: false,
    };
    return walk;
  });
  const queue = [...walks];
  let underway = 0;
  const worker = async (): Promise<void> => {
    for (let walk = queue.shift(); walk && isInTime(run); walk = queue.shift()) {
      underway++;
      const together = Math.min(underway + queue.length, RECLAIM_SPACES_AT_ONCE);
      const atOnce = Math.floor(RECLAIM_GROUPS_AT_ONCE / together);
      const hasMore = await walkSlice(run, walk, atOnce).catch((error) => {
        // The next run continues the space where this one stopped.
        note(done.failures, error);
        return false;
      });
      underway--;
      if (hasMore) queue.push(walk);
    }
  };
  await Promise.all(Array.from({ length: RECLAIM_SPACES_AT_ONCE }, worker));
  for (const { entry, kept } of walks) if (entry.position || kept) done.longPasses.add(entry.space);
  return done;
}

const noneDone = (): Reclaimed => ({
  spaces: 0,
  spacesDropped: 0,
  groups: 0,
  blocks: 0,
  markedIdle: 0,
  deleted: 0,
  affinitiesRestored: 0,
  counted: [],
  longPasses: new Set(),
  failures: [],
});

const isInTime = ({ context, untilMs }: ReclaimRun): boolean => context.now() < untilMs;

/** Returns the same items in the same order, but from a random start. */
function rotated<T>(items: readonly T[], random: Random): readonly T[] {
  const start = randomBelow(items.length, random);
  return [...items.slice(start), ...items.slice(0, start)];
}

/**
 * Walks the next block groups of a space, and saves its position. Returns whether there are more for which this run has
 * time.
 */
async function walkSlice(run: ReclaimRun, walk: SpaceWalk, atOnce: number): Promise<boolean> {
  const slice = await nextOf(walk.groups, RECLAIM_GROUPS_PER_SLICE);
  const { context, untilMs, done } = run;
  if (!walk.isBegun) done.spaces++;
  walk.isBegun = true;
  const counts = new Map<GroupOnWay, readonly PoolCount[] | undefined>();
  const begun = await whileTime(context, slice, { atOnce, untilMs }, async (onWay) => {
    if (onWay.group) counts.set(onWay, await reclaimOne(run, walk, onWay.group));
  });
  if (slice.length > 0 && begun === 0) return false;
  const isAtEnd = slice.length < RECLAIM_GROUPS_PER_SLICE && begun === slice.length;
  // They were begun in their order.
  const walked = slice.slice(0, begun);
  const counted = walked.map((onWay) => ({ pool: onWay.pool, counts: counts.get(onWay) }));
  done.counted.push(...(walk.count?.add(counted, isAtEnd) ?? []));
  const last = isAtEnd ? undefined : walked.at(-1)?.position;
  const sums = walk.count?.sums;
  const position = last && { ...last, ...(sums && { count: sums }) };
  // A space that fits into one slice has no saved position, and costs no write.
  if (position || walk.kept) await context.store.keepPosition(walk.entry.space, position);
  walk.kept = position;
  await walk.pools.correctHints(context).catch((error) => note(done.failures, error));
  return begun === RECLAIM_GROUPS_PER_SLICE;
}

async function nextOf<T>(source: AsyncGenerator<T>, count: number): Promise<T[]> {
  const items: T[] = [];
  while (items.length < count) {
    const { value, done } = await source.next();
    if (done) break;
    items.push(value);
  }
  return items;
}

/**
 * Reclaims one block group, and returns its counts, if it could be read. A failure must not keep the run from the groups
 * after it.
 */
async function reclaimOne(
  { context, startedAtMs, done }: ReclaimRun,
  { pools }: SpaceWalk,
  group: GroupOfPool,
): Promise<readonly PoolCount[] | undefined> {
  try {
    const of = await reclaimGroup(context, group, startedAtMs);
    if (of.isFull !== undefined) pools.saw(group, { isFull: of.isFull, lending: of.lending });
    done.groups++;
    done.blocks += of.blocks;
    done.markedIdle += of.markedIdle;
    done.deleted += of.deleted;
    done.affinitiesRestored += of.affinitiesRestored;
    done.failures.push(...of.failures);
    return of.counts;
  } catch (error) {
    note(done.failures, error);
    return undefined;
  }
}

/**
 * Yields the block groups of a space after its saved position; none if the space has no pool.
 *
 * @param begin receives the configuration of the space, before the first group
 */
async function* groupsOf(
  run: ReclaimRun,
  entry: SpaceEntry,
  begin: (configuration: SpaceConfiguration) => void,
): AsyncGenerator<GroupOnWay> {
  const { context, done } = run;
  const configuration = await orCorrupt(judgedBy(context, entry.space));
  if (configuration instanceof CorruptItemError) {
    done.failures.push(configuration);
    return;
  }
  const { pools, unreadablePools } = configuration;
  done.failures.push(...unreadablePools.map(({ unreadable }) => unreadable));
  if (isWithoutPools(configuration)) await deleteSpaceEntry(run, entry);
  // What an unreadable pool has is unknown, and it may be one of a subnet.
  else if (unreadablePools.length === 0 && configuration.unreadableReservations.length === 0)
    begin(configuration);
  yield* groupsOfSpace(context, pools, entry.position, done.failures);
}

/** Reads the configuration of a space. @throws CorruptItemError if its settings cannot be read */
async function judgedBy(context: Context, space: string): Promise<SpaceConfiguration> {
  const configuration = await configurationOf(context, space);
  // Reading them throws if they cannot be read.
  return configuration.settings && configuration;
}

const isWithoutPools = ({
  pools,
  unreadablePools,
}: Pick<SpaceConfiguration, "pools" | "unreadablePools">): boolean =>
  pools.length + unreadablePools.length === 0;

/**
 * Removes a space without a pool from the register, as its entry was seen. The job that deletes a space removes it itself, because
 * the entry tells the job that nothing was written. The creator of a pool registers the space
 * again after it has put the pool. So this run sees the pool's item, or the entry has another revision, or the entry
 * returns.
 */
async function deleteSpaceEntry({ context, done }: ReclaimRun, entry: SpaceEntry): Promise<void> {
  if (entry.isBeingDeleted) return;
  if (!isWithoutPools(await context.store.readSpace(entry.space))) return;
  const dropped = await context.store.deleteSpaceEntry(entry);
  if (dropped.outcome === "done") done.spacesDropped++;
}
