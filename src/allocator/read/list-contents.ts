import { type Contents, together } from "../../domain/contents.ts";
import { withinSpace } from "../../domain/within-space.ts";
import type { Context } from "../core/context.ts";
import { pageBudget } from "../core/page-budget.ts";

const ITEMS_PER_LOOK = 1_000;

/** A page of the items of a space. */
export interface ContentsPage {
  readonly contents: Contents;
  /** The position of the next read; absent when the whole table was read. */
  readonly next?: string;
}

/**
 * Reads a page of all items of a space, for a caller that checks the space as a whole. A walk over a table in use is no
 * snapshot. It can miss an item that is written during the walk. Of two items that change together, it can return one
 * from before and one from after.
 *
 * @param bytesOf returns the bytes of some items in the answer
 * @param bytesMax the maximum for the whole answer: at least the bytes of the largest item
 */
export async function listContents(
  context: Context,
  { space, after }: { readonly space: string; readonly after?: string | undefined },
  bytesOf: (contents: Contents) => number,
  bytesMax: number,
): Promise<ContentsPage> {
  const budget = pageBudget(context);
  const found: Contents[] = [];
  let bytes = 0;
  let items = ITEMS_PER_LOOK;
  let position = after;
  for (;;) {
    const { contents, next } = await context.store.scanPage(items, position);
    const ours = withinSpace(contents, space);
    bytes += bytesOf(ours);
    budget.look();
    if (bytes > bytesMax && found.length > 0) return pageOf(found, position);
    if (bytes > bytesMax && items > 1) {
      // One read returned more than fits into the answer, so the next one reads fewer items. A single item always fits.
      items = Math.ceil(items / 2);
      bytes = 0;
      continue;
    }
    found.push(ours);
    position = next;
    if (position === undefined || budget.isSpent) return pageOf(found, position);
  }
}

const pageOf = (found: readonly Contents[], next: string | undefined): ContentsPage => ({
  contents: together(found),
  ...(next !== undefined && { next }),
});
