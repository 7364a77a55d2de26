import { CorruptItemError } from "../domain/outcome.ts";
import { type Clause, newOrEquals } from "./clause.ts";
import type { Item, Key } from "./item.ts";
import { KEYS_FORMAT, type Kind, kindNameOf, kindOf } from "./kinds.ts";
import type { Change, QueryOptions, Table, Write } from "./table.ts";

/**
 * The attribute with the format of an item. Every item has it, and a kilobyte is a write unit, so
 * its name is short.
 */
const FORMAT = "f";
/** The attribute with the format of the keys, in the items that carry it. */
const KEYS = "k";

/**
 * Returns a reader that applies `from` to an item if the item has the format that this version
 * reads. Every deployed version wrote a format number. So an item without one is of unknown origin,
 * and is corrupt.
 *
 * @param assertValue throws if a value of the item is missing or impossible; the writes of the item
 * call it too
 * @throws {CorruptItemError} with the item's name
 */
export function reading<T>(
  from: (item: Item) => T,
  assertValue: (value: T) => void = () => {},
): (item: Item) => T {
  return (item) => {
    const kind = kindOf(item);
    if (!kind)
      throw new CorruptItemError({ item: `${item.pk} ${item.sk}` }, "is of no kind that is known");
    assertFormat(item, kind);
    try {
      const value = from(item);
      assertValue(value);
      return value;
    } catch (cause) {
      const why = cause instanceof Error ? `: ${cause.message}` : "";
      throw new CorruptItemError({ item: kind.called(item) }, `cannot be read${why}`, {
        cause,
        kind: kindNameOf(item),
      });
    }
  };
}

function assertFormat(item: Item, kind: Kind): void {
  if (kind.carriesKeys && item[KEYS] === undefined) throw differingKeys(item);
  assertKeys(item);
  if (item[FORMAT] !== kind.format) throw differing(item, "", item[FORMAT], kind.format);
}

/**
 * Rejects an item if this version does not know its format of keys, because reads would miss the
 * items under other keys.
 *
 * @throws {CorruptItemError}
 */
export function assertKeys(item: Item): void {
  if (item[KEYS] !== undefined && item[KEYS] !== KEYS_FORMAT) throw differingKeys(item);
}

const differingKeys = (item: Item): CorruptItemError =>
  differing(item, " of the keys of its table", item[KEYS], KEYS_FORMAT);

function differing(key: Key, of: string, format: unknown, reads: number): CorruptItemError {
  const known = typeof format === "number" ? { format } : {};
  const has = format === undefined ? "no format" : `format ${String(format)}`;
  const why = `has ${has}${of}, and this version reads format ${reads}`;
  return new CorruptItemError({ item: calledAt(key), ...known, reads }, why, {
    kind: kindNameOf(key),
  });
}

/**
 * Returns a table whose every write gives its item the format. A write fails if an item of another
 * format is there, whatever the write's own condition says. So Plat never changes, replaces or
 * deletes the items of another version.
 */
export function formattedTable(table: Table): Table {
  return {
    get: (key, options) => table.get(key, options),
    query: (pk, options = {}) => table.query(pk, withFormat(options)),
    scan: (limit, options) => table.scan(limit, options),
    due: (shard, options) => table.due(shard, options),
    write: (write) => table.write(formatted(write)),
  };
}

/** Adds the format numbers to a partial read. A read of keys alone needs no format. */
const withFormat = (options: QueryOptions): QueryOptions =>
  options.only && options.only.length > 0
    ? { ...options, only: [...options.only, FORMAT, KEYS] }
    : options;

function formatted(write: Write): Write {
  const kind = kindOf(write.key);
  if (!kind) throw new Error(`items under ${write.key.pk} ${write.key.sk} are of no kind`);
  const { when } = write;
  const isCreation = when.some(({ path: [name], test }) => name === "pk" && test.kind === "absent");
  return {
    ...write,
    when: isCreation ? when : [...when, unchangedFormat(kind)],
    change: changeIn(kind, write.change, when),
  };
}

const unchangedFormat = ({ format }: Kind): Clause => newOrEquals("format", format, FORMAT);

function changeIn(kind: Kind, change: Change, when: readonly Clause[]): Change {
  switch (change.kind) {
    case "put":
      return { kind: "put", item: { ...change.item, ...numbersOf(kind) } };
    case "update": {
      // Only an update without a condition can create an item. Any other update finds an item that
      // has its numbers.
      if (when.length > 0) return change;
      const numbers = Object.entries(numbersOf(kind)).map(([name, n]) => [[name], n] as const);
      return { ...change, set: [...(change.set ?? []), ...numbers] };
    }
    case "delete":
      return change;
    default:
      return change satisfies never;
  }
}

const numbersOf = ({ format, carriesKeys }: Kind): Readonly<Record<string, number>> => ({
  [FORMAT]: format,
  ...(carriesKeys && { [KEYS]: KEYS_FORMAT }),
});

/** Returns the name of the item under a key, for people. */
const calledAt = (key: Key): string => kindOf(key)?.called(key) ?? `${key.pk} ${key.sk}`;
