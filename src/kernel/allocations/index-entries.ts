import { INDEXED_ATTRIBUTES_MAX, REQUEST_MS_MAX } from "../../base/limits.ts";
import { answer, RETRY, untilAnswered } from "../core/compare-and-swap.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import type { Allocation } from "../values/allocation.ts";
import { entriesOf, type IndexEntry } from "../values/index-entry.ts";
import { SWAP_TRIES_MAX } from "../values/limits.ts";

/**
 * Creates the index entries that an allocation lists, beside the write of the allocation and before any of its slots (I22).
 *
 * @returns the entries that are not certainly there: `ensureEntries` writes them when the allocation is
 */
export async function createEntries(
  { store }: Context,
  allocation: Allocation,
): Promise<readonly IndexEntry[]> {
  const left = await inParallel(entriesOf(allocation), INDEXED_ATTRIBUTES_MAX, async (entry) => {
    const { outcome } = await store.putIndexEntry(entry, undefined);
    return outcome === "done" ? [] : [entry];
  });
  return left.flat();
}

/**
 * Writes index entries, over those of an earlier execution or incarnation of their allocation. So nobody deletes them with what that
 * one had.
 *
 * @returns false if the outcome of one stayed unknown
 */
export async function ensureEntries(
  { store }: Context,
  entries: readonly IndexEntry[],
): Promise<boolean> {
  const written = await inParallel(entries, INDEXED_ATTRIBUTES_MAX, (entry) => {
    let seen: IndexEntry | undefined;
    const tries = { triesMax: SWAP_TRIES_MAX, exhausted: () => false };
    return untilAnswered<boolean>(tries, async () => {
      const put = await store.putIndexEntry(entry, seen);
      if (put.outcome === "done") return answer(true);
      if (put.outcome === "lost") {
        seen = put.item;
        if (seen?.revision === entry.revision) return answer(true);
      }
      return RETRY;
    });
  });
  return written.every(Boolean);
}

/**
 * Returns true if the repair run cannot have deleted entries that were written after a time, while no allocation listed them. It deletes
 * only those that are older than `GRACE_MS`.
 */
export const areEntriesYoung = ({ now }: Context, sinceMs: number): boolean =>
  now() - sinceMs <= REQUEST_MS_MAX;

/** Deletes index entries, each exactly as its author wrote it. */
export async function deleteEntries(
  { store }: Context,
  entries: readonly IndexEntry[],
): Promise<void> {
  await inParallel(entries, INDEXED_ATTRIBUTES_MAX, (entry) => store.deleteIndexEntry(entry));
}
