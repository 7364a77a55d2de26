import type { Job } from "../../domain/job.ts";
import { type Pool, poolOfId } from "../../domain/pool.ts";
import { announceChange } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { leavePlan } from "./leave-plan.ts";
import { endJob, GONE } from "./mark-pool.ts";

/**
 * Carries out the last steps for a pool that was proven empty for good. Its range leaves the plan, and from then on
 * another pool may have it. Then its item is deleted, and with it the name. Then its block-group index and its hint are
 * deleted, and the job is done. If a worker is interrupted between two steps, the next one finds how far it came and
 * continues.
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
