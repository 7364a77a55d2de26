import type { Listed, PageWanted } from "../base/listed.ts";
import { CorruptItemError, UnavailableError } from "../base/outcome.ts";
import type { UnreadableNamed } from "../nouns/pool/configuration.ts";
import { absent, type Clause, newOrEquals } from "./clause.ts";
import type { Item, Key } from "./item.ts";
import {
  BORROWED_BLOCK_PREFIX,
  escaped,
  headOf,
  NODE_SK,
  nameIn,
  TABLE_KEY,
  unescaped,
} from "./key.ts";
import { type ItemKind, KEYS_FORMAT, kindNameOf, kindOf } from "./kinds.ts";
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

function assertFormat(item: Item, kind: ItemKind): void {
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

const unchangedFormat = ({ format }: ItemKind): Clause => newOrEquals("format", format, FORMAT);

function changeIn(kind: ItemKind, change: Change, when: readonly Clause[]): Change {
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

const numbersOf = ({ format, carriesKeys }: ItemKind): Readonly<Record<string, number>> => ({
  [FORMAT]: format,
  ...(carriesKeys && { [KEYS]: KEYS_FORMAT }),
});

/** Returns the name of the item under a key, for people. */
const calledAt = (key: Key): string => kindOf(key)?.called(key) ?? `${key.pk} ${key.sk}`;

/**
 * Checks an item that carries the format of the keys and nothing else. @throws {CorruptItemError}
 */
export const assertKeysOf = reading(() => {});

/**
 * Ensures, before any write, that the keys of a table have the format that this version knows. If
 * the table is empty, it writes the format into the table.
 *
 * @throws {CorruptItemError} if the keys have another format, or if there are items but none tells
 * the format
 */
export async function openTable(table: Table): Promise<void> {
  if (await isTold(table)) return;
  const { items } = await table.scan(1);
  // Another process may have written the format meanwhile, and then items.
  if (items.length > 0 && !(await isTold(table)))
    throw new CorruptItemError(
      { item: "the table", reads: KEYS_FORMAT },
      `is missing, so that nothing says of what format its keys are: it was written before formats were. This version knows format ${KEYS_FORMAT}`,
      { kind: "TABLE" },
    );
  await tell(table);
}

/**
 * Returns a table that checks the format of its keys once in a process. It reads the format before
 * it takes an item for absent that may be under other keys. It writes the format before it writes
 * an item that leads to other items. Administration and scheduled runs pay a call for that. An
 * assign does not: it begins with the configuration of the space, whose items carry the format of the keys.
 *
 * @throws {CorruptItemError} if the keys have another format
 */
export function knownKeysTable(table: Table, known = new KnownKeys()): Table {
  const read = () => known.read(table);
  const write = () => known.tell(table);
  return {
    async get(key, options) {
      if (FIRST.has(headOf(key.pk))) await read();
      const item = await table.get(key, options);
      if (!item && (key.sk === NODE_SK || headOf(key.pk) === "NAMESPACE")) await read();
      return item;
    },
    async query(pk, options) {
      if (FIRST.has(headOf(pk)) || options?.prefix === BORROWED_BLOCK_PREFIX) await read();
      const items = await table.query(pk, options);
      if (items.length === 0 && WHEN_EMPTY.has(headOf(pk))) await read();
      return items;
    },
    async scan(limit, options) {
      await read();
      return table.scan(limit, options);
    },
    async due(shard, options) {
      await read();
      return table.due(shard, options);
    },
    write(change) {
      const isRoot = ROOTS.has(headOf(change.key.pk)) && mayCreate(change);
      return isRoot ? write().then(() => table.write(change)) : table.write(change);
    },
  };
}

/** Partitions that no assign and no release of an address reads. */
const FIRST: ReadonlySet<string> = new Set(["SPACES", "JOBS", "NODES", "PLAN", "SWEEP"]);
/**
 * Partitions whose reads find nothing only if there are no items, or if the items are under other
 * keys.
 */
const WHEN_EMPTY: ReadonlySet<string> = new Set(["SPACE", "HANDLE", "NAMESPACE"]);
/** The kinds of items that are written first in a space. */
const ROOTS: ReadonlySet<string> = new Set(["SPACES", "NODES", "NAMESPACE"]);

/**
 * Returns true if a write can create an item. A write that deletes, or that is conditional on an
 * item, cannot.
 */
const mayCreate = ({ when, change }: Write): boolean =>
  change.kind !== "delete" &&
  when.every(({ test }) => test.kind === "absent" || test.kind === "newOrEquals");

/** The knowledge of a process about the format of the keys of its table. */
export class KnownKeys {
  /** Checks the format, until that has succeeded once. */
  readonly read = once(isTold);
  /** Ensures that the table has the format, until that has succeeded once. */
  readonly tell = once(tell);
}

/** Returns a function that carries out an act on a table until it has succeeded once. */
function once(act: (table: Table) => Promise<unknown>): (table: Table) => Promise<void> {
  let done: Promise<void> | undefined;
  return (table) => {
    done ??= act(table).then(
      () => {},
      (error: unknown) => {
        done = undefined;
        throw error;
      },
    );
    return done;
  };
}

/**
 * Returns true if the table says that its keys have the format that this version knows. A new table
 * does not say so yet.
 */
export async function isTold(table: Table): Promise<boolean> {
  const item = await table.get(TABLE_KEY);
  if (item) assertKeysOf(item);
  return item !== undefined;
}

/** Writes the format into the table, or finds it there. */
async function tell(table: Table): Promise<void> {
  const told = await formattedTable(table).write({
    step: "tell-format",
    key: TABLE_KEY,
    when: [absent("format-absent", "pk")],
    change: { kind: "put", item: { ...TABLE_KEY } },
  });
  if (told.outcome === "unknown")
    throw new UnavailableError(
      "the database did not say whether the format of the keys was written",
    );
  if (told.item) assertKeysOf(told.item);
}

/** Reads items, and names the unreadable ones, so that a caller does not take them for absent. */
export function readEach<T>(of: readonly Item[], from: (item: Item) => T): Listed<T> {
  const items: T[] = [];
  const unreadable: CorruptItemError[] = [];
  for (const item of of) {
    const value = readOrNot(item, from);
    if (value instanceof CorruptItemError) unreadable.push(value);
    else items.push(value);
  }
  return { items, unreadable };
}

/** Reads items as `readEach` does, and returns each unreadable one with the name in its key. */
export function readEachByName<T>(
  of: readonly Item[],
  from: (item: Item) => T,
): { readonly items: readonly T[]; readonly unreadable: readonly UnreadableNamed[] } {
  const items: T[] = [];
  const unreadable: UnreadableNamed[] = [];
  for (const item of of) {
    const value = readOrNot(item, from);
    if (value instanceof CorruptItemError)
      unreadable.push({ name: nameIn(item), unreadable: value });
    else items.push(value);
  }
  return { items, unreadable };
}

/** Reads an item, or returns the error if it is unreadable. */
export function readOrNot<T>(item: Item, from: (item: Item) => T): T | CorruptItemError {
  try {
    return from(item);
  } catch (error) {
    if (error instanceof CorruptItemError) return error;
    throw error;
  }
}

/**
 * Returns the first `limit` items of a partition with one item for each name, or those after a
 * name. Returns the start of the next page, too.
 */
export async function pageOf(
  table: Table,
  pk: string,
  { after, limit }: PageWanted<string>,
): Promise<{ readonly items: readonly Item[]; readonly next: string | undefined }> {
  const page = { limit: limit + 1, ...(after !== undefined && { after: escaped(after) }) };
  const items = await table.query(pk, page);
  const last = items.length > limit ? items[limit - 1] : undefined;
  return { items: items.slice(0, limit), next: last && unescaped(last.sk) };
}
