import type { Actor } from "../domain/actor.ts";
import type { WriteCounts } from "../domain/write-counts.ts";
import { countedTable } from "./counted-table.ts";
import { type Deadline, deadlineSleep, deadlineTable } from "./deadline-table.ts";
import { type Patience, retryingTable } from "./retrying-table.ts";
import { signedTable } from "./signed-table.ts";
import { makeStore } from "./store.ts";
import type { Table } from "./table.ts";
import { type KnownKeys, knownKeysTable } from "./table-format.ts";

/** The things that a request or run carries to each of its calls of the table. */
export interface Carried {
  /** The author of its writes, whom every item names. Nobody in commands. */
  readonly actor?: Actor;
  /** The last moment of its calls. Scheduled runs and commands have none, and are always served. */
  readonly deadline?: Deadline | undefined;
  /** The counts of its writes. */
  readonly counts?: WriteCounts | undefined;
}

/** Returns the table of a process for a request. Only a table whose calls are several requests each reads the deadline. */
export type Base = (deadline?: Deadline) => Table;

/** The parts of the layers that all requests of a process share. */
export interface Shared {
  readonly patience: Patience;
  readonly keys: KnownKeys;
}

/**
 * Returns the store of a request. Its layers, from the store to the database:
 *
 * 1. the calls of each kind of item, and the format number in each item (`makeStore`)
 * 2. the format of the keys, which a process checks once (`knownKeysTable`)
 * 3. the author in each item (`signedTable`)
 * 4. tries after calls that did nothing (`retryingTable`)
 * 5. the end of the request's time (`deadlineTable`)
 * 6. the counts of its writes (`countedTable`)
 * 7. the table of the process: in DynamoDB behind its guard (`guardedTable`), in a file, or in memory
 */
export function storeOver(base: Base, { actor, deadline, counts }: Carried, shared: Shared) {
  return makeStore(
    knownKeysTable(
      signedTable(repeatingTable(base, { deadline, counts }, shared.patience), actor),
      shared.keys,
    ),
  );
}

/** Returns the table that repeats a call that did nothing with pauses, before the deadline of its request. */
function repeatingTable(
  base: Base,
  { deadline, counts }: Omit<Carried, "actor">,
  patience: Patience,
): Table {
  const plain = base(deadline);
  const counted = counts ? countedTable(plain, counts) : plain;
  if (!deadline) return retryingTable(counted, patience);
  const sleep = deadlineSleep(patience.sleep, deadline);
  return retryingTable(deadlineTable(counted, deadline), { ...patience, sleep });
}
