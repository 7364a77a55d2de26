import { changed, InMemoryTable } from "../../src/table/in-memory-table.ts";
import type { Item } from "../../src/table/item.ts";
import type { Write } from "../../src/table/table.ts";

/** The text between the names of two clauses that are left out together. */
export const AND = " + ";

/**
 * A table that leaves out one or two parts of the protocol, by their names in the store. A part is
 * a clause of a condition, or a whole step such as a fence. The suites must notice.
 */
export class MutatedTable extends InMemoryTable {
  /** The number of writes so far. The table changes only with a write. */
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
