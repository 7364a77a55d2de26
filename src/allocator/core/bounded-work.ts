import { PAGE_MS_MAX } from "../../domain/limits.ts";
import {
  ContentionError,
  DeadlineError,
  ThrottledError,
  UnavailableError,
} from "../../domain/outcome.ts";
import type { Context } from "./context.ts";

/**
 * The share of long work that one request does. Once its time is up, or the database does not answer, nothing new is begun, and what
 * was done is told. One thing that cannot be done for the moment keeps nobody from the others: a hot block, say.
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

  /** Is there time to begin something more? If not, it is left to the next request. */
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

  /** Was all done? */
  get isWhole(): boolean {
    return !this.#isCutShort && this.#failures.length === 0;
  }
}

/** It cannot be done now; another thing may. */
const isPassing = (error: unknown): boolean =>
  error instanceof ContentionError || error instanceof ThrottledError;

/** After these nothing more is begun. */
const isFinal = (error: unknown): boolean =>
  error instanceof DeadlineError || error instanceof UnavailableError;
