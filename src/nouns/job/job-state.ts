import { assertTexts, assertTimes } from "../../base/assertions.ts";

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
export function assertJobState(job: JobState): void {
  const { space, id, revision, createdAtMs, updatedAtMs, finishedAtMs } = job;
  assertTexts({ space, id, revision });
  assertTimes(createdAtMs, updatedAtMs, finishedAtMs);
}
