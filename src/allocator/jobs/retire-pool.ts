import type { Job } from "../../domain/job.ts";
import { type Pool, poolOfId } from "../../domain/pool.ts";
import { announceChange } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { leavePlan } from "./leave-plan.ts";
import { endJob, GONE } from "./mark-pool.ts";

/**
 * The last steps of a pool that was proven empty for good. Its range leaves the plan, and from then on another pool may have it.
 * Then its item goes, and with it the name; then its map and its hint; then the job is done. A worker that is cut off between
 * any two leaves the rest to the next, which sees how far it came.
 */
export async function retirePool(context: Context, job: Job, pool: Pool): Promise<Job | undefined> {
  await leavePlan(context, job);
  await context.store.deletePool(pool);
  return settleGone(context, job);
}

/** Finishes a delete after the pool's item is gone; does nothing if that is unknown. */
export async function settleGone(context: Context, job: Job): Promise<Job | undefined> {
  const { store } = context;
  const { space, poolId } = job;
  if (poolOfId(await store.readSpace(space), poolId)) return undefined;
  await announceChange(context, space);
  for (const page of await store.listIndexPages(space, poolId)) await store.deleteIndexPage(page);
  await store.clearPoolFull("drop-pool-full", { space, poolId });
  return endJob(context, job, "done", GONE);
}
