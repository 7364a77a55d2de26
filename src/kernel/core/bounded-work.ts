import { PAGE_MS_MAX } from "../../base/limits.ts";
import {
  ContentionError,
  DeadlineError,
  ThrottledError,
  UnavailableError,
} from "../../base/outcome.ts";
import type { Context } from "./context.ts";

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
