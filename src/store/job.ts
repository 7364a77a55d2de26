import type { Job, Walk, WalkCounts } from "../domain/job.ts";
import { JOBS_PK, jobKey, jobPrefix, unescaped } from "./key.ts";
import { revised } from "./revised.ts";
import type { Item, Table } from "./table.ts";

/** Jobs: work that takes longer than a request. Each method is one call. */
export function jobItems(table: Table) {
  const jobs = revised(table, itemFrom, jobFrom);
  return {
    /** Of one space, or of all. */
    async listJobs(space?: string): Promise<readonly Job[]> {
      const options = space === undefined ? {} : { prefix: jobPrefix(space) };
      return (await table.query(JOBS_PK, options)).map(jobFrom);
    },

    async readJob(space: string, id: string): Promise<Job | undefined> {
      const item = await table.get(jobKey(space, id));
      return item && jobFrom(item);
    },

    createJob: (job: Job) => jobs.create("create-job", "job-absent", job),

    /** Changes a job exactly as it was seen; `step` names the act. */
    changeJob: jobs.change,
    deleteJob: jobs.remove,
  };
}

function itemFrom(job: Job): Item {
  return {
    ...jobKey(job.space, job.id),
    kind: job.kind,
    pool: job.pool,
    poolId: job.poolId,
    poolRevision: job.poolRevision,
    ...(job.mustBeEmpty && { mustBeEmpty: true }),
    state: job.state,
    ...(job.markedAtMs !== undefined && { markedAt: job.markedAtMs }),
    ...(job.walk && { walk: walkItem(job.walk) }),
    ...(job.lastWalk && { lastWalk: { ...job.lastWalk } }),
    createdAt: job.createdAtMs,
    updatedAt: job.updatedAtMs,
    ...(job.finishedAtMs !== undefined && { finishedAt: job.finishedAtMs }),
    detail: job.detail,
    revision: job.revision,
  };
}

/** The index of a cell has up to 122 bits, more than a number holds. */
const walkItem = ({ position, beganAtMs, ...counts }: Walk) => ({
  ...counts,
  beganAt: beganAtMs,
  ...(position !== undefined && { position: String(position) }),
});

export function jobFrom(item: Item): Job {
  const [space, id] = item.sk.split("#").map(unescaped);
  return {
    space: space as string,
    id: id as string,
    kind: item.kind as Job["kind"],
    pool: item.pool as string,
    poolId: item.poolId as string,
    poolRevision: item.poolRevision as string,
    ...(item.mustBeEmpty === true && { mustBeEmpty: true }),
    state: item.state as Job["state"],
    ...(item.markedAt !== undefined && { markedAtMs: item.markedAt as number }),
    ...(item.walk !== undefined && { walk: walkFrom(item.walk as WalkItem) }),
    ...(item.lastWalk !== undefined && { lastWalk: item.lastWalk as unknown as WalkCounts }),
    createdAtMs: item.createdAt as number,
    updatedAtMs: item.updatedAt as number,
    ...(item.finishedAt !== undefined && { finishedAtMs: item.finishedAt as number }),
    detail: item.detail as string,
    revision: item.revision as string,
  };
}

type WalkItem = ReturnType<typeof walkItem>;

const walkFrom = ({ beganAt, position, ...counts }: WalkItem): Walk => ({
  ...counts,
  beganAtMs: beganAt,
  ...(position !== undefined && { position: BigInt(position) }),
});
