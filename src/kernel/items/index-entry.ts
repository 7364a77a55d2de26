import type { ListedPage, PageWanted } from "../../base/listed.ts";
import { codec, id, number, revised, under } from "../../table/codec.ts";
import { readEach } from "../../table/format.ts";
import { indexEntryKey, indexPk, partsOf, placeOfEntry } from "../../table/key.ts";
import type { Table } from "../../table/table.ts";
import type { AllocationPlace } from "../values/allocation-place.ts";
import { assertIndexEntry, type IndexEntry, type IndexedValue } from "../values/index-entry.ts";

/** The calls for the entries of attribute indexes. Each method is one call to the database. */
export function indexEntryItems(table: Table) {
  const entries = revised(table, INDEX_ENTRY);
  return {
    /** Returns an entry, eventually consistent. */
    async readIndexEntry(entry: IndexEntry): Promise<IndexEntry | undefined> {
      const item = await table.get(indexEntryKey(entry), { consistent: false });
      return item && indexEntryFrom(item);
    },

    /**
     * Returns the first `limit` entries of a value in a shard, or those after one of them, and the start of the next page.
     */
    async listIndexEntries(
      value: IndexedValue,
      shard: number,
      { after, limit }: PageWanted<AllocationPlace>,
    ): Promise<ListedPage<IndexEntry, AllocationPlace>> {
      const from = after && { after: indexEntryKey({ ...value, place: after }).sk };
      const items = await table.query(indexPk(value, shard), { limit, ...from });
      const last = items.length === limit ? items.at(-1) : undefined;
      return { ...readEach(items, indexEntryFrom), ...(last && { next: placeOfEntry(last) }) };
    },

    /** Creates an entry, or replaces the one seen. */
    putIndexEntry: (entry: IndexEntry, seen: IndexEntry | undefined) =>
      seen
        ? entries.change("index-entry-over", seen, entry)
        : entries.create("index-entry", "index-entry-absent", entry),

    deleteIndexEntry: (seen: IndexEntry) => entries.remove("index-entry-drop", seen),
  };
}

const INDEX_ENTRY = codec<IndexEntry, keyof IndexedValue | "place">({
  key: indexEntryKey,
  named: (key) => {
    const [, space = "", attribute = "", valueHash = ""] = partsOf(key.pk);
    return { space, attribute, valueHash, place: placeOfEntry(key) };
  },
  attributes: { revision: id, atMs: under("at", number) },
  assert: assertIndexEntry,
});
export const indexEntryFrom = INDEX_ENTRY.from;
