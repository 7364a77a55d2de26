import { LOOKS_PER_PAGE, PAGE_MS_MAX } from "../../domain/limits.ts";
import type { CorruptItemError } from "../../domain/outcome.ts";
import type { Context } from "./context.ts";

/** A page of a list. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  /** Items of the list that cannot be read. A list without them would say that they do not exist. */
  readonly unreadable?: readonly CorruptItemError[];
}

/** A part of an answer that may be long. */
export interface Page<Item, Position> extends Listed<Item> {
  /** The position of the next page; absent if nothing is left. A page can be short or empty and have a next one. */
  readonly next?: Position;
}

export type PageBudget = ReturnType<typeof pageBudget>;

/** Returns the budget of a page, so that its answer arrives in time. */
export function pageBudget(context: Context) {
  const startedAtMs = context.now();
  let looks = 0;
  return {
    look(): void {
      looks++;
    },
    get isSpent(): boolean {
      return looks >= LOOKS_PER_PAGE || context.now() - startedAtMs > PAGE_MS_MAX;
    },
  };
}
