import { PAGE_MS_MAX } from "../../base/limits.ts";
import {
  ContentionError,
  DeadlineError,
  isCutShort,
  Rejection,
  ThrottledError,
  UnavailableError,
} from "../../base/outcome.ts";
import type { Context } from "./context.ts";
import { inParallel } from "./parallel.ts";

/**
 * Queries of block groups for one page; a block group of full blocks of 64 costs about 28 read units. Lists do not count
 * the block-group index of each pool: that of an empty pool costs one unit, and the time of a page limits their number.
 */
export const LOOKS_PER_PAGE = 32;

/**
 * The share of long work that one request does. After its time is over, or if the database does not answer, it starts
 * no further work and returns what was done. Work that fails for the moment, such as on a hot block, does not keep the
 * rest from being done.
 */
export class BoundedWork {
  readonly #now: () => number;
  readonly #startedAtMs: number;
  readonly #failures: unknown[] = [];
  #isCutShort = false;

  constructor({ now }: Context) {
    this.#now = now;
    this.#startedAtMs = now();
  }

  /** Returns true if there is time for more work. Otherwise the next request does it. */
  mayBegin(): boolean {
    if (this.#now() - this.#startedAtMs > PAGE_MS_MAX || this.#failures.some(isFinal)) this.cut();
    return !this.#isCutShort;
  }

  /** Leaves all else to the next request. */
  cut(): void {
    this.#isCutShort = true;
  }

  /** Returns the result of the work; nothing if it cannot be done now. */
  async trying<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) && !isFinal(error)) throw error;
      this.#failures.push(error);
      return undefined;
    }
  }

  /** Returns the first failure. */
  get failure(): unknown {
    return this.#failures[0];
  }

  /** True if all work was done. */
  get isWhole(): boolean {
    return !this.#isCutShort && this.#failures.length === 0;
  }
}

/** Returns true for an error after which other work can still succeed. */
const isPassing = (error: unknown): boolean =>
  error instanceof ContentionError || error instanceof ThrottledError;

/** Returns true for an error after which no further work starts. */
const isFinal = (error: unknown): boolean =>
  error instanceof DeadlineError || error instanceof UnavailableError;

/**
 * Notes the failure of one of many items for the log, so that a scheduled run continues with the others.
 *
 * @throws {DeadlineError} if the failure is one, because no work may follow it
 */
export function note(failures: unknown[], error: unknown): void {
  if (error instanceof DeadlineError) throw error;
  failures.push(error);
}

/**
 * Corrects a hint after work that is done, and ignores failures. A hint may be wrong at any time, so a failed write of
 * it must not fail the work or lose its answer.
 */
export async function asHint(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isCutShort(error)) throw error;
  }
}

export const notFound = (space: string, kind: string, name: string) =>
  new Rejection("not_found", `There is no ${kind} ${name} in space ${space}.`);

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

/**
 * Works on items in their order, some in parallel, and starts none after a given time. Started work is completed.
 *
 * @returns how many were started: the first ones
 */
export async function whileTime<Item>(
  context: Context,
  items: readonly Item[],
  { atOnce, untilMs }: { readonly atOnce: number; readonly untilMs: number },
  work: (item: Item) => Promise<unknown>,
): Promise<number> {
  let begun = 0;
  let isOver = false;
  await inParallel(items, atOnce, async (item) => {
    isOver ||= context.now() >= untilMs;
    if (isOver) return;
    begun++;
    await work(item);
  });
  return begun;
}
