import { LeastRecentlyUsed } from "./least-recently-used.ts";

interface Copy<T> {
  readonly value: Promise<T>;
  readonly freshUntilMs: number;
}

/**
 * Copies of what was read, each with until when it may be used unasked. One may still be on its way, so that requests
 * served side by side ask once; one that was dropped on its way is known only to those who wait for it.
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
    // What failed is asked again.
    value.catch(() => {
      if (this.#copies.get(name) === copy) this.#copies.delete(name);
    });
  }

  drop(name: string): void {
    this.#copies.delete(name);
  }
}
