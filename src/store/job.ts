import {
  assertJob,
  type Job,
  POOL_JOB_KINDS,
  type PoolJob,
  type Walk,
  type WalkCounts,
} from "../domain/job.ts";
import { JOB_STATES, type JobState } from "../domain/job-state.ts";
import type { Listed } from "../domain/listed.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { SpaceJob } from "../domain/space-job.ts";
import { idOf, listOf, mapOf, numberOf, oneOf, textOf } from "./attribute.ts";
import { reading } from "./format.ts";
import type { Item } from "./item.ts";
import { JOBS_PK, jobKey, jobPrefix, unescaped } from "./key.ts";
import { readEach } from "./readable-items.ts";
import { revised } from "./revised-writes.ts";
import type { Table } from "./table.ts";

/**
 * The calls for jobs: work that takes longer than a request. Each method is one call to the
 * database.
 */
export function jobItems(table: Table) {
  const jobs = revised(table, itemFrom, jobFrom);
  return {
    /**
     * Returns the jobs of one space, or of all. The answer names unreadable jobs beside the others.
     */
    async listJobs(space?: string): Promise<Listed<Job>> {
      const options = space === undefined ? {} : { prefix: jobPrefix(space) };
      return readEach(await table.query(JOBS_PK, options), jobFrom);
    },

    async readJob(space: string, id: string): Promise<Job | undefined> {
      const item = await table.get(jobKey(space, id));
      return item && jobFrom(item);
    },

    // The id of a job tells its kind, so that an item under the key of a job is of the job's kind.
    createJob: <Kind extends Job>(job: Kind) =>
      jobs.create("create-job", "job-absent", job) as Promise<Outcome<Kind>>,

    /** Changes a job if its revision is the one seen. `step` names the step of the protocol. */
    changeJob: <Kind extends Job>(step: string, seen: Kind, next: Kind) =>
      jobs.change(step, seen, next) as Promise<Outcome<Kind>>,
    deleteJob: jobs.remove,
  };
}

function itemFrom(job: Job): Item {
  assertJob(job);
  return {
    ...jobKey(job.space, job.id),
    kind: job.kind,
    ...(job.kind === "space.delete" ? spaceJobItem(job) : poolJobItem(job)),
    state: job.state,
    ...(job.markedAtMs !== undefined && { markedAt: job.markedAtMs }),
    createdAt: job.createdAtMs,
    updatedAt: job.updatedAtMs,
    ...(job.finishedAtMs !== undefined && { finishedAt: job.finishedAtMs }),
    detail: job.detail,
    revision: job.revision,
  };
}

const poolJobItem = ({ pool, poolId, poolRevision, mustBeEmpty, walk, lastWalk }: PoolJob) => ({
  pool,
  poolId,
  poolRevision,
  ...(mustBeEmpty && { mustBeEmpty }),
  ...(walk && { walk: walkItem(walk) }),
  ...(lastWalk && { lastWalk: { ...lastWalk } }),
});

const spaceJobItem = ({ spaceRevision, stamp, removed }: SpaceJob) => ({
  spaceRevision,
  stamp,
  removed,
});

/**
 * Returns the item of a walk. The index of a block group is a text there, because it has up to 122
 * bits, more than a number holds.
 */
const walkItem = ({ position, beganAtMs, toComeBackTo, only, ...counts }: Walk) => ({
  ...counts,
  beganAt: beganAtMs,
  ...(position !== undefined && { position: String(position) }),
  ...(toComeBackTo && { toComeBackTo: toComeBackTo.map(String) }),
  ...(only && { only: only.map(String) }),
});

export const jobFrom = reading((item: Item): Job => {
  const [space, id] = item.sk.split("#").map(unescaped);
  const state: JobState & Pick<Job, "markedAtMs"> = {
    space: space as string,
    id: id as string,
    state: oneOf(item, "state", JOB_STATES),
    ...(item.markedAt !== undefined && { markedAtMs: numberOf(item, "markedAt") }),
    createdAtMs: numberOf(item, "createdAt"),
    updatedAtMs: numberOf(item, "updatedAt"),
    ...(item.finishedAt !== undefined && { finishedAtMs: numberOf(item, "finishedAt") }),
    detail: textOf(item, "detail"),
    revision: idOf(item, "revision"),
  };
  const kind = oneOf(item, "kind", [...POOL_JOB_KINDS, "space.delete"]);
  return kind === "space.delete"
    ? { ...state, kind, ...ofSpaceJob(item) }
    : { ...state, kind, ...ofPoolJob(item) };
}, assertJob);

const ofSpaceJob = (item: Item) => ({
  spaceRevision: idOf(item, "spaceRevision"),
  stamp: idOf(item, "stamp"),
  removed: numberOf(item, "removed"),
});

const ofPoolJob = (item: Item) => ({
  pool: textOf(item, "pool"),
  poolId: idOf(item, "poolId"),
  poolRevision: idOf(item, "poolRevision"),
  ...(item.mustBeEmpty === true && { mustBeEmpty: true as const }),
  ...(item.walk !== undefined && { walk: walkFrom(mapOf(item, "walk")) }),
  ...(item.lastWalk !== undefined && { lastWalk: countsFrom(mapOf(item, "lastWalk")) }),
});

type Attributes = ReturnType<typeof mapOf>;

const walkFrom = (walk: Attributes): Walk => ({
  ...countsFrom(walk),
  beganAtMs: numberOf(walk, "beganAt"),
  ...(walk.isWhole === true && { isWhole: true }),
  ...(walk.position !== undefined && { position: BigInt(textOf(walk, "position")) }),
  ...(walk.toComeBackTo !== undefined && { toComeBackTo: groupsOf(walk, "toComeBackTo") }),
  ...(walk.only !== undefined && { only: groupsOf(walk, "only") }),
});

const groupsOf = (walk: Attributes, name: string): readonly bigint[] =>
  listOf(walk, name).map((group) => BigInt(group as string));

const countsFrom = (walk: Attributes): WalkCounts => ({
  groups: numberOf(walk, "groups"),
  blocks: numberOf(walk, "blocks"),
  deleted: numberOf(walk, "deleted"),
  taken: numberOf(walk, "taken"),
  cooling: numberOf(walk, "cooling"),
  ...(walk.unreadable !== undefined && { unreadable: textOf(walk, "unreadable") }),
  ...(walk.passedBy !== undefined && { passedBy: numberOf(walk, "passedBy") }),
  ...(walk.failed !== undefined && { failed: textOf(walk, "failed") }),
  ...(walk.readyAtMs !== undefined && { readyAtMs: numberOf(walk, "readyAtMs") }),
});
