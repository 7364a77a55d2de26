import { LeastRecentlyUsed } from "./least-recently-used.ts";

interface Copy<T> {
  readonly value: Promise<T>;
  readonly freshUntilMs: number;
}

/**
 * Copies of read items, each with the time until which it may be used without a check. A copy may still be loading, so
 * that parallel requests read once. A copy that is dropped while it loads reaches only the requests that already wait
 * for it.
 */
export class CachedReads<T> {
  readonly #copies: LeastRecentlyUsed<Copy<T>>;

  constructor(countMax: number) {
    this.#copies = new LeastRecentlyUsed(countMax);
  }

  /** Returns the value under a name; nothing if it is too old, or was never read. */
  of(name: string, nowMs: number): Promise<T> | undefined {
    const copy = this.#copies.get(name);
    return copy && nowMs < copy.freshUntilMs ? copy.value : undefined;
  }

  keep(name: string, value: Promise<T>, freshUntilMs: number): void {
    const copy = { value, freshUntilMs };
    this.#copies.set(name, copy);
    // Drops a failed read, so that the next request reads again.
    value.catch(() => {
      if (this.#copies.get(name) === copy) this.#copies.delete(name);
    });
  }

  drop(name: string): void {
    this.#copies.delete(name);
  }
}
