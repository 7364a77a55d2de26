import { holds } from "./clause.ts";
import { changed, queried } from "./in-memory-table.ts";
import type { Item, Key } from "./item.ts";
import type { Table } from "./table.ts";

/**
 * A table that keeps its writes to itself: each is judged as the table under it would judge it, its author reads what it
 * wrote, and nothing is written. What runs over it does all that it would do, so a dry run is the real walk. Scans and the
 * index, which no request uses, show the table as it is.
 */
export function dryRunTable(table: Table): Table {
  /** The items as they would be written, by partition and sort key; nothing for a deleted one. */
  const written = new Map<string, Map<string, Item | undefined>>();
  /** Returns a reader of the newest item at a key, to call after all waiting. */
  const current = async ({ pk, sk }: Key): Promise<() => Item | undefined> => {
    const isWritten = () => written.get(pk)?.has(sk) ?? false;
    const underneath = isWritten() ? undefined : await table.get({ pk, sk });
    return () => (isWritten() ? written.get(pk)?.get(sk) : underneath);
  };

  return {
    get: async (key) => (await current(key))(),
    scan: (limit, options) => table.scan(limit, options),
    due: (shard, options) => table.due(shard, options),

    async query(pk, options = {}) {
      // What was written may take the place of any item, so the limit is for what is left in the end.
      const { limit: _, ...unlimited } = options;
      const items = await table.query(pk, unlimited);
      const own = written.get(pk) ?? new Map<string, Item | undefined>();
      const untouched = items.filter(({ sk }) => !own.has(sk));
      const ours = [...own.values()].filter((item) => item !== undefined);
      return queried([...untouched, ...ours], options);
    },

    async write({ key, when, change }) {
      // From here on nothing waits, so that of two writes the second is judged by what the first left.
      const old = (await current(key))();
      if (!when.every((clause) => holds(clause, old))) return { outcome: "lost", item: old };
      const item = changed(key, old, change);
      const partition = written.get(key.pk) ?? new Map<string, Item | undefined>();
      written.set(key.pk, partition.set(key.sk, item));
      return { outcome: "done", item: item ?? { ...key } };
    },
  };
}
