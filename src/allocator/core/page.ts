import { LOOKS_PER_PAGE, PAGE_MS_MAX } from "../../domain/limits.ts";
import type { CorruptItemError } from "../../domain/outcome.ts";
import type { Context } from "./context.ts";

/** What a list has. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  /** What stands among them and cannot be read: a list without it would say that there is none. */
  readonly unreadable?: readonly CorruptItemError[];
}

/** A part of an answer that may be long. */
export interface Page<Item, Position> extends Listed<Item> {
  /** Where the next page goes on; absent when nothing is left. A page may be short, or empty, and have a next one. */
  readonly next?: Position;
}

export type PageBudget = ReturnType<typeof pageBudget>;

/** What may be spent on one page, so that it is answered in time whatever it meets. */
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
