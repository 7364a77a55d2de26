import type { Outcome } from "../domain/outcome.ts";
import type { Clause } from "./clause.ts";
import type { Item, Key, Path, Value } from "./item.ts";

/** A change of one item by a conditional write. */
export type Change =
  | { readonly kind: "put"; readonly item: Item }
  | { readonly kind: "delete" }
  | {
      readonly kind: "update";
      readonly set?: readonly (readonly [Path, Value])[];
      readonly remove?: readonly Path[];
      /** Members added to a set, which comes into being with the first. */
      readonly add?: readonly (readonly [Path, ReadonlySet<string> | ReadonlySet<number>])[];
      /** Members taken out of a set. */
      readonly drop?: readonly (readonly [Path, ReadonlySet<string> | ReadonlySet<number>])[];
    };

/** One conditional write of one item: the only way anything changes. */
export interface Write {
  /** The step of the protocol that this write belongs to. */
  readonly step: string;
  readonly key: Key;
  readonly when: readonly Clause[];
  readonly change: Change;
}

export interface Page {
  readonly items: readonly Item[];
  /** The key where the next page begins; absent after the last. */
  readonly next?: Key;
}

export interface QueryOptions {
  /** Only sort keys that begin so. */
  readonly prefix?: string;
  /** Only sort keys before this one; not beside a prefix, since a Query takes one condition on them. */
  readonly before?: string;
  /** Default true; an eventually consistent read costs half and may only suggest. */
  readonly consistent?: boolean;
  /** Only items whose sort key comes after this one, whether or not it is there. */
  readonly after?: string;
  /** At most so many items, the first ones; else all. */
  readonly limit?: number;
  /**
   * Of each item its key, and of its attributes only these, where it has them: the units are those of whole items, but little is
   * carried and read.
   */
  readonly only?: readonly string[];
}

/** One of so many parts of a table, which several walk side by side. Every item is in one of them, and stays there. */
export interface Segment {
  /** From 0 on. */
  readonly index: number;
  readonly of: number;
}

export interface ScanOptions {
  /** Goes on after this key, whether or not it is there. */
  readonly after?: Key | undefined;
  /** Only what lies in this segment; else all. */
  readonly segment?: Segment;
  /** Default true, as in `QueryOptions`. */
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
  /** Goes on after this entry, whether or not it is there. */
  readonly after?: DueKey | undefined;
}

/**
 * The part of DynamoDB that Plat uses. A read returns the items or throws `UnavailableError`; a write returns its outcome.
 * Three implementations: `dynamodb-table.ts`; `lmdb-table.ts`, in a file of one machine; and `in-memory-table.ts`, for the
 * simulation and for data that need not be kept.
 */
export interface Table {
  get(key: Key, options?: Pick<QueryOptions, "consistent">): Promise<Item | undefined>;
  /** Every item of a partition in the order of the sort keys, or those that the options leave. */
  query(pk: string, options?: QueryOptions): Promise<readonly Item[]>;
  /** A page of the whole table, or of a segment of it, in no particular order. */
  scan(limit: number, options?: ScanOptions): Promise<Page>;
  /** Keys of items that are due, from the sparse index, the earliest first: a suggestion, never a fact. */
  due(shard: string, options: DueOptions): Promise<readonly DueKey[]>;
  write(write: Write): Promise<Outcome<Item>>;
}
