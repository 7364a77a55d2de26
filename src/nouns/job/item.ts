import type { Listed } from "../../base/listed.ts";
import type { Outcome } from "../../base/outcome.ts";
import {
  type Codec,
  codec,
  type Forms,
  id,
  list,
  mark,
  number,
  optional,
  record,
  revised,
  text,
  textAmong,
  under,
  via,
} from "../../table/codec.ts";
import { readEach } from "../../table/format.ts";
import type { Key } from "../../table/item.ts";
import { JOBS_PK, jobKey, jobPrefix, partsOf } from "../../table/key.ts";
import type { Table } from "../../table/table.ts";
import {
  assertJob,
  JOB_STATES,
  type Job,
  type JobState,
  POOL_JOB_KINDS,
  type PoolJob,
  type SpaceJob,
  type Walk,
  type WalkCounts,
} from "./job.ts";

/**
 * The calls for jobs: work that takes longer than a request. Each method is one call to the
 * database.
 */
export function jobItems(table: Table) {
  const jobs = revised(table, JOB);
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

/** The fields that every job has, beside those in its key. */
const STATE = {
  state: textAmong(JOB_STATES),
  markedAtMs: under("markedAt", optional(number)),
  createdAtMs: under("createdAt", number),
  updatedAtMs: under("updatedAt", number),
  finishedAtMs: under("finishedAt", optional(number)),
  detail: text,
  revision: id,
} satisfies Forms<Omit<Pick<Job, keyof JobState | "markedAtMs">, "space" | "id">>;

const COUNTS = {
  groups: number,
  blocks: number,
  deleted: number,
  taken: number,
  cooling: number,
  unreadable: optional(text),
  passedBy: optional(number),
  failed: optional(text),
  readyAtMs: optional(number),
} satisfies Forms<WalkCounts>;

/** The index of a block group, as a text: it has up to 122 bits, more than a number holds. */
const group = via(text, String, BigInt);

const key = ({ space, id }: Pick<Job, "space" | "id">) => jobKey(space, id);
const named = ({ sk }: Key) => {
  const [space = "", id = ""] = partsOf(sk);
  return { space, id };
};

const POOL_JOB = codec<PoolJob, "space" | "id">({
  key,
  named,
  attributes: {
    ...STATE,
    kind: textAmong(POOL_JOB_KINDS),
    pool: text,
    poolId: id,
    poolRevision: id,
    mustBeEmpty: optional(mark),
    walk: optional(
      record<Walk>({
        ...COUNTS,
        beganAtMs: under("beganAt", number),
        isWhole: optional(mark),
        position: optional(group),
        toComeBackTo: optional(list(group)),
        only: optional(list(group)),
      }),
    ),
    lastWalk: optional(record<WalkCounts>(COUNTS)),
  },
  assert: assertJob,
});

const SPACE_JOB = codec<SpaceJob, "space" | "id">({
  key,
  named,
  attributes: {
    ...STATE,
    kind: textAmong(["space.delete"]),
    spaceRevision: id,
    stamp: id,
    removed: number,
  },
  assert: assertJob,
});

const JOB: Codec<Job> = {
  key,
  item: (job) => (job.kind === "space.delete" ? SPACE_JOB.item(job) : POOL_JOB.item(job)),
  from: (item) => (item.kind === "space.delete" ? SPACE_JOB : POOL_JOB).from(item),
};
export const jobFrom = JOB.from;
