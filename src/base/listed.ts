import type { CorruptItemError } from "./outcome.ts";

/** A list of items of a table. It names the unreadable ones: a list without them would say that they do not exist. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly unreadable: readonly CorruptItemError[];
}

/** A part of an answer that may be long. */
export interface Page<Item, Position> {
  readonly items: readonly Item[];
  /** The position of the next page; absent if nothing is left. A page can be short or empty and have a next one. */
  readonly next?: Position | undefined;
}

export type ListedPage<Item, Position> = Listed<Item> & Page<Item, Position>;

/** The position after which a page begins, and the maximum number of its items. */
export interface PageWanted<Position> {
  readonly after?: Position | undefined;
  readonly limit: number;
}
