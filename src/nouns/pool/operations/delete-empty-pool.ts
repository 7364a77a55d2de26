import { announceChange } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import type { PoolJob } from "../../job/job.ts";
import { endJob } from "../../job/operations/advance-job.ts";
import { unholdPrefix } from "../../prefix/operations/child-pool.ts";
import { poolOfId } from "../configuration.ts";
import { isRanged, type Pool, subnetIdOf } from "../pool.ts";
import { poolsOfSubnet } from "../subnet.ts";
import { GONE, removeFromPlan } from "./mark-pool.ts";

/**
 * Carries out the last steps for a pool that was proven empty for good. Its range leaves the plan, and from then on
 * another pool may have it. The prefix that it was made of can be released. Deleting the last pool of a subnet also deletes its index. Then the pool's item is deleted, and with
 * it the name and its addresses. Then its block-group index and its hints are deleted, and the job is done. If a worker is
 * interrupted between two steps, the next one finds how far it came and continues.
 *
 * @returns the job; or nothing if the pool became the last one of its subnet, and blocks of it may be left
 */
export async function deleteEmptyPool(
  context: Context,
  job: PoolJob,
  { pool, isWhole }: { readonly pool: Pool; readonly isWhole: boolean },
): Promise<PoolJob | undefined> {
  const left = await removeFromPlan(context, { pool, isWhole });
  if (!left) return undefined;
  await unholdPrefix(context, pool);
  if (left.isLast && isRanged(pool)) await deleteIndex(context, pool.space, subnetIdOf(pool));
  await context.store.deletePool(pool);
  return endPoolDeletion(context, job);
}

async function deleteIndex({ store }: Context, space: string, subnetId: string): Promise<void> {
  for (const page of await store.listIndexPages(space, subnetId)) await store.deleteIndexPage(page);
}

/** Finishes a delete after the pool's item is gone; does nothing if that is unknown. */
export async function endPoolDeletion(
  context: Context,
  job: PoolJob,
): Promise<PoolJob | undefined> {
  const { store } = context;
  const { space, poolId } = job;
  const configuration = await store.readSpace(space);
  if (poolOfId(configuration, poolId)) return undefined;
  await announceChange(context, space);
  // Other pools of the subnet to which this one gave its id still use the index.
  if (poolsOfSubnet(configuration, poolId).length === 0) await deleteIndex(context, space, poolId);
  await store.clearPoolFull("drop-pool-full", { space, poolId });
  for (const page of await store.listLending(space, poolId))
    await store.deleteLending("drop-lending", page);
  return endJob(context, job, "done", GONE);
}
