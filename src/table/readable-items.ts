import type { Listed, PageWanted } from "../base/listed.ts";
import { CorruptItemError } from "../base/outcome.ts";
import type { UnreadableNamed } from "../nouns/pool/configuration.ts";
import type { Item } from "./item.ts";
import { escaped, nameIn, unescaped } from "./key.ts";
import type { Table } from "./table.ts";

/** Reads items, and names the unreadable ones, so that a caller does not take them for absent. */
export function readEach<T>(of: readonly Item[], from: (item: Item) => T): Listed<T> {
  const items: T[] = [];
  const unreadable: CorruptItemError[] = [];
  for (const item of of) {
    const value = readOrNot(item, from);
    if (value instanceof CorruptItemError) unreadable.push(value);
    else items.push(value);
  }
  return { items, unreadable };
}

/** Reads items as `readEach` does, and returns each unreadable one with the name in its key. */
export function readEachByName<T>(
  of: readonly Item[],
  from: (item: Item) => T,
): { readonly items: readonly T[]; readonly unreadable: readonly UnreadableNamed[] } {
  const items: T[] = [];
  const unreadable: UnreadableNamed[] = [];
  for (const item of of) {
    const value = readOrNot(item, from);
    if (value instanceof CorruptItemError)
      unreadable.push({ name: nameIn(item), unreadable: value });
    else items.push(value);
  }
  return { items, unreadable };
}

/** Reads an item, or returns the error if it is unreadable. */
export function readOrNot<T>(item: Item, from: (item: Item) => T): T | CorruptItemError {
  try {
    return from(item);
  } catch (error) {
    if (error instanceof CorruptItemError) return error;
    throw error;
  }
}

/**
 * Returns the first `limit` items of a partition with one item for each name, or those after a
 * name. Returns the start of the next page, too.
 */
export async function pageOf(
  table: Table,
  pk: string,
  { after, limit }: PageWanted<string>,
): Promise<{ readonly items: readonly Item[]; readonly next: string | undefined }> {
  const page = { limit: limit + 1, ...(after !== undefined && { after: escaped(after) }) };
  const items = await table.query(pk, page);
  const last = items.length > limit ? items[limit - 1] : undefined;
  return { items: items.slice(0, limit), next: last && unescaped(last.sk) };
}
