import { changed, InMemoryTable } from "../../src/store/in-memory-table.ts";
import type { Item } from "../../src/store/item.ts";
import type { Write } from "../../src/store/table.ts";

/** Two clauses that are left out together are named so, one after the other. */
export const AND = " + ";

/**
 * A table on which one thing of the protocol is missing, or two: a clause of a condition, or a whole step such as a fence,
 * by the name it has in the store. The suites must notice.
 */
export class MutatedTable extends InMemoryTable {
  /** Writes that were done so far: nothing changes without one. */
  writes = 0;
  readonly #missing: ReadonlySet<string>;

  constructor(missing: string | undefined) {
    super();
    this.#missing = new Set(missing?.split(AND));
  }

  override async write(write: Write) {
    if (this.#missing.has(write.step)) {
      const item = await this.get(write.key);
      return item ? ({ outcome: "done", item } as const) : ({ outcome: "lost", item } as const);
    }
    const when = write.when.filter(({ name }) => !this.#missing.has(name));
    const isWhole = when.length === write.when.length;
    if (!isWhole && !isPossible(write, await this.get(write.key)))
      return { outcome: "lost", item: undefined } as const;
    const result = await super.write({ ...write, when });
    if (result.outcome === "done") this.writes++;
    return result;
  }
}

/**
 * Returns true if DynamoDB would make the write without its conditions. An update creates a missing item, but no path
 * inside of it.
 */
export function isPossible({ key, change }: Write, item: Item | undefined): boolean {
  try {
    changed(key, item, change);
    return true;
  } catch {
    return false;
  }
}
