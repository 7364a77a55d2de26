import * as v from "valibot";
import type { AnswerOf } from "../../../api/http/event.ts";
import { pagedList } from "../../../api/http/named-list.ts";
import type { DryRun } from "../../../api/http/write.ts";
import { formatTime } from "../../../base/time.ts";
import type { Accepted } from "../../pool/operations/pool-jobs.ts";
import { jobOf } from "../contract/answer.ts";
import type { Job } from "../job.ts";

/**
 * Returns the answer to a started job: the URL of the job, and the time from which no request gets an address of its
 * pool. A pool that still serves has no such time, and a space neither. The answer to a dry run has the job that would start, without a URL.
 */
export function acceptedAnswer(
  { job, effectiveAtMs }: { readonly job: Job } & Partial<Pick<Accepted, "effectiveAtMs">>,
  _requestId: string,
  { dryRun }: DryRun,
): AnswerOf<
  | "DELETE /v1/pools/{name}"
  | "POST /v1/pools/{name}/drain"
  | "POST /v1/pools/{name}/release-affinities"
  | "DELETE /v1/spaces/{space}"
> {
  if (dryRun) return { status: 200, body: { job: jobOf(job), dryRun } };
  return {
    status: 202,
    location: `/v1/jobs/${job.id}`,
    body: {
      job: jobOf(job),
      ...(effectiveAtMs !== undefined && { effectiveAt: formatTime(effectiveAtMs) }),
    },
  };
}

export function jobAnswer(job: Job): AnswerOf<"GET /v1/jobs/{id}"> {
  return { status: 200, body: jobOf(job) };
}

/** Lists the jobs of a space, the oldest first. */
export const jobList = pagedList(
  "jobs",
  jobOf,
  ({ createdAtMs, id }) => `${formatTime(createdAtMs)} ${id}`,
  v.string(),
);
