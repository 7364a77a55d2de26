import { isMet } from "./clause.ts";
import { changed, outcomeItem, queried } from "./in-memory-table.ts";
import type { Item, Key } from "./item.ts";
import type { Table } from "./table.ts";

/**
 * Returns a table that keeps its writes in memory. It judges each write as the table under it
 * would, and its reads include the kept writes. The table under it stays unchanged, so a dry run
 * takes the same steps as a real one. Scans and the index show the table under it, because no
 * request uses them.
 */
export function dryRunTable(table: Table): Table {
  /** The items after the kept writes, by partition and sort key; nothing for a deleted one. */
  const written = new Map<string, Map<string, Item | undefined>>();
  /** Returns a reader of the newest item at a key. The caller calls it after its last `await`. */
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
      // A kept write can replace any item, so the limit applies to the merged items.
      const { limit: _, ...unlimited } = options;
      const items = await table.query(pk, unlimited);
      const own = written.get(pk) ?? new Map<string, Item | undefined>();
      const untouched = items.filter(({ sk }) => !own.has(sk));
      const ours = [...own.values()].filter((item) => item !== undefined);
      return queried([...untouched, ...ours], options);
    },

    async write({ key, when, change }) {
      // Nothing waits from here on, so of two writes the second is judged by the result of the
      // first.
      const old = (await current(key))();
      if (!when.every((clause) => isMet(clause, old))) return { outcome: "lost", item: old };
      const item = changed(key, old, change);
      const partition = written.get(key.pk) ?? new Map<string, Item | undefined>();
      written.set(key.pk, partition.set(key.sk, item));
      return { outcome: "done", item: outcomeItem(key, old, item, change) };
    },
  };
}
