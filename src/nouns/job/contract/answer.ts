import * as v from "valibot";
import { effectiveAt, next, time, unreadableItems, whole } from "../../../api/answer-parts.ts";
import { type AnswerField, schemasOf, telling, told } from "../../../api/noun.ts";
import { formatTime, type Timed, timeOrNone } from "../../../base/time.ts";
import {
  endsNotBeforeMs,
  JOB_STATES,
  type Job,
  POOL_JOB_KINDS,
  type PoolJob,
  type SpaceJob,
  type WalkCounts,
} from "../job.ts";

const counted = telling<WalkCounts>();

/** The counts of a walk. What it skipped, what failed and what it waits for is in the detail of its job. */
const WALK = {
  groups: counted(whole, ({ groups }) => groups),
  blocks: counted(whole, ({ blocks }) => blocks),
  deleted: counted(whole, ({ deleted }) => deleted),
  taken: counted(whole, ({ taken }) => taken),
  cooling: counted(whole, ({ cooling }) => cooling),
} satisfies Readonly<
  Record<
    Exclude<keyof WalkCounts, "unreadable" | "passedBy" | "failed" | "readyAtMs">,
    AnswerField<WalkCounts>
  >
>;

export const walk = v.strictObject(schemasOf(WALK));

const tell = telling<Job>();

const PROGRESS = {
  current: tell(v.optional(walk), (job) => walkOf(job, "walk")),
  last: tell(v.optional(walk), (job) => walkOf(job, "lastWalk")),
  removed: tell(
    v.optional(
      v.pipe(whole, v.description("For the deletion of a space: the items that it has removed")),
    ),
    (job) => (job.kind === "space.delete" ? job.removed : undefined),
  ),
};

const walkOf = (job: Job, which: "walk" | "lastWalk") => {
  const counts = job.kind === "space.delete" ? undefined : job[which];
  return counts && told(WALK, counts);
};

/** The fields of a job, without what it needs to go on. */
const WHOLE = {
  id: tell(v.string(), ({ id }) => id),
  space: tell(v.string(), ({ space }) => space),
  kind: tell(v.picklist([...POOL_JOB_KINDS, "space.delete"]), ({ kind }) => kind),
  pool: tell(
    v.optional(
      v.pipe(
        v.string(),
        v.description("The pool that the job works on; absent for a job of a space"),
      ),
    ),
    (job) => (job.kind === "space.delete" ? undefined : job.pool),
  ),
  mustBeEmpty: tell(v.optional(v.literal(true)), (job) =>
    job.kind === "pool.release" ? job.mustBeEmpty : undefined,
  ),
  state: tell(v.picklist(JOB_STATES), ({ state }) => state),
  detail: tell(v.string(), ({ detail }) => detail),
  progress: tell(v.strictObject(schemasOf(PROGRESS)), (job) => told(PROGRESS, job)),
  createdAt: tell(time, ({ createdAtMs }) => formatTime(createdAtMs)),
  updatedAt: tell(time, ({ updatedAtMs }) => formatTime(updatedAtMs)),
  earliestEndAt: tell(
    v.optional(
      v.pipe(
        time,
        v.description(
          "For a running drain, delete or shrink: the earliest end, because a function may still use the pool until then",
        ),
      ),
    ),
    (job) => (job.kind === "space.delete" ? undefined : timeOrNone(endsNotBeforeMs(job))),
  ),
  finishedAt: tell(v.optional(time), ({ finishedAtMs }) => timeOrNone(finishedAtMs)),
} satisfies Readonly<
  Record<
    | Exclude<
        keyof Timed<PoolJob> | keyof Timed<SpaceJob>,
        | ("poolId" | "poolRevision" | "walk" | "lastWalk" | "markedAt" | "revision")
        | ("spaceRevision" | "stamp" | "removed")
      >
    | "progress"
    | "earliestEndAt",
    AnswerField<Job>
  >
>;

/** Returns a job as answers write it. */
export const jobOf = (job: Job) => told(WHOLE, job);

export const jobRead = v.strictObject(schemasOf(WHOLE));

export const jobsRead = v.strictObject({
  jobs: v.array(jobRead),
  unreadable: unreadableItems,
  next,
});

export const jobBegun = v.strictObject({ job: jobRead, effectiveAt: v.optional(effectiveAt) });

export const jobDryRun = v.strictObject({ job: jobRead, dryRun: v.literal(true) });
