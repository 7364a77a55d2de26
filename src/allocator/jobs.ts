import {
  type Job,
  provesEmpty,
  type Walk,
  type WalkCounts,
  waitingFor,
  waitingToRead,
  walkFrom,
} from "../domain/job.ts";
import { JOB_CELLS_PER_PASS, JOB_KEPT_MS, PASS_MS_MAX } from "../domain/limits.ts";
import { Unreadable } from "../domain/outcome.ts";
import type { Pool } from "../domain/pool.ts";
import type { Context } from "./context.ts";
import { note } from "./failures.ts";
import { advance, DELETED_MEANWHILE, endJob, markPool, poolOfJob } from "./mark-pool.ts";
import { type CellOfPool, reclaimCell } from "./reclaim.ts";
import { releaseCell } from "./release-cell.ts";
import { retirePool, settleGone } from "./retire-pool.ts";

/** What a pass of the worker did. */
export interface Worked {
  jobs: number;
  cells: number;
  ended: number;
  /** What went wrong on the way, for the log; the pass went on. */
  readonly failures: unknown[];
}

/**
 * One bounded pass over the jobs: each that runs is carried on by a slice, the one that was left alone longest first. A
 * worker that is cut off anywhere has done no harm, and neither have two at once: every step is taken exactly as
 * something was seen, or can be taken twice.
 */
export async function runJobs(context: Context): Promise<Worked> {
  const done: Worked = { jobs: 0, cells: 0, ended: 0, failures: [] };
  const untilMs = context.now() + PASS_MS_MAX;
  const { jobs, unreadable } = await context.store.listJobs();
  done.failures.push(...unreadable);
  for (const job of jobs.toSorted((a, b) => a.updatedAtMs - b.updatedAtMs)) {
    if (context.now() > untilMs) break;
    // One job that cannot be worked on must not keep the pass from all that come after it.
    try {
      if (job.state !== "running") await expire(context, job);
      else if ((await carryOn(context, job, untilMs, done))?.state !== "running") done.ended++;
    } catch (error) {
      note(done.failures, error);
    }
  }
  return done;
}

/** A job that is over stays for a while, so that it can be read how it ended. */
async function expire(context: Context, job: Job): Promise<void> {
  const overForMs = context.now() - (job.finishedAtMs ?? job.updatedAtMs);
  if (overForMs > JOB_KEPT_MS) await context.store.deleteJob("drop-job", job);
}

/** One slice of a job; nothing if somebody else carries it on. */
async function carryOn(
  context: Context,
  seen: Job,
  untilMs: number,
  done: Worked,
): Promise<Job | undefined> {
  done.jobs++;
  const job = seen.markedAtMs === undefined ? await markPool(context, seen) : seen;
  if (job?.state !== "running") return job;
  const pool = await poolOfJob(context, job);
  if (job.kind === "pool.delete") {
    if (!pool) return settleGone(context, job);
    // Only a pool that was proven empty leaves the plan: a worker before this one was cut off after that.
    const { entries } = await context.store.readPlan(job.space);
    if (!entries.some(({ id }) => id === pool.id)) return retirePool(context, job, pool);
  } else {
    if (!pool) return endJob(context, job, "done", "The pool is gone.");
    if (pool.state === "deleting") return endJob(context, job, "cancelled", DELETED_MEANWHILE);
    if (job.kind === "pool.drain" && !pool.disabled)
      return endJob(context, job, "cancelled", "The pool was enabled again.");
  }
  return walkOn(context, job, pool, untilMs, done);
}

/** The next cells of the pool; when it has been everywhere, either the pool is empty for good or the walk begins anew. */
async function walkOn(
  context: Context,
  job: Job,
  pool: Pool,
  untilMs: number,
  done: Worked,
): Promise<Job | undefined> {
  // The map is read after the walk began: a cell that is not in it yet is entered by somebody who comes too late.
  let walk = job.walk ?? walkFrom(context.now());
  const map = await context.store.readPoolMap(pool.space, pool.id, { consistent: true });
  const ahead = [...map.cells]
    .filter((index) => walk.position === undefined || index > walk.position)
    .sort((a, b) => (a < b ? -1 : 1));
  let looked = 0;
  let unreadable: Unreadable | undefined;
  for (const index of ahead.slice(0, JOB_CELLS_PER_PASS)) {
    if (context.now() > untilMs) break;
    try {
      walk = await walkOver(context, job, { pool, index, full: map.full.has(index) }, walk, done);
    } catch (error) {
      // What was walked is kept; the next slice begins with this cell.
      note(done.failures, error);
      if (error instanceof Unreadable) unreadable = error;
      break;
    }
    looked++;
  }
  done.cells += looked;
  if (looked < ahead.length) {
    const detail = unreadable
      ? waitingToRead(unreadable.message)
      : `Is on its way through the pool; ${walk.cells} cells have been looked at.`;
    return advance(context, "walk-job", job, { walk, detail });
  }
  const { walk: _, ...rest } = job;
  const { beganAtMs: __, position: ___, ...lastWalk } = walk;
  const after: Job = { ...rest, lastWalk };
  if (job.kind === "pool.release") return endJob(context, after, "done", releasedFrom(after));
  if (!provesEmpty(job, walk))
    return advance(context, "walk-job", after, { detail: waitingFor(lastWalk) });
  return job.kind === "pool.delete"
    ? retirePool(context, after, pool)
    : endJob(context, after, "done", "No block of the pool is left.");
}

const releasedFrom = ({ mustBeEmpty }: Job): string =>
  mustBeEmpty
    ? "Every block that stood empty was taken from its host."
    : "Every block that stood was taken from its host.";

async function walkOver(
  context: Context,
  { kind, mustBeEmpty }: Job,
  cell: CellOfPool,
  walk: Walk,
  done: Worked,
): Promise<Walk> {
  if (kind === "pool.release")
    return walked(walk, cell, await releaseCell(context, cell, mustBeEmpty === true));
  const reclaimed = await reclaimCell(context, cell, walk.beganAtMs);
  done.failures.push(...reclaimed.failures);
  const [first] = reclaimed.failures;
  return walked(walk, cell, { ...reclaimed, ...(first && { unreadable: first.message }) });
}

function walked(
  walk: Walk,
  cell: CellOfPool,
  { blocks, deleted, taken, cooling, unreadable }: Omit<WalkCounts, "cells">,
): Walk {
  const reason = walk.unreadable ?? unreadable;
  return {
    beganAtMs: walk.beganAtMs,
    position: cell.index,
    cells: walk.cells + 1,
    blocks: walk.blocks + blocks,
    deleted: walk.deleted + deleted,
    taken: walk.taken + taken,
    cooling: walk.cooling + cooling,
    ...(reason !== undefined && { unreadable: reason }),
  };
}
