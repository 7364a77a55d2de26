import { TableFrozenError, UnavailableError } from "../base/outcome.ts";
import type { Marker } from "./parameter-marker.ts";
import { type DescribedTable, type TableRegister, whyFrozen } from "./register.ts";
import { readRegister } from "./register-item.ts";
import type { Table } from "./table.ts";

/** A function reads the register of its table again before a write when it read it longer ago than this. */
export const REGISTER_FRESH_MS = 60_000;

/** Keeps a frozen table from being written. */
export interface TableGuard {
  /** @throws {TableFrozenError} if no write is served */
  assertServing(): Promise<void>;
  /** Describes the table. A process asks the database once, because a table keeps its id. */
  identify(): Promise<DescribedTable>;
  /** Returns the table, or the same table for one request, with writes that the guard lets pass. */
  over(table: Table): Table;
}

interface Surroundings {
  readonly identify: () => Promise<DescribedTable>;
  /** The marker beside the table; absent in a function that never writes the first item of a table. */
  readonly marker?: Pick<Marker, "name" | "read"> | undefined;
  readonly now: () => number;
}

/**
 * Returns a table that compares its id with the one in its register before the first write of a process. A restored table has another id
 * than its register says, so it serves reads only, until `plat restore` has brought it up to date.
 *
 * A table whose register names none is new. If the marker beside it has a time, there was another table before: it is not gone, or its addresses
 * are in use. So the new one serves reads only.
 *
 * The guard reads the register again when the last reading is `REGISTER_FRESH_MS` old, so that a warm function sees a table that is frozen later. A
 * frozen table is read before each write, so that it serves as soon as it may.
 *
 * @throws {TableFrozenError} from each write while the table is frozen
 */
export function guardedTable(
  table: Table,
  { identify, marker, now }: Surroundings,
): Table & TableGuard {
  let identity: Promise<DescribedTable> | undefined;
  let check: Promise<void> | undefined;
  let freshUntilMs = Number.NEGATIVE_INFINITY;

  const identifyOnce = (): Promise<DescribedTable> => {
    identity ??= identify().catch((error: unknown) => {
      identity = undefined;
      throw error;
    });
    return identity;
  };

  async function checked(table: Table): Promise<void> {
    const askedAtMs = now();
    // The copy of a replica may be late by less than the age that a reading may have.
    const [register, own] = await Promise.all([
      readRegister(table, { consistent: false }),
      identifyOnce(),
    ]);
    assertNotFrozen(register, own);
    if (marker && isNew(register)) await assertFirst(table, own, marker);
    freshUntilMs = askedAtMs + REGISTER_FRESH_MS;
  }

  /** Writes side by side wait for one reading. */
  function assertServing(by: Table = table): Promise<void> {
    if (now() < freshUntilMs) return SERVING;
    check ??= checked(by).finally(() => {
      check = undefined;
    });
    return check;
  }

  const over = (by: Table): Table => ({
    get: (key, options) => by.get(key, options),
    query: (pk, options) => by.query(pk, options),
    scan: (limit, options) => by.scan(limit, options),
    due: (shard, options) => by.due(shard, options),
    async write(write) {
      await assertServing(by);
      return by.write(write);
    },
  });
  return { ...over(table), assertServing: () => assertServing(), identify: identifyOnce, over };
}

const SERVING = Promise.resolve();

const isNew = ({ ids }: TableRegister): boolean => Object.keys(ids).length === 0;

/** @throws {TableFrozenError} if the table must not be written */
function assertNotFrozen(register: TableRegister, own: DescribedTable): void {
  const why = whyFrozen(register, own);
  if (why !== undefined) throw new TableFrozenError(why);
}

/**
 * Checks that there was no table before one whose register names none.
 *
 * @throws {TableFrozenError} if there was
 * @throws {UnavailableError} if the marker is out of reach
 */
async function assertFirst(
  table: Table,
  own: DescribedTable,
  { name, read }: Pick<Marker, "name" | "read">,
): Promise<void> {
  const atMs = await read().catch((cause: Error) => {
    throw new UnavailableError(`the marker beside the table cannot be read: ${cause.message}`, {
      cause,
    });
  });
  if (atMs === undefined) return;
  // The first scheduled run names the table before it writes the marker, and may have done both since the register was read.
  const register = await readRegister(table);
  assertNotFrozen(register, own);
  if (!isNew(register)) return;
  throw new TableFrozenError(
    `the table is empty, and the parameter ${name} says that this environment had another one at ${new Date(atMs).toISOString()}`,
    "An operator must deploy with the construct id and the Regions of that table again. An empty table serves once the parameter is set to 0; it may assign addresses that are in use.",
  );
}
