import { fnv1a64 } from "../../src/base/hash.ts";
import { isMet } from "../../src/table/clause.ts";
import { changed } from "../../src/table/in-memory-table.ts";
import type { Item, Key } from "../../src/table/item.ts";
import type { DueKey, DueOptions, Segment, Write } from "../../src/table/table.ts";
import { DueIndex } from "./due-index.ts";
import { MixedOrder } from "./mixed-order.ts";
import { Partition, placeIn } from "./partition.ts";

/** Partitions that are generated when they are read. The table keeps only the writes to them. */
export interface Crowd {
  readonly count: number;
  keyOf(number: number): string;
  /** Returns the number of a partition of this crowd, from 0; nothing for any other key. */
  numberOf(pk: string): number | undefined;
  /** Returns the items of a partition; each time the same. */
  itemsOf(number: number): readonly Item[];
  /** Returns one item of a partition, if that costs less than all of them. */
  itemAt?(number: number, sk: string): Item | undefined;
}

/** The item that a conditional write found, and the item after it. */
interface Judged {
  readonly holds: boolean;
  readonly before: Item | undefined;
  readonly after?: Item | undefined;
}

/** The number of generated partitions that are kept after a read, because walks return to them. */
const KEPT_PARTITIONS = 256;

/**
 * A table in memory for scenes that do not fit in memory. It has crowds of partitions, generated
 * when they are read, and over them all that was written. The product changes it as it changes any
 * table.
 */
export class LargeTable {
  readonly #crowds: Crowd[] = [];
  readonly #written = new Map<string, Partition>();
  /**
   * The keys of written partitions outside of the crowds, in the order of their first writes. A
   * scan returns them last.
   */
  readonly #others: { readonly pk: string; readonly hash: bigint }[] = [];
  readonly #otherAt = new Map<string, number>();
  readonly #kept = new Map<string, Partition>();
  readonly #due = new DueIndex();
  #mixed: MixedOrder | undefined;

  addCrowd(crowd: Crowd): void {
    this.#crowds.push(crowd);
  }

  /** Puts an item of a scene without a condition. */
  put(item: Item): void {
    const partition = this.#writable(item.pk);
    this.#due.change(partition.get(item.sk), item);
    partition.set(item);
  }

  /** Removes an item without a condition. */
  remove({ pk, sk }: Key): void {
    const partition = this.#writable(pk);
    this.#due.change(partition.get(sk), undefined);
    partition.delete(sk);
  }

  partition(pk: string): Partition | undefined {
    return this.#written.get(pk) ?? this.#generated(pk);
  }

  get({ pk, sk }: Key): Item | undefined {
    const partition = this.#written.get(pk) ?? this.#kept.get(pk);
    if (partition) return partition.get(sk);
    const found = this.#crowdOf(pk);
    if (found?.crowd.itemAt) return found.crowd.itemAt(found.number, sk);
    return this.partition(pk)?.get(sk);
  }

  /**
   * Returns the result of a conditional write: the item that it finds, and the one that it leaves if its clauses hold.
   */
  judge({ key, when, change }: Write): Judged {
    const before = this.get(key);
    if (!when.every((clause) => isMet(clause, before))) return { holds: false, before };
    return { holds: true, before, after: changed(key, before, change) };
  }

  /** Carries out a judged write. The caller must not write anything between the two. */
  carryOut(key: Key, { before, after }: Judged): void {
    const partition = this.#writable(key.pk);
    if (after) partition.set(after);
    else partition.delete(key.sk);
    this.#due.change(before, after);
  }

  due(shard: string, options: DueOptions): readonly DueKey[] {
    return this.#due.due(shard, options);
  }

  /**
   * Yields every item of a segment after a key, in the order of a Scan. The crowds are mixed, and
   * other partitions come last.
   */
  *scan(after?: Key, { index, of }: Segment = { index: 0, of: 1 }): Generator<Item> {
    const order = this.#order;
    const end = Math.floor((order.count * (index + 1)) / of);
    let place = Math.floor((order.count * index) / of);
    let other = 0;
    if (after) {
      const items = this.partition(after.pk)?.all() ?? [];
      yield* items.slice(placeIn(items, after.sk, true));
      const otherAt = this.#otherAt.get(after.pk);
      if (otherAt === undefined) place = order.placeOf(this.#globalNumberOf(after.pk)) + 1;
      else [place, other] = [end, otherAt + 1];
    }
    for (; place < end; place++) yield* this.#partitionAt(order.numberAt(place)).all();
    for (; other < this.#others.length; other++) {
      const { pk = "", hash = 0n } = this.#others[other] ?? {};
      if (hash % BigInt(of) === BigInt(index)) yield* this.partition(pk)?.all() ?? [];
    }
  }

  /**
   * Estimates the number of items, from a sample of partitions of each crowd and from everything
   * that was written.
   */
  census(samples: number, bytesOf: (item: Item) => number) {
    let [items, partitions, bytes] = [0, 0, 0];
    const add = (all: readonly Item[], times: number) => {
      partitions += times;
      items += all.length * times;
      bytes += all.reduce((sum, item) => sum + bytesOf(item), 0) * times;
    };
    for (const { count, itemsOf } of this.#crowds) {
      const some = Math.min(samples, count);
      for (let i = 0; i < some; i++) add(itemsOf(Math.floor((i * count) / some)), count / some);
    }
    for (const partition of this.#written.values()) add(partition.all(), 1);
    return { items: Math.round(items), partitions: Math.round(partitions), bytes };
  }

  get #order(): MixedOrder {
    const count = this.#crowds.reduce((sum, crowd) => sum + crowd.count, 0);
    if (this.#mixed?.count !== count) this.#mixed = new MixedOrder(count);
    return this.#mixed;
  }

  #globalNumberOf(pk: string): number {
    let first = 0;
    for (const crowd of this.#crowds) {
      const number = crowd.numberOf(pk);
      if (number !== undefined) return first + number;
      first += crowd.count;
    }
    throw new Error(`a scan cannot go on after ${pk}, which was never there`);
  }

  #partitionAt(globalNumber: number): Partition {
    let number = globalNumber;
    for (const crowd of this.#crowds) {
      if (number < crowd.count) return this.partition(crowd.keyOf(number)) ?? new Partition();
      number -= crowd.count;
    }
    throw new Error("a scan beyond the crowds");
  }

  #writable(pk: string): Partition {
    const written = this.#written.get(pk);
    if (written) return written;
    const generated = this.#generated(pk);
    const partition = generated ?? new Partition();
    this.#kept.delete(pk);
    this.#written.set(pk, partition);
    if (!generated && this.#crowdOf(pk) === undefined) {
      this.#otherAt.set(pk, this.#others.length);
      this.#others.push({ pk, hash: fnv1a64(pk) });
    }
    return partition;
  }

  #crowdOf(pk: string) {
    for (const crowd of this.#crowds) {
      const number = crowd.numberOf(pk);
      if (number !== undefined) return { crowd, number };
    }
    return undefined;
  }

  #generated(pk: string): Partition | undefined {
    const kept = this.#kept.get(pk);
    if (kept) return kept;
    const found = this.#crowdOf(pk);
    if (!found) return undefined;
    const partition = new Partition(found.crowd.itemsOf(found.number));
    this.#kept.set(pk, partition);
    if (this.#kept.size > KEPT_PARTITIONS) {
      const [oldest] = this.#kept.keys();
      this.#kept.delete(oldest as string);
    }
    return partition;
  }
}
