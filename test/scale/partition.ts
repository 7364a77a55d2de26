import { byUtf8 } from "../../src/table/in-memory-table.ts";
import type { Item } from "../../src/table/item.ts";
import type { QueryOptions } from "../../src/table/table.ts";

/** The items of one partition key, in the order of their sort keys. */
export class Partition {
  readonly #items: Map<string, Item>;
  /** The items in order, computed on demand, and again after an item was added or removed. */
  #order: readonly Item[] | undefined;

  constructor(items: readonly Item[] = []) {
    this.#items = new Map(items.map((item) => [item.sk, item]));
  }

  get(sk: string): Item | undefined {
    return this.#items.get(sk);
  }

  set(item: Item): void {
    this.#items.set(item.sk, item);
    this.#order = undefined;
  }

  delete(sk: string): void {
    this.#items.delete(sk);
    this.#order = undefined;
  }

  get size(): number {
    return this.#items.size;
  }

  all(): readonly Item[] {
    this.#order ??= [...this.#items.values()].sort((a, b) => byUtf8(a.sk, b.sk));
    return this.#order;
  }

  /** Yields the result of a Query with these options, without its limit. */
  *matching({ prefix = "", before, after }: QueryOptions): Generator<Item> {
    const all = this.all();
    const first = prefix === "" ? 0 : placeIn(all, prefix, false);
    const from = Math.max(first, after === undefined ? 0 : placeIn(all, after, true));
    for (let i = from; i < all.length; i++) {
      const item = all[i] as Item;
      if (!item.sk.startsWith(prefix)) return;
      if (before !== undefined && byUtf8(item.sk, before) >= 0) return;
      yield item;
    }
  }
}

/** Returns the place of the first item at or after a sort key, or after it. */
export function placeIn(items: readonly Item[], sk: string, past: boolean): number {
  let [from, to] = [0, items.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const order = byUtf8((items[middle] as Item).sk, sk);
    if (order < 0 || (past && order === 0)) from = middle + 1;
    else to = middle;
  }
  return from;
}
