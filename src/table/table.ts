import type { Outcome } from "../base/outcome.ts";
import type { Clause } from "./clause.ts";
import type { AttributePath, Item, Key, Value } from "./item.ts";

/** A change of one item by a conditional write. */
export type Change =
  | { readonly kind: "put"; readonly item: Item }
  /** With `returnsOld` the outcome of a deletion has the item as it was. */
  | { readonly kind: "delete"; readonly returnsOld?: true }
  | {
      readonly kind: "update";
      readonly set?: readonly (readonly [AttributePath, Value])[];
      readonly remove?: readonly AttributePath[];
      /** Members to add to a set, which the first member creates; or a number to add to a number. */
      readonly add?: readonly (readonly [
        AttributePath,
        ReadonlySet<string> | ReadonlySet<number> | number,
      ])[];
      /** Members to remove from a set. */
      readonly drop?: readonly (readonly [
        AttributePath,
        ReadonlySet<string> | ReadonlySet<number>,
      ])[];
    };

/** One conditional write of one item: the only way to change the table. */
export interface Write {
  /** The step of the protocol that this write belongs to. */
  readonly step: string;
  readonly key: Key;
  readonly when: readonly Clause[];
  readonly change: Change;
}

export interface ItemPage {
  readonly items: readonly Item[];
  /** The key where the next page begins; absent after the last page. */
  readonly next?: Key;
}

export interface QueryOptions {
  /** The prefix of the sort keys to return. */
  readonly prefix?: string;
  /**
   * The sort key before which the result ends. A query has this or a prefix, because a Query takes
   * one condition on sort keys.
   */
  readonly before?: string;
  /** True by default. An eventually consistent read costs half, and may only suggest. */
  readonly consistent?: boolean;
  /** The sort key after which the result begins, whether or not an item has it. */
  readonly after?: string;
  /** The maximum number of items, from the first on; absent for all. */
  readonly limit?: number;
  /**
   * The attributes to return beside the key of each item. DynamoDB counts the units of whole items,
   * but sends less data.
   */
  readonly only?: readonly string[];
}

/**
 * One of `of` parts of a table, so that walks can run side by side. Every item is in one segment,
 * and stays there.
 */
export interface Segment {
  /** The number of the segment, from 0. */
  readonly index: number;
  readonly of: number;
}

export interface ScanOptions {
  /** The key after which the page begins, whether or not an item has it. */
  readonly after?: Key | undefined;
  /** The segment whose items to return; absent for all. */
  readonly segment?: Segment;
  /** True by default, as in `QueryOptions`. */
  readonly consistent?: boolean;
}

/** An entry of the sparse index. */
export interface DueKey extends Key {
  readonly dueAtMs: number;
}

export interface DueOptions {
  /** The latest due time to return. */
  readonly untilMs: number;
  readonly limit: number;
  /** The entry after which the result begins, whether or not it is there. */
  readonly after?: DueKey | undefined;
}

/**
 * The part of DynamoDB that Plat uses. A read returns the items or throws `UnavailableError`; a
 * write returns its outcome. There are three implementations: `dynamodb-table.ts`; `lmdb-table.ts`,
 * in a file of one machine; and `in-memory-table.ts`, for the simulation and for data that need not
 * be kept.
 */
export interface Table {
  get(key: Key, options?: Pick<QueryOptions, "consistent">): Promise<Item | undefined>;
  /**
   * Returns the items of a partition in the order of their sort keys: all, or those that the
   * options select.
   */
  query(pk: string, options?: QueryOptions): Promise<readonly Item[]>;
  /** Returns a page of the whole table, or of a segment of it, in no particular order. */
  scan(limit: number, options?: ScanOptions): Promise<ItemPage>;
  /**
   * Returns keys of due items from the sparse index, the earliest first: a suggestion, never a
   * fact.
   */
  due(shard: string, options: DueOptions): Promise<readonly DueKey[]>;
  write(write: Write): Promise<Outcome<Item>>;
}
