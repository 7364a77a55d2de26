import { JOB_KEPT_MS, SCHEDULED_RUN_MS_MAX } from "../base/limits.ts";
import { note } from "../kernel/core/bounded-work.ts";
import type { Context } from "../kernel/core/context.ts";
import type { Job } from "../nouns/job/job.ts";
import { carryOnPool, type PoolRun } from "../nouns/pool/operations/carry-on-pool.ts";
import { emptySpace } from "../nouns/space/operations/empty-space.ts";

/** The result of a scheduled run of the worker. */
export interface Worked {
  jobs: number;
  groups: number;
  ended: number;
  /** Failures for the log; the scheduled run continued. */
  readonly failures: unknown[];
}

/**
 * Carries the running jobs on for a limited time. Each job gets a slice, in order of its last update, the oldest first.
 * As long as there is time, each gets another. A job of a pool whose walk has ended waits for the next scheduled run. A worker
 * may be interrupted at any point, and two may run at once: every step is conditional on what was read, or safe to
 * repeat.
 */
export async function runJobs(context: Context): Promise<Worked> {
  const done: Worked = { jobs: 0, groups: 0, ended: 0, failures: [] };
  const run: PoolRun = { untilMs: context.now() + SCHEDULED_RUN_MS_MAX, done, onWay: new Map() };
  const { items: jobs, unreadable } = await context.store.listJobs();
  done.failures.push(...unreadable);
  let turn: readonly Job[] = jobs.toSorted((a, b) => a.updatedAtMs - b.updatedAtMs);
  while (turn.length > 0) {
    const again: Job[] = [];
    for (const job of turn) {
      if (context.now() > run.untilMs) return done;
      // A job that fails must not keep the scheduled run from the jobs after it.
      try {
        if (job.state !== "running") await expire(context, job);
        else {
          done.jobs++;
          const after = await carryOn(context, job, run);
          if (after && after.state !== "running") done.ended++;
          else if (after && hasMore(after)) again.push(after);
        }
      } catch (error) {
        note(done.failures, error);
      }
    }
    turn = again;
  }
  return done;
}

/** Carries out one slice of a job. @returns the job after it, or nothing if another worker carries it on */
const carryOn = (context: Context, job: Job, run: PoolRun): Promise<Job | undefined> =>
  job.kind === "space.delete" ? emptySpace(context, job) : carryOnPool(context, job, run);

/** Returns true if a running job can go on at once. */
const hasMore = (job: Job): boolean =>
  job.kind === "space.delete" || job.walk?.position !== undefined;

/** Deletes a job that ended more than JOB_KEPT_MS ago. Until then callers can read how it ended. */
async function expire(context: Context, job: Job): Promise<void> {
  const overForMs = context.now() - (job.finishedAtMs ?? job.updatedAtMs);
  if (overForMs > JOB_KEPT_MS) await context.store.deleteJob("drop-job", job);
}
