import { announceChange } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import { nothingAssigned, type PoolJob } from "../../job/job.ts";
import { advance, endJob } from "../../job/operations/advance-job.ts";
import type { Pool } from "../pool.ts";
import { isShrinking } from "../set.ts";

/**
 * Carries out the first step of a shrink for the revision of the pool that was read: the change is announced, and the time counts from
 * then, however late the write of the pool landed. A pool that has changed since the last mark is marked again, because it may have
 * lost more addresses.
 *
 * @returns nothing if the job is marked and its walk can begin; otherwise the job after this step, or nothing in it if another worker
 *   carries it on
 */
export async function markShrink(
  context: Context,
  job: PoolJob,
  pool: Pool,
): Promise<{ readonly job: PoolJob | undefined } | undefined> {
  if (!isShrinking(pool)) return { job: await endJob(context, job, "done", FREED) };
  if (job.markedAtMs !== undefined && pool.revision === job.poolRevision) return undefined;
  await announceChange(context, job.space);
  const { walk: _, ...unbegun } = job;
  const markedAtMs = context.now();
  const marked = { poolRevision: pool.revision, markedAtMs };
  const detail = nothingAssigned(job, markedAtMs);
  return { job: await advance(context, "mark-job", unbegun, { ...marked, detail }) };
}

/**
 * Frees what a pool keeps outside of its set, after a walk has proven it unused: from then on another pool can have it. What an
 * interrupted change was about to add goes too: a change that is still under way loses its condition, and begins anew.
 *
 * @returns the job, which has ended if the pool did not change meanwhile; nothing if another worker carries it on
 */
export async function freeRetiring(
  context: Context,
  job: PoolJob,
  pool: Pool,
): Promise<PoolJob | undefined> {
  const { adding: _, retiring: __, ...rest } = pool;
  const next: Pool = { ...rest, revision: fresh(context) };
  const changed = await context.store.changePool("shrink-pool", pool, next);
  return changed.outcome === "done"
    ? endJob(context, job, "done", FREED)
    : advance(context, "walk-job", job, { detail: "The pool has changed; the job looks again." });
}

const FREED = "What was taken out of the pool is free for other pools.";
