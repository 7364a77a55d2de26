import type { BlockGroupIndexPage } from "../../../domain/contents.ts";
import type { Context } from "../../core/context.ts";
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
