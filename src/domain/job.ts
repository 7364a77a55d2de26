import {
  EFFECTIVE_MS_MAX,
  JOB_GROUPS_TO_COME_BACK_TO_MAX,
  RANGE_RETIRED_MS_MIN,
  UNREADABLE_CHARACTERS_MAX,
} from "./limits.ts";
import { CorruptItemError } from "./outcome.ts";
import { formatTime } from "./time.ts";

/** The counts of one walk over the block groups of a pool. */
export interface WalkCounts {
  readonly groups: number;
  /** Blocks that stood when their block group was looked at. */
  readonly blocks: number;
  /** Of these, how many were given up. */
  readonly deleted: number;
  /** Addresses that somebody has. */
  readonly taken: number;
  /** Released addresses that may not be given again yet. */
  readonly cooling: number;
  /** The first thing that could not be read, as a clause. */
  readonly unreadable?: string;
  /** Block groups that could not be worked on, and were passed by; each counts as a block that stands. */
  readonly passedBy?: number;
  /** The first other failure, as a clause. */
  readonly failed?: string;
  /** The time when the last cooling address or young block can go. */
  readonly readyAtMs?: number;
}

/** The counts of one block group. */
export type GroupCounts = Omit<WalkCounts, "groups" | "passedBy">;

/** A walk under way. */
export interface Walk extends WalkCounts {
  readonly beganAtMs: number;
  /** The last block group looked at; absent before the first. */
  readonly position?: bigint;
  /** Of a release: the first block groups that were passed by, to come back to. */
  readonly toComeBackTo?: readonly bigint[];
  /** Of a release that comes back: it goes through these block groups alone, so that it takes no block from its host twice. */
  readonly only?: readonly bigint[];
}

export const JOB_KINDS = ["pool.drain", "pool.delete", "pool.release"] as const;
export const JOB_STATES = ["running", "done", "failed", "cancelled"] as const;

/**
 * Work on a pool that takes longer than a request: a scheduled worker carries it on, slice by slice, until it is over.
 * Every step of it can be taken twice, so that a worker may be cut off anywhere and two may be at work at once.
 */
export interface Job {
  readonly space: string;
  /** Made from what is asked for: asking twice finds the same job. */
  readonly id: string;
  readonly kind: (typeof JOB_KINDS)[number];
  readonly pool: string;
  readonly poolId: string;
  /** The pool as the operator saw it: the job changes no other. */
  readonly poolRevision: string;
  /** Of a release: blocks with an address that is assigned, or cools, stay their hosts'. */
  readonly mustBeEmpty?: true;
  readonly state: (typeof JOB_STATES)[number];
  /**
   * The time when the pool served nobody any more, and every function knew it; absent until then. A release changes
   * nothing of its pool: its walk may begin at once.
   */
  readonly markedAtMs?: number;
  readonly walk?: Walk;
  /** Of the last walk that was complete. */
  readonly lastWalk?: WalkCounts;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly finishedAtMs?: number;
  /** A sentence: what it waits for, or how it ended. */
  readonly detail: string;
  readonly revision: string;
}

export const drainJobId = (poolId: string, poolRevision: string): string =>
  `drain-${poolId}-${poolRevision}`;

/** A pool is deleted once: whoever asks again finds the job. */
export const deleteJobId = (poolId: string): string => `delete-${poolId}`;

/** A pool's affinities are released as often as it is asked for, one time after the other. */
export const releaseJobId = (poolId: string, mustBeEmpty: boolean): string =>
  `release-${mustBeEmpty ? "empty-" : ""}${poolId}`;

/** May the same thing be begun again, over the job that did it, or did not? */
export function mayBeginAgain({ kind, state }: Pick<Job, "kind" | "state">): boolean {
  return state === "failed" || (kind === "pool.release" && state !== "running");
}

export const walkFrom = (beganAtMs: number): Walk => ({
  beganAtMs,
  groups: 0,
  blocks: 0,
  deleted: 0,
  taken: 0,
  cooling: 0,
});

/** The walk after one more block group. */
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

/** The walk after it passed a block group by that could not be worked on. What is in it counts as a block: nothing is proven of it. */
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
 * The walk with which a release comes back to block groups that the last one passed by; nothing where it passed none by. Where these
 * were more than it remembers, it goes through the whole pool.
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
 * From when on a walk that begins, and finds no block, proves that the pool has none and will never have one that counts:
 * nobody assigns from it any more, and if its range is to be given away, nobody has heard of it as one that serves.
 */
export function provesFromMs({ kind }: Pick<Job, "kind">, markedAtMs: number): number {
  return markedAtMs + (kind === "pool.delete" ? RANGE_RETIRED_MS_MIN : EFFECTIVE_MS_MAX);
}

/** Has this complete walk shown that the pool is empty for good? One that could not look at a block group has not. */
export function provesEmpty(
  job: Job,
  { beganAtMs, blocks, passedBy = 0, unreadable, only }: Walk,
): boolean {
  const sawAll = passedBy === 0 && unreadable === undefined && only === undefined;
  return (
    sawAll &&
    blocks === 0 &&
    job.markedAtMs !== undefined &&
    beganAtMs >= provesFromMs(job, job.markedAtMs)
  );
}

/**
 * Returns before when a job cannot end, in milliseconds since the epoch: a function may know the pool as one that serves until then.
 * Nothing where the job is over, not yet marked, or takes no addresses away.
 */
export function endsNotBeforeMs({ kind, state, markedAtMs }: Job): number | undefined {
  if (state !== "running" || kind === "pool.release" || markedAtMs === undefined) return undefined;
  return provesFromMs({ kind }, markedAtMs);
}

/** Returns what a job waits for that was marked just now, in a sentence. */
export const nobodyServed = (job: Pick<Job, "kind">, markedAtMs: number): string =>
  `The pool assigns no more addresses. ${untilKnownByNobody(job, markedAtMs)}`;

/** Returns what a job waits for, and until when where that is known, in a sentence. */
export function waitingFor(job: Pick<Job, "kind" | "markedAtMs">, walk: WalkCounts): string {
  const stuck = whatKeeps(walk);
  if (stuck !== undefined) return stuck;
  const { blocks, deleted, taken, cooling, readyAtMs } = walk;
  const addresses = (count: number) => `${count} ${count === 1 ? "address" : "addresses"}`;
  const until = readyAtMs === undefined ? "" : `, until ${formatTime(readyAtMs)}`;
  const left = blocks - deleted;
  if (taken > 0) return `Waits for ${addresses(taken)} to be released.`;
  if (cooling > 0) return `Waits for ${addresses(cooling)} to cool${until}.`;
  if (left > 0)
    return `Waits for ${left} empty ${left === 1 ? "block" : "blocks"} to reach the minimum age${until}.`;
  return untilKnownByNobody(job, job.markedAtMs ?? 0);
}

const untilKnownByNobody = (job: Pick<Job, "kind">, markedAtMs: number): string =>
  `Waits until ${formatTime(provesFromMs(job, markedAtMs))}: until then, a function may still use the pool.`;

/** Returns a sentence about what keeps a walk from being complete, if anything does. Blocks that may be in use stay. */
export function whatKeeps({ unreadable, failed }: WalkCounts): string | undefined {
  if (unreadable !== undefined) return `Waits for unreadable items: ${unreadable}.`;
  return failed === undefined ? undefined : `Retries what failed: ${failed}.`;
}
