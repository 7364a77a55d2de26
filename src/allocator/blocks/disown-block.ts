import type { Block } from "../../domain/block.ts";
import type { Context } from "../core/context.ts";
import { retireRows } from "./block-affinities.ts";
import { loanOf } from "./borrowed-block.ts";
import { changes } from "./claim-block.ts";

/**
 * Takes a block with taken slots from its host: the host's loan row → its place rows pendingDeletion → the block without a
 * host, with a new epoch, under the revision seen → the rows deleted. What the host holds there is borrowed from then on.
 *
 * @returns whether the block is nobody's now
 */
export async function disown(context: Context, seen: Block): Promise<boolean> {
  const { store } = context;
  if (seen.host === undefined) return true;
  const retired = await retireRows(context, seen);
  if (!retired) return false;
  const loan = loanOf(context, seen.host, seen);
  let put = await store.putLoan("disown-loan", loan, undefined);
  // One that stands is written over, so that a collector that saw it unneeded learns that it is not.
  if (put.outcome === "lost" && put.item) put = await store.putLoan("disown-loan", loan, put.item);
  if (put.outcome !== "done") return false;
  const changed = await store.changeHost(
    "disown",
    seen,
    undefined,
    changes(context, seen.hostReserved),
  );
  if (changed.outcome !== "done") return false;
  for (const row of retired) await store.deleteRow("row-drop", row);
  return true;
}
