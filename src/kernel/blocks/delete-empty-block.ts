import type { Context } from "../core/context.ts";
import { giveBackBlock } from "../quotas/claim-charge.ts";
import type { Block } from "../values/block.ts";
import { confirmAffinity, markPendingDeletion } from "./block-affinities.ts";

/**
 * Deletes an empty block exactly as it was read (I6): its affinities `pendingDeletion` → the block deleted under its revision →
 * the affinities deleted. Below the store the deletion is signed first, under the same condition and without a new revision. Returns true if this call deleted it.
 */
export async function deleteEmptyBlock(context: Context, seen: Block): Promise<boolean> {
  const { store } = context;
  const marked = await markPendingDeletion(context, seen);
  if (!marked) return false;
  const deleted = await store.deleteBlock(seen);
  const gone = deleted.outcome === "lost" && !deleted.item;
  if (deleted.outcome === "done" || gone) {
    for (const affinity of marked) await store.deleteAffinity("affinity-drop", affinity);
    if (!gone) await giveBackBlock(context, seen);
    return !gone;
  }
  // An assign was faster, so the block and its affinities stay.
  if (deleted.outcome === "lost" && deleted.item?.host === seen.host)
    for (const affinity of marked) await confirmAffinity(context, "affinity-keep", affinity);
  return false;
}
