import { OWNER_AWAITED_MS_MAX } from "../domain/limits.ts";
import type { ItemChange } from "../store/change-log.ts";

/** Changes that wait at once, at most: one for each shard that a process takes. */
const AWAITED_MAX = 1_000;

/**
 * The changes that wait for the owner of their address. A change waits from its first delivery on, however old it is:
 * after a standstill all shards are late.
 */
export class Awaited {
  readonly #now: () => number;
  /** The times at which changes were first delivered without an owner, by their numbers. */
  readonly #since = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns true if the change waits on. */
  has({ sequence }: ItemChange): boolean {
    const since = this.#since.get(sequence);
    if (since === undefined) {
      if (this.#since.size >= AWAITED_MAX) this.#since.clear();
      this.#since.set(sequence, this.#now());
      return true;
    }
    if (this.#now() - since < OWNER_AWAITED_MS_MAX) return true;
    this.#since.delete(sequence);
    return false;
  }
}
