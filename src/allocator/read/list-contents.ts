import { type Contents, together } from "../../domain/contents.ts";
import { withinSpace } from "../../domain/within-space.ts";
import type { Context } from "../core/context.ts";
import { pageBudget } from "../core/page.ts";

const ITEMS_PER_LOOK = 1_000;

/** A page of what a space has in the table. */
export interface ContentsPage {
  readonly contents: Contents;
  /** The position of the next read; absent when the whole table was read. */
  readonly next?: string;
}

/**
 * Reads a page of everything that a space has in the table, for whoever proves it as a whole. A walk over a table in use is
 * no snapshot: what is written meanwhile may be missed, and two items that changed together may come from before and after.
 *
 * @param bytesOf what some items take in the answer
 * @param bytesMax of all that is answered: as much as the largest item takes, or more
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
      // As much as one look saw is too much for one answer: it looks at fewer, and a lone item always fits.
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
