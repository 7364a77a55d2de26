import type { ChangeLog } from "./change-log.ts";
import type { Item, Key } from "./item.ts";
import type { ItemChange } from "./item-change.ts";
import type { Change } from "./table.ts";

/** The changes of a local table that nobody has published yet. */
export interface ChangeFeed {
  /** Returns the first changes, in the order in which the table made them. */
  first(limit: number): readonly ItemChange[];
  /** Forgets the changes up to a number, which are published. */
  forget(upTo: string): Promise<void>;
}

/** The feed of a table in memory. The table adds each of its changes. */
export class InMemoryFeed implements ChangeFeed {
  readonly #log: ChangeLog;
  #changes: ItemChange[] = [];

  constructor(log: ChangeLog) {
    this.#log = log;
  }

  /** Adds the change that a write made. */
  add(key: Key, before: Item | undefined, after: Item | undefined, by: Change): void {
    const change = this.#log.change(key, before, after, by);
    if (change) this.#changes.push(change);
  }

  first(limit: number): readonly ItemChange[] {
    return this.#changes.slice(0, limit);
  }

  async forget(upTo: string): Promise<void> {
    const left = this.#changes.findIndex(({ sequence }) => sequence > upTo);
    this.#changes.splice(0, left < 0 ? this.#changes.length : left);
  }
}
