import type { Context } from "../core/context.ts";
import type { Block } from "../values/block.ts";
import { markPendingDeletion } from "./block-affinities.ts";
import { borrowedBlockOf } from "./borrowed-block.ts";
import { claimFields } from "./claim-block.ts";

/**
 * Takes a block with taken slots from its host: a borrowed-block entry of the host → its affinities `pendingDeletion` → the block
 * without a host, with a new epoch, under the revision that was read → the affinities deleted. The host's slots there are borrowed
 * from then on.
 *
 * @returns true if the block has no host now
 */
export async function disown(context: Context, seen: Block): Promise<boolean> {
  const { store } = context;
  if (seen.host === undefined) return true;
  const marked = await markPendingDeletion(context, seen);
  if (!marked) return false;
  const borrowedBlock = borrowedBlockOf(context, seen.host, seen);
  let put = await store.putBorrowedBlock("disown-borrowed", borrowedBlock, undefined);
  // An existing entry is replaced, so that a repair run that read it as unneeded fails to delete it.
  if (put.outcome === "lost" && put.item)
    put = await store.putBorrowedBlock("disown-borrowed", borrowedBlock, put.item);
  if (put.outcome !== "done") return false;
  const changed = await store.changeHost(
    "disown",
    seen,
    undefined,
    claimFields(context, seen.hostReserved),
  );
  if (changed.outcome !== "done") return false;
  for (const affinity of marked) await store.deleteAffinity("affinity-drop", affinity);
  return true;
}
