import type { Job } from "../../domain/job.ts";
import { SWAP_TRIES_MAX } from "../../domain/limits.ts";
import { Contended } from "../../domain/outcome.ts";
import { type Pool, poolOfId } from "../../domain/pool.ts";
import { announceChange } from "../core/configuration.ts";
import { type Context, fresh } from "../core/context.ts";
import { endJob } from "./mark-pool.ts";

/**
 * The last steps of a pool that was proven empty for good. Its range leaves the plan, and from then on another pool may have it.
 * Then its item goes, and with it the name; then its map and its hint; then the job is done. A worker that is cut off between
 * any two leaves the rest to the next, which sees how far it came.
 */
export async function retirePool(context: Context, job: Job, pool: Pool): Promise<Job | undefined> {
  await leavePlan(context, pool);
  await context.store.deletePool(pool);
  return settleGone(context, job);
}

/** What is left to do when the pool's item is gone; nothing if nobody knows whether it is. */
export async function settleGone(context: Context, job: Job): Promise<Job | undefined> {
  const { store } = context;
  const { space, poolId } = job;
  if (poolOfId(await store.readSpace(space), poolId)) return undefined;
  await announceChange(context, space);
  for (const page of await store.listMapPages(space, poolId)) await store.deleteMapPage(page);
  await store.clearPoolFull("drop-pool-full", { space, poolId });
  return endJob(context, job, "done", "The pool is gone; its name and its range are free.");
}

/** By its id: the entry of another pool, whatever its name, is not touched. */
async function leavePlan(context: Context, { space, id }: Pool): Promise<void> {
  for (let attempt = 0; attempt < SWAP_TRIES_MAX; attempt++) {
    const plan = await context.store.readPlan(space);
    const others = plan.entries.filter((entry) => entry.id !== id);
    if (others.length === plan.entries.length) return;
    await context.store.changePlan(plan, others, fresh(context));
  }
  throw new Contended("other pools of this space are being created all the time");
}
