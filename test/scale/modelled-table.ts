import { type Outcome, ThrottledError } from "../../src/base/outcome.ts";
import { TABLE } from "../../src/table/definition.ts";
import { outcomeItem } from "../../src/table/in-memory-table.ts";
import type { Item, Key } from "../../src/table/item.ts";
import type {
  DueKey,
  DueOptions,
  ItemPage,
  QueryOptions,
  ScanOptions,
  Write,
} from "../../src/table/table.ts";
import { itemBytes } from "../store/item-bytes.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import { Capacity } from "./capacity.ts";
import type { LargeTable } from "./large-table.ts";
import {
  CALL_MS,
  PAGE_BYTES_MAX,
  PAGE_MS_PER_MB,
  READ_UNIT_BYTES,
  WRITE_UNIT_BYTES,
} from "./model.ts";

/** The result of a call, and its size. */
export interface Answer<T> {
  readonly value: T;
  readonly bytes: number;
}

/** A page of the items that a Query or a Scan reads. */
export interface ReadPage {
  readonly items: readonly Item[];
  /** True if there are more items. */
  readonly more: boolean;
}

/**
 * A table whose calls take the time and the units of DynamoDB's calls. It carries out a write at
 * the end of its time, even if its author is dead by then. It rejects a write as `ThrottledError`,
 * and does nothing, if the partition has no units left.
 */
export class ModelledTable {
  readonly items: LargeTable;
  readonly capacity = new Capacity();
  /** Items that Scans have read so far. */
  scanned = 0;
  readonly #clock: VirtualClock;

  constructor(clock: VirtualClock, items: LargeTable) {
    this.#clock = clock;
    this.items = items;
  }

  async get(
    key: Key,
    { consistent = true }: Pick<QueryOptions, "consistent"> = {},
  ): Promise<Answer<Item | undefined>> {
    await this.#clock.sleep(CALL_MS);
    const value = this.items.get(key);
    const bytes = value ? itemBytes(value) : 0;
    this.#read(key.pk, bytes, consistent);
    return { value, bytes };
  }

  /** Returns one page of a Query: at most a megabyte. */
  async query(pk: string, options: QueryOptions): Promise<Answer<ReadPage>> {
    const { limit, consistent = true } = options;
    const found = this.items.partition(pk)?.matching(options) ?? [];
    return this.#page(pk, found, limit, consistent);
  }

  /**
   * Returns one page of a Scan. The pages of one segment lie in one partition, which has the name
   * of the segment.
   */
  async scan(
    limit: number,
    { after, segment, consistent = true }: ScanOptions = {},
  ): Promise<Answer<ItemPage>> {
    const name = `SCAN ${segment?.index ?? 0}`;
    const page = await this.#page(name, this.items.scan(after, segment), limit, consistent);
    const { items, more } = page.value;
    this.scanned += items.length;
    const last = items.at(-1);
    const next = more && last ? { next: { pk: last.pk, sk: last.sk } } : {};
    return { value: { items, ...next }, bytes: page.bytes };
  }

  /** Returns keys of due items. The index has keys only, so a unit holds some fifty of them. */
  async due(shard: string, options: DueOptions): Promise<Answer<readonly DueKey[]>> {
    await this.#clock.sleep(CALL_MS);
    const value = this.items.due(shard, options);
    const bytes = value.reduce((sum, { pk, sk }) => sum + pk.length + sk.length + 40, 0);
    this.#read(shard, bytes, false);
    return { value, bytes };
  }

  async write(write: Write): Promise<Answer<Outcome<Item>>> {
    await this.#clock.sleep(CALL_MS);
    const { key } = write;
    const judged = this.items.judge(write);
    const { holds, before, after } = judged;
    // A write costs the larger of the item before and the item after; a failed condition costs the
    // item before.
    const units = Math.max(writeUnits(before), holds ? writeUnits(after) : 0);
    this.#take(key.pk, "write", units);
    if (!holds) return { value: { outcome: "lost", item: before }, bytes: bytesOf(before) };
    // An index partition without units delays the writes of its items.
    for (const shard of changedShards(before, after)) this.#take(shard, "write", 1);
    this.items.carryOut(key, judged);
    return {
      value: { outcome: "done", item: outcomeItem(key, before, after, write.change) },
      bytes: bytesOf(after),
    };
  }

  async #page(
    partition: string,
    found: Iterable<Item>,
    limit: number | undefined,
    consistent: boolean,
  ): Promise<Answer<ReadPage>> {
    const items: Item[] = [];
    let bytes = 0;
    let more = false;
    for (const item of found) {
      more = items.length === limit || bytes >= PAGE_BYTES_MAX;
      if (more) break;
      items.push(item);
      bytes += itemBytes(item);
    }
    await this.#clock.sleep(CALL_MS + (bytes / PAGE_BYTES_MAX) * PAGE_MS_PER_MB);
    this.#read(partition, bytes, consistent);
    return { value: { items, more }, bytes };
  }

  #read(partition: string, bytes: number, consistent: boolean): void {
    const units = Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES)) * (consistent ? 1 : 0.5);
    this.#take(partition, "read", units);
  }

  #take(partition: string, kind: "read" | "write", units: number): void {
    if (!this.capacity.take(partition, kind, units, this.#clock.nowMs))
      throw new ThrottledError(`the partition ${partition} has no ${kind} units left`);
  }
}

const bytesOf = (item: Item | undefined): number => (item ? itemBytes(item) : 0);

const writeUnits = (item: Item | undefined): number =>
  Math.max(1, Math.ceil(bytesOf(item) / WRITE_UNIT_BYTES));

/** Returns the partitions of the due index that a write changes. */
function changedShards(before: Item | undefined, after: Item | undefined): ReadonlySet<string> {
  const { partitionKey, sortKey } = TABLE.dueIndex;
  if (before?.[sortKey] === after?.[sortKey]) return new Set();
  const shards = [before?.[partitionKey], after?.[partitionKey]];
  return new Set(shards.filter((shard) => typeof shard === "string"));
}
