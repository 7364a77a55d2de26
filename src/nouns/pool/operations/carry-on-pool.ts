import { touches } from "../../../kernel/blocks/walk-pool.ts";
import { note, whileTime } from "../../../kernel/core/bounded-work.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { groupAt } from "../../../kernel/values/block-group.ts";
import { type AddressSet, NO_ADDRESSES } from "../../../net/address-set.ts";
import {
  comingBack,
  type GroupCounts,
  mayProve,
  type PoolJob,
  passedBy,
  provesEmpty,
  type Walk,
  type WalkCounts,
  waitingFor,
  walked,
  walkFrom,
  whatKeeps,
} from "../../job/job.ts";
import { advance, endJob } from "../../job/operations/advance-job.ts";
import type { AddressPlanEntry } from "../address-plan.ts";
import { withoutInner } from "../application-pools.ts";
import { poolOfId } from "../configuration.ts";
import { assignsPrefixes, isRanged, type Pool, subnetIdOf } from "../pool.ts";
import { extentOf } from "../set.ts";
import { deleteEmptyPool, endPoolDeletion } from "./delete-empty-pool.ts";
import { drainGroup } from "./drain-group.ts";
import { drainSet } from "./drain-set.ts";
import { DELETED_MEANWHILE, ENABLED_AGAIN, markPool } from "./mark-pool.ts";
import { releaseGroup } from "./release-group.ts";
import { freeRetiring, markShrink } from "./shrink-pool.ts";

/** Block groups of a job's pool that a worker reads, some in parallel, before the turn of other jobs. */
export const JOB_GROUPS_PER_SLICE = 64;
const JOB_GROUPS_AT_ONCE = 16;

/**
 * Carries out one slice of a job of a pool. The data that a run has read for a walk serves all its slices but the last. For the
 * last slice, the data that decides how the job ends is read again.
 *
 * @returns the job after the slice, or nothing if another worker carries it on
 */
export async function carryOnPool(
  context: Context,
  seen: PoolJob,
  run: PoolRun,
): Promise<PoolJob | undefined> {
  const way = run.onWay.get(seen.id);
  const isSame = way !== undefined && way.beganAtMs === seen.walk?.beganAtMs;
  if (isSame && aheadOn(way, seen.walk).length > JOB_GROUPS_PER_SLICE)
    return walkOn(context, seen, way, run);
  const isMarked = seen.markedAtMs !== undefined || seen.kind === "pool.shrink";
  const job = isMarked ? seen : await markPool(context, seen);
  if (job?.state !== "running") return job;
  const configuration = await context.store.readSpace(job.space);
  const pool = poolOfId(configuration, job.poolId);
  let isWhole = job.kind === "pool.release";
  if (job.kind === "pool.delete") {
    if (!pool) return endPoolDeletion(context, job);
    // Only a pool that was proven empty leaves the plan. An earlier worker was interrupted after that step.
    const { entries } = await context.store.readPlan(job.space);
    if (!entries.some(({ id }) => id === pool.id))
      return deleteEmptyPool(context, job, { pool, isWhole: false });
    isWhole = !isRanged(pool) || !entries.some((entry) => isBeside(pool, entry));
  } else {
    if (!pool) return endJob(context, job, "done", "The pool no longer exists.");
    if (pool.state === "deleting") return endJob(context, job, "cancelled", DELETED_MEANWHILE);
    if (job.kind === "pool.drain" && !pool.disabled)
      return endJob(context, job, "cancelled", ENABLED_AGAIN);
    const marked = job.kind === "pool.shrink" ? await markShrink(context, job, pool) : undefined;
    if (marked) return marked.job;
  }
  const known = { pool, pools: configuration.pools, groups: isSame ? way.groups : undefined };
  return walkOn(context, job, await wayOf(context, job, { ...known, isWhole }), run);
}

/** A scheduled run of the worker, as the jobs of pools need it. */
export interface PoolRun {
  readonly untilMs: number;
  readonly done: {
    groups: number;
    readonly failures: unknown[];
  };
  /** Data that this run has read for jobs with a walk in progress, by job id. */
  readonly onWay: Map<string, Way>;
}

/** The data of a job's walk over its pool, which a run keeps between slices. */
interface Way {
  readonly pool: Pool;
  /** The addresses of the pool that the job is about. */
  readonly set: AddressSet;
  /** The start of the walk. Block groups were read after it, so groups entered later belong to callers that are too late. */
  readonly beganAtMs: number;
  /** True if it covers every block of a subnet. */
  readonly isWhole: boolean;
  /** In the order of the walk. */
  readonly groups: readonly bigint[];
}

/** Returns true if another pool of the subnet is in the plan. */
const isBeside = ({ id, subnetId }: Pool, entry: AddressPlanEntry): boolean =>
  entry.id !== id && entry.subnetId === subnetId;

/**
 * Returns the data for a job's walk.
 *
 * @param known the pool, and all pools of its space; the block groups of the walk, if this run has read them; and whether a walk that
 *   begins now covers every block of the subnet
 */
async function wayOf(
  { store, now }: Context,
  { kind, walk }: PoolJob,
  known: {
    readonly pool: Pool;
    readonly pools: readonly Pool[];
    readonly groups: readonly bigint[] | undefined;
    readonly isWhole: boolean;
  },
): Promise<Way> {
  const { pool, pools, groups } = known;
  const beganAtMs = walk?.beganAtMs ?? now();
  const isWhole = walk ? walk.isWhole === true : isRanged(pool) && known.isWhole;
  const leaves = kind === "pool.shrink" ? (pool.retiring ?? NO_ADDRESSES) : extentOf(pool);
  const set = withoutInner(leaves, pool, pools);
  const way = { pool, set, beganAtMs, isWhole };
  if (groups) return { ...way, groups };
  const map = await store.readBlockGroupIndex(pool.space, subnetIdOf(pool), { consistent: true });
  const inOrder = [...(walk?.only ?? map.groups)]
    .filter((index) => isWhole || touches(set, groupAt(pool, index)))
    .sort((a, b) => (a < b ? -1 : 1));
  return { ...way, groups: inOrder };
}

/** Returns the block groups after the position of a walk. */
const aheadOn = ({ groups }: Way, walk: Walk | undefined): readonly bigint[] => {
  const position = walk?.position;
  return position === undefined ? groups : groups.filter((index) => index > position);
};

/**
 * Works on the next block groups of the pool, some in parallel. After the last one, the job ends or its walk begins
 * anew. A block group that fails is skipped, and keeps the job from its end.
 */
async function walkOn(
  context: Context,
  job: PoolJob,
  way: Way,
  { untilMs, done, onWay }: PoolRun,
): Promise<PoolJob | undefined> {
  const { pool } = way;
  let walk = job.walk ?? walkFrom(way.beganAtMs, way.isWhole);
  const ahead = aheadOn(way, walk);
  const slice = ahead.slice(0, JOB_GROUPS_PER_SLICE);
  onWay.set(job.id, way);
  const seen = new Map<bigint, GroupCounts | Failed>();
  const looked = await whileTime(
    context,
    slice,
    { atOnce: JOB_GROUPS_AT_ONCE, untilMs },
    async (index) => {
      seen.set(index, await walkOver(context, job, { way, index }, done));
    },
  );
  for (const index of slice.slice(0, looked)) {
    const counts = seen.get(index);
    if (counts instanceof Failed) walk = passedBy(walk, index, counts.error);
    else if (counts) walk = walked(walk, index, counts);
  }
  done.groups += looked;
  if (looked < ahead.length) {
    const onWay = `The job goes through the pool; ${walk.groups} block groups are done.`;
    return advance(context, "walk-job", job, { walk, detail: whatKeeps(walk) ?? onWay });
  }
  return atItsEnd(context, job, pool, walk);
}

/** Decides about a job after a complete walk. */
async function atItsEnd(
  context: Context,
  job: PoolJob,
  pool: Pool,
  walk: Walk,
): Promise<PoolJob | undefined> {
  const { walk: _, ...rest } = job;
  const {
    beganAtMs: __,
    isWhole,
    position: ___,
    toComeBackTo: ____,
    only: _____,
    ...counts
  } = walk;
  const lastWalk: WalkCounts = counts;
  const after: PoolJob = { ...rest, lastWalk };
  const detail = waitingFor(job, lastWalk, assignsPrefixes(pool) ? "prefix" : "address");
  if (job.kind === "pool.release") {
    const back = comingBack(walk, context.now());
    return back
      ? advance(context, "walk-job", after, { walk: back, detail })
      : endJob(context, after, "done", releasedFrom(after));
  }
  if (!provesEmpty(job, walk)) return advance(context, "walk-job", after, { detail });
  if (job.kind === "pool.shrink") return freeRetiring(context, after, pool);
  if (job.kind !== "pool.delete") {
    const nothing = isRanged(pool) ? "address of the pool is in use" : "block of the pool is left";
    return endJob(context, after, "done", `No ${nothing}.`);
  }
  const retiring = { pool, isWhole: isWhole === true || !isRanged(pool) };
  // The next walk covers the blocks of the subnet, of which this pool became the last one.
  return (
    (await deleteEmptyPool(context, after, retiring)) ??
    advance(context, "walk-job", after, { detail })
  );
}

const releasedFrom = ({ mustBeEmpty }: PoolJob): string =>
  mustBeEmpty
    ? "The affinities of all empty blocks were released."
    : "The affinities of all blocks were released.";

/** A block group that could not be worked on. */
class Failed {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

async function walkOver(
  context: Context,
  job: PoolJob,
  { way, index }: { readonly way: Way; readonly index: bigint },
  done: PoolRun["done"],
): Promise<GroupCounts | Failed> {
  const { kind, mustBeEmpty } = job;
  const { pool, set, isWhole, beganAtMs } = way;
  try {
    if (kind === "pool.release")
      return await releaseGroup(context, pool, index, mustBeEmpty === true);
    const { failures, ...counts } =
      isRanged(pool) && !isWhole
        ? await drainSet(context, { pool, set, index }, mayProve(job, beganAtMs))
        : await drainGroup(context, pool, index);
    done.failures.push(...failures);
    return counts;
  } catch (error) {
    note(done.failures, error);
    return new Failed(error);
  }
}
