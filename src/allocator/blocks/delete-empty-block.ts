import type { Block } from "../../domain/block.ts";
import type { Context } from "../core/context.ts";
import { confirmRow, retireRows } from "./block-affinities.ts";

/**
 * Gives an empty block up, exactly as it was seen (I6): its rows `pendingDeletion` → the block deleted under its revision →
 * the rows deleted. Answers whether this call deleted it.
 */
export async function giveUpBlock(context: Context, seen: Block): Promise<boolean> {
  const { store } = context;
  const retired = await retireRows(context, seen);
  if (!retired) return false;
  const deleted = await store.deleteBlock(seen);
  const gone = deleted.outcome === "lost" && !deleted.item;
  if (deleted.outcome === "done" || gone) {
    for (const row of retired) await store.deleteRow("row-drop", row);
    return !gone;
  }
  // An assign was faster: its block stays, and so do its rows.
  if (deleted.outcome === "lost" && deleted.item?.host === seen.host)
    for (const row of retired) await confirmRow(context, "row-keep", row);
  return false;
}
