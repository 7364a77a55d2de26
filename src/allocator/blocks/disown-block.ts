import type { Block } from "../../domain/block.ts";
import type { Context } from "../core/context.ts";
import { retireAffinities } from "./block-affinities.ts";
import { borrowedBlockOf } from "./borrowed-block.ts";
import { claimFields } from "./claim-block.ts";

/**
 * Takes a block with taken slots from its host: the host's entry of the borrowed block → its affinities pendingDeletion → the block without a
 * host, with a new epoch, under the revision seen → the affinities deleted. What the host holds there is borrowed from then on.
 *
 * @returns whether the block is nobody's now
 */
export async function disown(context: Context, seen: Block): Promise<boolean> {
  const { store } = context;
  if (seen.host === undefined) return true;
  const retired = await retireAffinities(context, seen);
  if (!retired) return false;
  const borrowedBlock = borrowedBlockOf(context, seen.host, seen);
  let put = await store.putBorrowedBlock("disown-borrowed", borrowedBlock, undefined);
  // One that stands is written over, so that a repair run that saw it unneeded learns that it is not.
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
  for (const affinity of retired) await store.deleteAffinity("affinity-drop", affinity);
  return true;
}
