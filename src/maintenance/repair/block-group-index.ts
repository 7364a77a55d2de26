import type { BlockGroupIndexPage } from "../../invariants/contents.ts";
import type { Context } from "../../kernel/core/context.ts";
import { isPoolGone } from "./pool-gone.ts";

/** Deletes a page of the block-group index of a pool that is gone. Returns whether it did. */
export async function repairGroupIndex(
  context: Context,
  seen: BlockGroupIndexPage,
): Promise<boolean> {
  if (!(await isPoolGone(context, seen))) return false;
  await context.store.deleteIndexPage(seen);
  return true;
}
