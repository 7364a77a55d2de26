import { CorruptItemError, UnavailableError } from "../domain/outcome.ts";
import { absent } from "./clause.ts";
import { formattedTable, reading } from "./format.ts";
import { BORROWED_BLOCK_PREFIX, headOf, NODE_SK, TABLE_KEY } from "./key.ts";
import { KEYS_FORMAT } from "./kinds.ts";
import type { Table, Write } from "./table.ts";

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
 * assign and a release do not: they begin with the configuration of the space, whose items carry
 * the format of the keys.
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
