import { assertTexts, assertTimes, assertWhole } from "../../base/assertions.ts";
import {
  CONFIGURATION_RELOAD_MS,
  EFFECTIVE_MS_MAX,
  UNREADABLE_CHARACTERS_MAX,
} from "../../base/limits.ts";
import { CorruptItemError } from "../../base/outcome.ts";
import { formatTime } from "../../base/time.ts";

/**
 * A deleting pool keeps its range for at least this time: until no function can still use the oldest copy of the
 * configuration.
 */
export const RANGE_RETIRED_MS_MIN = CONFIGURATION_RELOAD_MS + EFFECTIVE_MS_MAX;
/** Block groups that a release skipped and returns to; if there are more, it walks the whole pool again. */
export const JOB_GROUPS_TO_COME_BACK_TO_MAX = 256;

/** The counts of one walk over the block groups of a pool. */
export interface WalkCounts {
  readonly groups: number;
  /** Blocks that existed when the walk read their block group. */
  readonly blocks: number;
  /** The deleted ones among them. */
  readonly deleted: number;
  /** Assigned addresses. */
  readonly taken: number;
  /** Released addresses that cannot be assigned again yet. */
  readonly cooling: number;
  /** The first unreadable item, as a clause. */
  readonly unreadable?: string;
  /**
   * Block groups that the walk skipped because they could not be processed. Each counts as an
   * existing block.
   */
  readonly passedBy?: number;
  /** The first other failure, as a clause. */
  readonly failed?: string;
  /** The time when the last cooling address or young block can go. */
  readonly readyAtMs?: number;
}

/** The counts of one block group. */
export type GroupCounts = Omit<WalkCounts, "groups" | "passedBy">;

/** A walk in progress. */
export interface Walk extends WalkCounts {
  readonly beganAtMs: number;
  /** True for the deletion of the last pool of a subnet: the walk covers every block of the subnet, not the pool's set alone. */
  readonly isWhole?: true;
  /** The last block group that the walk read; absent before the first. */
  readonly position?: bigint;
  /** For a release: the first block groups that the walk skipped, to return to. */
  readonly toComeBackTo?: readonly bigint[];
  /**
   * For a release that returns to skipped groups: it reads these groups alone, so that it takes no block from its host
   * twice.
   */
  readonly only?: readonly bigint[];
}

export const POOL_JOB_KINDS = ["pool.drain", "pool.delete", "pool.release", "pool.shrink"] as const;

/** Work on a pool. */
export interface PoolJob extends JobState {
  readonly kind: (typeof POOL_JOB_KINDS)[number];
  readonly pool: string;
  readonly poolId: string;
  /**
   * The pool as the operator saw it: the job changes no other. A shrink has the revision that was marked: it begins anew when the
   * pool has another one.
   */
  readonly poolRevision: string;
  /** For a release: blocks with an assigned or cooling address keep their host. */
  readonly mustBeEmpty?: true;
  /**
   * The time from which the pool served no request and every function knew it; absent before. For a shrink: the time when a worker
   * had read the pool without the addresses, and announced it. A release does not change its pool, so its walk can begin immediately.
   */
  readonly markedAtMs?: number;
  readonly walk?: Walk;
  /** The counts of the last complete walk. */
  readonly lastWalk?: WalkCounts;
}

/**
 * Work that takes longer than a request. A scheduled worker carries it out slice by slice.
 * Every step can be repeated, so that a worker can be cut off anywhere and two workers can run at the same time.
 */
export type Job = PoolJob | SpaceJob;

/** Checks that a job has its revision, and what its writes compare. @throws {Error} */
export function assertJob(job: Job): void {
  assertJobState(job);
  if (job.kind === "space.delete") assertSpaceJob(job);
  else assertPoolJob(job);
}

/** Checks that a job has the id and the revision of its pool: it must change no other. @throws {Error} */
function assertPoolJob({ pool, poolId, poolRevision, markedAtMs, walk, lastWalk }: PoolJob): void {
  assertTexts({ pool, poolId, poolRevision });
  assertTimes(markedAtMs, walk?.beganAtMs);
  for (const counts of [walk, lastWalk]) if (counts) assertCounts(counts);
}

function assertCounts(counts: WalkCounts): void {
  const { groups, blocks, deleted, taken, cooling, passedBy = 0, readyAtMs } = counts;
  assertWhole({ groups, blocks, deleted, taken, cooling, passedBy });
  assertTimes(readyAtMs);
}

export const drainJobId = (poolId: string, poolRevision: string): string =>
  `drain-${poolId}-${poolRevision}`;

/** Returns the id of a delete job. A pool is deleted once, so a repeated request finds the job. */
export const deleteJobId = (poolId: string): string => `delete-${poolId}`;

/** Returns the members of a rejection that ends with the deletion of some pools: nothing unless all of them are being deleted. */
export function untilDeleted(...pools: readonly { readonly id: string; readonly state: string }[]) {
  const [first] = pools;
  return first && pools.every(({ state }) => state === "deleting")
    ? { retryable: true, job: deleteJobId(first.id) }
    : {};
}

/** Returns the id of a release job. The affinities of a pool can be released again after each job. */
export const releaseJobId = (
  poolId: string,
  { mustBeEmpty }: { readonly mustBeEmpty: boolean },
): string => `release-${mustBeEmpty ? "empty-" : ""}${poolId}`;

/** Returns the id of a shrink job. A pool can shrink again after each job. */
export const shrinkJobId = (poolId: string): string => `shrink-${poolId}`;

/**
 * Returns true if a new request can start the job again, over the one that succeeded or failed. A shrink begins anew over a running
 * one of another revision: its worker may have found nothing left to do before the pool changed.
 */
export function mayBeginAgain(there: Job, wanted: Job): boolean {
  const { kind, state } = there;
  if (state === "failed") return true;
  if (kind === "pool.shrink" && wanted.kind === "pool.shrink")
    return state !== "running" || there.poolRevision !== wanted.poolRevision;
  return (kind === "pool.release" || kind === "space.delete") && state !== "running";
}

export const walkFrom = (beganAtMs: number, isWhole = false): Walk => ({
  beganAtMs,
  ...(isWhole && { isWhole }),
  groups: 0,
  blocks: 0,
  deleted: 0,
  taken: 0,
  cooling: 0,
});

/** Returns the walk after one more block group. */
export function walked(walk: Walk, position: bigint, seen: GroupCounts): Walk {
  const [unreadable, failed] = [walk.unreadable ?? seen.unreadable, walk.failed ?? seen.failed];
  const readyAtMs = Math.max(walk.readyAtMs ?? 0, seen.readyAtMs ?? 0);
  return {
    ...walk,
    position,
    groups: walk.groups + 1,
    blocks: walk.blocks + seen.blocks,
    deleted: walk.deleted + seen.deleted,
    taken: walk.taken + seen.taken,
    cooling: walk.cooling + seen.cooling,
    ...(unreadable !== undefined && { unreadable }),
    ...(failed !== undefined && { failed }),
    ...(readyAtMs > 0 && { readyAtMs }),
  };
}

/**
 * Returns the walk after it skipped a block group that could not be processed. The group counts as a block, because
 * nothing is proved about its contents.
 */
export function passedBy(walk: Walk, position: bigint, error: unknown): Walk {
  const nothing = { blocks: 1, deleted: 0, taken: 0, cooling: 0 };
  const message = error instanceof Error ? error.message : String(error);
  const reason = message.slice(0, UNREADABLE_CHARACTERS_MAX);
  const why = error instanceof CorruptItemError ? { unreadable: reason } : { failed: reason };
  const before = walk.toComeBackTo ?? [];
  return {
    ...walked(walk, position, { ...nothing, ...why }),
    passedBy: (walk.passedBy ?? 0) + 1,
    toComeBackTo: before.length < JOB_GROUPS_TO_COME_BACK_TO_MAX ? [...before, position] : before,
  };
}

/**
 * Returns the walk with which a release returns to the block groups that the last walk skipped; nothing if it skipped
 * none. If it skipped more than it can remember, the walk covers the whole pool.
 */
export function comingBack(
  { passedBy = 0, toComeBackTo = [] }: Walk,
  beganAtMs: number,
): Walk | undefined {
  if (passedBy === 0) return undefined;
  return {
    ...walkFrom(beganAtMs),
    ...(toComeBackTo.length === passedBy && { only: toComeBackTo }),
  };
}

/**
 * Returns from when on a new walk that finds no block proves that the pool has none and gets none
 * that counts. Then no function assigns from the pool any more. If its range or addresses of it are to be freed, no
 * function knows the pool as one that serves them.
 */
export function provesFromMs({ kind }: Pick<PoolJob, "kind">, markedAtMs: number): number {
  const givesAway = kind === "pool.delete" || kind === "pool.shrink";
  return markedAtMs + (givesAway ? RANGE_RETIRED_MS_MIN : EFFECTIVE_MS_MAX);
}

/**
 * Returns true if this complete walk has shown that the pool stays empty. A walk that could not read a block group has
 * not shown it.
 */
export function provesEmpty(
  job: PoolJob,
  { beganAtMs, blocks, passedBy = 0, unreadable, only }: Walk,
): boolean {
  const sawAll = passedBy === 0 && unreadable === undefined && only === undefined;
  return sawAll && blocks === 0 && mayProve(job, beganAtMs);
}

/** Returns true if no function assigned from the pool any more when a walk began. */
export const mayProve = (
  { kind, markedAtMs }: Pick<PoolJob, "kind" | "markedAtMs">,
  beganAtMs: number,
): boolean => markedAtMs !== undefined && beganAtMs >= provesFromMs({ kind }, markedAtMs);

/**
 * Returns the earliest end of a job, in milliseconds since the epoch: until then a function may know the pool as a
 * serving one.
 * Returns nothing if the job has ended, is not marked yet, or takes no addresses away.
 */
export function endsNotBeforeMs({ kind, state, markedAtMs }: PoolJob): number | undefined {
  if (state !== "running" || kind === "pool.release" || markedAtMs === undefined) return undefined;
  return provesFromMs({ kind }, markedAtMs);
}

/** Returns a sentence that says what a job waits for right after it was marked. */
export const nothingAssigned = (job: Pick<PoolJob, "kind">, markedAtMs: number): string =>
  `${job.kind === "pool.shrink" ? "The pool no longer assigns what was taken out of it" : "The pool assigns no more addresses"}. ${untilAllFollow(job, markedAtMs)}`;

/** Returns a sentence that says what a job waits for, and until when if that is known. */
export function waitingFor(
  job: Pick<PoolJob, "kind" | "markedAtMs">,
  walk: WalkCounts,
  unit: "address" | "prefix" = "address",
): string {
  const stuck = whatKeeps(walk);
  if (stuck !== undefined) return stuck;
  const { blocks, deleted, taken, cooling, readyAtMs } = walk;
  const units = (count: number) => `${count} ${unit}${count === 1 ? "" : "es"}`;
  const until = readyAtMs === undefined ? "" : `, until ${formatTime(readyAtMs)}`;
  const left = blocks - deleted;
  if (taken > 0) return `Waits for ${units(taken)} to be released.`;
  if (cooling > 0) return `Waits for ${units(cooling)} to cool${until}.`;
  if (left > 0)
    return `Waits for ${left} empty ${left === 1 ? "block" : "blocks"} to reach the minimum age${until}.`;
  return untilAllFollow(job, job.markedAtMs ?? 0);
}

const untilAllFollow = (job: Pick<PoolJob, "kind">, markedAtMs: number): string =>
  `Waits until ${formatTime(provesFromMs(job, markedAtMs))}: until then, a function may still use the pool.`;

/** Returns a sentence about what keeps a walk from being complete, if anything does. Blocks that may be in use stay. */
export function whatKeeps({ unreadable, failed }: WalkCounts): string | undefined {
  if (unreadable !== undefined) return `Waits for unreadable items: ${unreadable}.`;
  return failed === undefined ? undefined : `Retries what failed: ${failed}.`;
}

export const JOB_STATES = ["running", "done", "failed", "cancelled"] as const;

/** The part of a job that every kind has. */
export interface JobState {
  readonly space: string;
  /** Derived from the request, so that a repeated request finds the same job. */
  readonly id: string;
  readonly state: (typeof JOB_STATES)[number];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly finishedAtMs?: number;
  /** A sentence: the reason for waiting, or the result. */
  readonly detail: string;
  readonly revision: string;
}

/** Checks that a job has its name, its revision and its times. @throws {Error} */
function assertJobState(job: JobState): void {
  const { space, id, revision, createdAtMs, updatedAtMs, finishedAtMs } = job;
  assertTexts({ space, id, revision });
  assertTimes(createdAtMs, updatedAtMs, finishedAtMs);
}

/** The id of the job that deletes a space. A space can be deleted again after each job. */
export const SPACE_JOB_ID = "delete-space";

/** The deletion of an empty space. */
export interface SpaceJob extends JobState {
  readonly kind: "space.delete";
  /** The revision of the space's entry in the register, as the request saw it: the job begins with no other. */
  readonly spaceRevision: string;
  /**
   * The revision that the job gives the entry. Whoever writes what the job may remove gives the entry a new one first. So the job
   * removes only what was there when the entry got this one.
   */
  readonly stamp: string;
  /** The time when the entry was found with the stamp; absent before. */
  readonly markedAtMs?: number;
  /** The number of items that it has removed. */
  readonly removed: number;
}

/** Checks that a job has the revisions that its writes of the register compare. @throws {Error} */
function assertSpaceJob({ spaceRevision, stamp, markedAtMs, removed }: SpaceJob): void {
  assertTexts({ spaceRevision, stamp });
  assertTimes(markedAtMs);
  assertWhole({ removed });
}
