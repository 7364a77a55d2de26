import { answer, compareAndSwap, RETRY } from "../../../kernel/core/compare-and-swap.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { knownOutcome } from "../../../kernel/core/written.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import type { Pool } from "../../pool/pool.ts";
import { type Job, mayBeginAgain, shrinkJobId } from "../job.ts";

/**
 * Returns the job under its id. An existing job is kept unless it may begin again. A job that a worker deletes meanwhile is created
 * anew.
 */
export async function beginJob<Kind extends Job>(context: Context, wanted: Kind): Promise<Kind> {
  return compareAndSwap(`the job ${wanted.id}`, async () => {
    const { item: there } = await knownOutcome(context.store.createJob(wanted));
    if (there && !mayBeginAgain(there, wanted)) return answer(there);
    const begun =
      there && (await knownOutcome(context.store.changeJob("begin-job", there, wanted))).item;
    return begun ? answer(begun) : RETRY;
  });
}

/**
 * Makes sure that a job frees what a pool keeps outside of its set. The pool was changed first, and the job is written then. So a
 * worker that found nothing to do before the change cannot end this job.
 */
export async function beginShrink(context: Context, pool: Pool): Promise<Job> {
  const nowMs = context.now();
  return beginJob(context, {
    space: pool.space,
    id: shrinkJobId(pool.id),
    kind: "pool.shrink",
    pool: pool.name,
    poolId: pool.id,
    poolRevision: pool.revision,
    state: "running",
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    detail: "The job will free what was taken out of the pool.",
    revision: fresh(context),
  });
}
