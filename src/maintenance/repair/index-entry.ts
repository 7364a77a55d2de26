import { GRACE_MS } from "../../base/limits.ts";
import { same } from "../../base/same.ts";
import { deleteEntries, ensureEntries } from "../../kernel/allocations/index-entries.ts";
import { configurationOf } from "../../kernel/core/configuration.ts";
import type { Context } from "../../kernel/core/context.ts";
import { type Allocation, isHolding, isOver } from "../../kernel/values/allocation.ts";
import { fresh } from "../../kernel/values/fresh.ts";
import {
  entriesOf,
  type IndexEntry,
  indexedIn,
  nameOfEntry,
} from "../../kernel/values/index-entry.ts";

/**
 * Enters an allocation in the indexes of its space, and takes it out of those that are no longer set. Writes an entry again that was lost.
 *
 * @param seen eventually consistent; a change is conditional on its revision
 * @returns false if it may still lack an entry
 */
export async function repairIndexed(context: Context, seen: Allocation): Promise<boolean> {
  if (isOver(seen) || seen.state === "aborted") return true;
  const { store } = context;
  const { indexes } = await configurationOf(context, seen.place.space);
  const attributes = indexedIn(indexes, seen.attributes);
  // Its author may still be at work, and writes the entries that it lists.
  const isYoung = context.now() - seen.atMs <= GRACE_MS || !isHolding(seen);
  const listed = seen.indexed?.attributes ?? [];
  if (same(attributes.toSorted(), listed.toSorted())) return isYoung || enterAgain(context, seen);
  if (isYoung) return false;
  const { indexed: _, ...rest } = seen;
  const revision = fresh(context);
  const next: Allocation = {
    ...rest,
    ...(attributes.length > 0 && { indexed: { attributes, revision } }),
    revision,
  };
  // The allocation lists the entries first, so that no walk deletes them meanwhile.
  const changed = await store.changeAllocation("reindex", seen, next);
  if (changed.outcome !== "done") return false;
  const entries = entriesOf(next);
  if (!(await ensureEntries(context, entries))) return false;
  const kept = new Set(entries.map(nameOfEntry));
  const ended = entriesOf(seen).filter((entry) => !kept.has(nameOfEntry(entry)));
  await deleteEntries(context, ended);
  return true;
}

/** Writes the entries of an allocation that are not there. A release that is under way can leave one of them, and the walk finds it. */
async function enterAgain(context: Context, seen: Allocation): Promise<boolean> {
  const missing: IndexEntry[] = [];
  for (const entry of entriesOf(seen))
    if (!(await context.store.readIndexEntry(entry))) missing.push(entry);
  return ensureEntries(context, missing);
}

/**
 * Deletes an entry whose allocation is gone, is over, or does not list its value.
 *
 * @returns whether it was deleted
 */
export async function repairIndexEntry(context: Context, seen: IndexEntry): Promise<boolean> {
  // An author writes its allocation beside the entry, and takes nothing if that was too late (`areEntriesYoung`).
  if (context.now() - seen.atMs <= GRACE_MS) return false;
  const allocation = await context.store.readAllocation(seen.place);
  const isListed =
    allocation &&
    !isOver(allocation) &&
    allocation.state !== "aborted" &&
    entriesOf(allocation).some((entry) => nameOfEntry(entry) === nameOfEntry(seen));
  if (isListed) return false;
  await context.store.deleteIndexEntry(seen);
  return true;
}
