import { UnavailableError } from "../../../base/outcome.ts";
import { answer, compareAndSwap, RETRY } from "../../../kernel/core/compare-and-swap.ts";
import { announceChange } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { fresh } from "../../../kernel/values/fresh.ts";
import { nothingAssigned, type PoolJob } from "../../job/job.ts";
import { advance, endJob } from "../../job/operations/advance-job.ts";
import { unholdPrefix } from "../../prefix/operations/child-pool.ts";
import { poolOfId } from "../configuration.ts";
import type { Pool } from "../pool.ts";

/**
 * Carries out the first step of a job: marks its pool so that it serves no request any more, and announces the change
 * to every function. The mark applies only to the revision that the operator read. A pool that has changed since then
 * ends the job. If another worker has set the mark, the job continues after it.
 *
 * @returns the job after the step, or nothing if another worker carries it on
 */
export async function markPool(context: Context, job: PoolJob): Promise<PoolJob | undefined> {
  return compareAndSwap(`the pool ${job.pool}`, async () => {
    const pool = poolOfId(await context.store.readSpace(job.space), job.poolId);
    if (!pool) return answer(await endGone(context, job));
    if (isMarked(job, pool)) {
      await announceChange(context, job.space);
      // The time is taken after a read found the mark, however late its write landed.
      const markedAtMs = context.now();
      const detail = nothingAssigned(job, markedAtMs);
      return answer(await advance(context, "mark-job", job, { markedAtMs, detail }));
    }
    if (pool.state === "deleting")
      return answer(await endJob(context, job, "cancelled", DELETED_MEANWHILE));
    if (pool.revision !== job.poolRevision)
      return answer(await endJob(context, job, "failed", CHANGED_MEANWHILE));
    if (job.kind === "pool.delete" && pool.state === "pending") {
      await deletePending(context, pool);
      return RETRY;
    }
    const step = job.kind === "pool.delete" ? "delete-mark" : "drain-mark";
    const marked = await context.store.changePool(step, pool, {
      ...pool,
      ...(job.kind === "pool.delete" ? { state: "deleting" } : { disabled: true }),
      revision: fresh(context),
    });
    // A read proves nothing while the write may still land. A later scheduled run finds the mark, or sets it.
    if (marked.outcome === "unknown")
      throw new UnavailableError("the database did not say whether the pool was marked");
    return RETRY;
  });
}

/**
 * Deletes a pool that is still pending, under the revision that was read. It need not wait, because the pool has no
 * block and never gets one: hosts claim blocks of active pools only, no pool becomes pending again, and its creator
 * activates it under this revision. The item is deleted before the range leaves the plan. Otherwise an activation in
 * between would leave a pool that serves without its range in the plan.
 */
async function deletePending(context: Context, pool: Pool): Promise<void> {
  const deleted = await context.store.deletePool(pool);
  if (deleted.outcome === "unknown")
    throw new UnavailableError("the database did not say whether the pool was deleted");
  if (deleted.outcome === "done") await unholdPrefix(context, pool);
}

/**
 * Ends a job whose pool no longer exists. A pool that was deleted while it was pending can have left its range in the
 * plan.
 */
async function endGone(context: Context, job: PoolJob): Promise<PoolJob | undefined> {
  const { space, poolId: id } = job;
  // A pending pool never had a block. One of an earlier pool of its subnet is empty, and the repair run deletes it.
  await removeFromPlan(context, { pool: { space, id }, isWhole: true });
  return endJob(context, job, "done", GONE);
}

export const GONE = "The pool is deleted; its name and its range are free.";
export const DELETED_MEANWHILE = "The pool is being deleted.";
export const ENABLED_AGAIN = "The pool was enabled again.";
const CHANGED_MEANWHILE = "The pool has changed since the operator read it.";

const isMarked = ({ kind }: PoolJob, { state, disabled }: Pool): boolean =>
  kind === "pool.delete" ? state === "deleting" : state !== "deleting" && disabled;

/** A pool that was proven unused, and whether this proved that no block of its subnet is left. */
interface Leaving {
  readonly pool: Pick<Pool, "space" | "id" | "subnetId">;
  readonly isWhole: boolean;
}

/**
 * Removes the range of a pool from the address plan, by the pool's id. An entry of another pool of the same name stays. So does the
 * last entry of a subnet whose blocks were not proven gone. The write is conditional on the plan, and thus on the other entries.
 *
 * @returns whether the pool was the last of its subnet: none joins the subnet from then on; nothing if the entry stays
 */
export async function removeFromPlan(
  context: Context,
  { pool: { space, id, subnetId }, isWhole }: Leaving,
): Promise<{ readonly isLast: boolean } | undefined> {
  return compareAndSwap<{ readonly isLast: boolean } | undefined>("the address plan", async () => {
    const plan = await context.store.readPlan(space);
    const others = plan.entries.filter((entry) => entry.id !== id);
    const isLast = !others.some((entry) => subnetId !== undefined && entry.subnetId === subnetId);
    if (others.length === plan.entries.length) return answer({ isLast });
    if (isLast && !isWhole) return answer(undefined);
    await context.store.changePlan(plan, others, fresh(context));
    // Only a plan that is read without the range proves that the range has left it.
    return RETRY;
  });
}
