import type * as v from "valibot";
import { PROBLEMS, Problem } from "../api/schema/problem.ts";
import type { jobRead } from "../nouns/job/contract/answer.ts";
import { problemFrom, told } from "./all-or-none.ts";
import type { Plat } from "./plat.ts";

export type JobBody = v.InferOutput<typeof jobRead>;

/** Returns a handler for `catch`: the problem of a request for which a job must end first says when it may be sent again. */
export const afterJob =
  (plat: Plat, space: string) =>
  async (error: unknown): Promise<never> => {
    const problem = problemFrom(error);
    const { job: id } = problem.members;
    if (typeof id !== "string") throw problem;
    const job = await plat
      .call<JobBody>("GET /v1/jobs/{id}", { space, path: { id } })
      .catch(problemFrom);
    throw job instanceof Problem ? problem : waitsFor(job, problem, plat.now());
  };

/** Returns a problem that ends with a job, with the time after which the request can be sent again. */
export function waitsFor({ id, earliestEndAt }: JobBody, problem: Problem, nowMs: number): Problem {
  const leftMs = earliestEndAt === undefined ? 0 : Date.parse(earliestEndAt) - nowMs;
  const usual = PROBLEMS.pool_deleting.retryAfterSeconds as number;
  return told(
    problem,
    leftMs > 0
      ? `Send the request again after ${earliestEndAt}, the earliest end of the job.`
      : "Send the request again when the job is done, in about a minute.",
    {
      ...{ job: id, retryable: true },
      retryAfterSeconds: leftMs > 0 ? Math.ceil(leftMs / 1_000) : usual,
    },
  );
}
