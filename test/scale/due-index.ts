import { TABLE } from "../../src/table/definition.ts";
import type { Item } from "../../src/table/item.ts";
import type { DueKey, DueOptions } from "../../src/table/table.ts";

/**
 * The sparse index of due items. Each shard is in the order of time, then of keys, so that a read
 * neither filters nor sorts.
 */
export class DueIndex {
  readonly #shards = new Map<string, DueKey[]>();

  /** Updates the index after a change of an item. */
  change(before: Item | undefined, after: Item | undefined): void {
    const [old, next] = [entryOf(before), entryOf(after)];
    if (old && next && old.shard === next.shard && compare(old.entry, next.entry) === 0) return;
    if (old) this.#shards.get(old.shard)?.splice(this.#place(old.shard, old.entry), 1);
    if (!next) return;
    const shard = this.#shards.get(next.shard);
    if (shard) shard.splice(this.#place(next.shard, next.entry), 0, next.entry);
    else this.#shards.set(next.shard, [next.entry]);
  }

  /** Returns the first due entries of a shard, or those after one, in order. */
  due(shard: string, { untilMs, limit, after }: DueOptions): readonly DueKey[] {
    const entries = this.#shards.get(shard) ?? [];
    let from = after ? this.#place(shard, after) : 0;
    const there = entries[from];
    if (after && there && compare(there, after) === 0) from++;
    return entries.slice(from, from + limit).filter(({ dueAtMs }) => dueAtMs <= untilMs);
  }

  /** Returns the place of an entry, present or not. */
  #place(shard: string, entry: DueKey): number {
    const entries = this.#shards.get(shard) ?? [];
    let [from, to] = [0, entries.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (compare(entries[middle] as DueKey, entry) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

function entryOf(item: Item | undefined) {
  const { partitionKey, sortKey } = TABLE.dueIndex;
  const shard = item?.[partitionKey];
  const dueAtMs = item?.[sortKey];
  if (!item || typeof shard !== "string" || typeof dueAtMs !== "number") return undefined;
  return { shard, entry: { dueAtMs, pk: item.pk, sk: item.sk } };
}

function compare(a: DueKey, b: DueKey): number {
  if (a.dueAtMs !== b.dueAtMs) return a.dueAtMs - b.dueAtMs;
  if (a.pk !== b.pk) return a.pk < b.pk ? -1 : 1;
  return a.sk === b.sk ? 0 : a.sk < b.sk ? -1 : 1;
}
