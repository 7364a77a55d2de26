import type { Actor } from "../base/actor.ts";
import { ANSWER_MS_MAX, CONNECT_MS_MAX, REQUEST_MS_MAX } from "../base/limits.ts";
import {
  type Deadline,
  DeadlineError,
  ThrottledError,
  UnavailableError,
  type WriteCounts,
} from "../base/outcome.ts";
import { affinityItems } from "../kernel/items/affinity.ts";
import { allocationItems } from "../kernel/items/allocation.ts";
import { blockItems } from "../kernel/items/block.ts";
import { blockGroupIndexItems } from "../kernel/items/block-group-index.ts";
import { borrowedBlockItems } from "../kernel/items/borrowed-block.ts";
import { fullBlockItems } from "../kernel/items/full-block.ts";
import { fullPoolItems } from "../kernel/items/full-pool.ts";
import { indexEntryItems } from "../kernel/items/index-entry.ts";
import { lendingItems } from "../kernel/items/lending.ts";
import { nodeLifeItems } from "../kernel/items/node-life.ts";
import { progressItems } from "../kernel/items/progress.ts";
import { quotaSlotItems } from "../kernel/items/quota-slot.ts";
import type { Random } from "../kernel/values/fresh.ts";
import { applicationItems } from "../nouns/application/item.ts";
import { ciliumReportItems } from "../nouns/cilium/item.ts";
import { jobItems } from "../nouns/job/item.ts";
import { namespaceItems } from "../nouns/namespace/item.ts";
import { nodeItems } from "../nouns/node/item.ts";
import { statedRangeItems } from "../nouns/node/stated-ranges-item.ts";
import { planItems, spaceItems } from "../nouns/pool/item.ts";
import { budgetItems } from "../nouns/quota/budget-item.ts";
import { quotaItems } from "../nouns/quota/item.ts";
import { spaceEntryItems } from "../nouns/space/item.ts";
import { poolUsageItems } from "../nouns/utilization/item.ts";
import type { Sender } from "../table/dynamodb-table.ts";
import { formattedTable, isTold, type KnownKeys, knownKeysTable } from "../table/format.ts";
import type { TableGuard } from "../table/guarded-table.ts";
import { signedTable } from "../table/signed-table.ts";
import type { Table } from "../table/table.ts";
import { scanning } from "./contents.ts";

/** Tries of a call that the database throttles or rejects for a replicated-write conflict, and of a read without an answer. */
export const CALL_TRIES_MAX = 6;

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
  /** Nothing for a table without an id, such as that of a laptop. */
  readonly guard: Pick<TableGuard, "over"> | undefined;
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
 * 7. the guard, which keeps a table that is frozen from being written (`guardedTable`)
 * 8. the table of the process: in DynamoDB, in a file, or in memory
 */
export function storeOver(base: Base, { actor, deadline, counts }: Carried, shared: Shared) {
  return makeStore(
    knownKeysTable(
      signedTable(repeatingTable(base, { deadline, counts }, shared), actor),
      shared.keys,
    ),
  );
}

/** Returns the table that repeats a call that did nothing with pauses, before the deadline of its request. */
export function repeatingTable(
  base: Base,
  { deadline, counts }: Omit<Carried, "actor">,
  { patience, guard }: Omit<Shared, "keys">,
): Table {
  const own = base(deadline);
  const plain = guard ? guard.over(own) : own;
  const counted = counts ? countedTable(plain, counts) : plain;
  if (!deadline) return retryingTable(counted, patience);
  const sleep = deadlineSleep(patience.sleep, deadline);
  return retryingTable(deadlineTable(counted, deadline), { ...patience, sleep });
}

const FIRST_PAUSE_MS = 25;
const PAUSE_MS_MAX = 800;

/** The random source and the sleep of retries. Both are passed in. */
export interface Patience {
  readonly random: Random;
  sleep(ms: number): Promise<void>;
}

/**
 * Returns a table that repeats a call after an error that says that nothing was done
 * (`ThrottledError`), and a read also after no answer. It never repeats a write whose outcome is
 * unknown (rule 3): the table returns that outcome, and throws nothing. The pauses of a call sum up to more than 0.75 s, so that a read outlasts a
 * database that is away for a moment. Half of each pause is random.
 */
export function retryingTable(table: Table, patience: Patience): Table {
  return eachCall(table, (call) => withRetries(call, patience));
}

/** Makes a call again as a table that retries does. */
export async function withRetries<T>(
  call: () => Promise<T>,
  { random, sleep }: Patience,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const mayPass = error instanceof ThrottledError || error instanceof UnavailableError;
      if (!mayPass || attempt >= CALL_TRIES_MAX) throw error;
      const pauseMsMax = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** attempt);
      await sleep((0.5 + random.fraction() / 2) * pauseMsMax);
    }
  }
}

/** Time to write the answer and send it. */
const WORDS_MS = 500;
/**
 * The last moment at which a call to the table may begin. Lambda stops a function without an answer when its time is
 * up, so a later call might be the last one.
 */
const LAST_CALL_MS = REQUEST_MS_MAX - CONNECT_MS_MAX - ANSWER_MS_MAX - WORDS_MS;

/** Returns the deadline of a request that begins now. Each of its calls to the table begins early enough for an answer. */
export const deadlineFromNow = (nowMs = () => performance.now()): Deadline => ({
  lastCallMs: nowMs() + LAST_CALL_MS,
  nowMs,
});

/**
 * Returns a table that begins no call for a request whose time is up, as if its function had been stopped there. Then
 * the caller receives that error, and the handle under which an assign may hold addresses.
 */
function deadlineTable(table: Table, deadline: Deadline): Table {
  return eachCall(table, (call) => {
    const late = lateness(deadline, 0);
    return late ? Promise.reject(late) : call();
  });
}

/** Applies the same deadline to each page of a Query, because each page is a request of its own. */
export function deadlineSender(sender: Sender, deadline: Deadline): Sender {
  const send = async (...command: Parameters<Sender["send"]>) => {
    assertInTime(deadline);
    return sender.send(...command);
  };
  return { send } as Sender;
}

/** Returns a sleep that pauses only if a call can still begin after the pause. */
export function deadlineSleep(sleep: (ms: number) => Promise<void>, deadline: Deadline) {
  return async (ms: number): Promise<void> => {
    assertInTime(deadline, ms);
    await sleep(ms);
  };
}

/**
 * Checks that a call can still begin.
 *
 * @throws {DeadlineError} if a call that begins after this many milliseconds would be too late
 */
export function assertInTime(deadline: Deadline, afterMs = 0): void {
  const late = lateness(deadline, afterMs);
  if (late) throw late;
}

const lateness = ({ lastCallMs, nowMs }: Deadline, afterMs: number): DeadlineError | undefined =>
  nowMs() + afterMs > lastCallMs
    ? new DeadlineError("the request ran out of time before its end, and its changes so far remain")
    : undefined;

/** The counts that a write adds to, by its step, once it is done. */
const COUNTED_STEPS: Readonly<Record<string, "claims" | "seizes" | "borrows">> = {
  "create-block": "claims",
  seize: "seizes",
  borrowed: "borrows",
};

/** Returns a table that counts its conditional writes into `into`, by their step and their outcome. */
export function countedTable(table: Table, into: WriteCounts): Table {
  return {
    ...eachCall(table, (call) => call()),
    async write(write) {
      const outcome = await table.write(write);
      into.writes++;
      if (outcome.outcome === "lost") into.conflicts++;
      const counted = COUNTED_STEPS[write.step];
      if (counted && outcome.outcome === "done") into[counted]++;
      return outcome;
    },
  };
}

/** Returns a table that carries out each of its calls through the same function. */
export function eachCall(table: Table, carryOut: <T>(call: () => Promise<T>) => Promise<T>): Table {
  return {
    get: (key, options) => carryOut(() => table.get(key, options)),
    query: (pk, options) => carryOut(() => table.query(pk, options)),
    scan: (limit, options) => carryOut(() => table.scan(limit, options)),
    due: (shard, options) => carryOut(() => table.due(shard, options)),
    write: (write) => carryOut(() => table.write(write)),
  };
}

/** The calls for each kind of item, over a table. */
const KINDS = [
  blockItems,
  affinityItems,
  fullBlockItems,
  borrowedBlockItems,
  quotaSlotItems,
  quotaItems,
  budgetItems,
  allocationItems,
  indexEntryItems,
  applicationItems,
  spaceItems,
  spaceEntryItems,
  planItems,
  blockGroupIndexItems,
  fullPoolItems,
  lendingItems,
  poolUsageItems,
  jobItems,
  nodeItems,
  nodeLifeItems,
  ciliumReportItems,
  statedRangeItems,
  namespaceItems,
  progressItems,
  (table: Table) => ({ checkKeys: async () => void (await isTold(table)) }),
  scanning,
] as const;

/** The calls of all kinds of items together. */
type Together<Kinds extends readonly ((table: Table) => object)[]> = Kinds extends readonly [
  infer First extends (table: Table) => object,
  ...infer Rest extends ((table: Table) => object)[],
]
  ? ReturnType<First> & Together<Rest>
  : unknown;

type StoreCalls = Together<typeof KINDS>;

/**
 * Returns the calls for every kind of item over one table. Each method is one call to the database. The calls of a kind
 * are made when the first of them is needed, because a request needs few kinds.
 */
export function makeStore(plain: Table): StoreCalls {
  return new LazyStore(formattedTable(plain)) as unknown as StoreCalls;
}

class LazyStore {
  readonly table: Table;
  /** The calls of each kind that were needed, in the order of `KINDS`. */
  readonly made: Readonly<Record<string, unknown>>[] = [];

  constructor(table: Table) {
    this.table = table;
  }
}

/** The calls that only tell their names. */
const NO_TABLE = {} as Table;

for (const [index, make] of KINDS.entries())
  for (const name of Object.keys(make(NO_TABLE)))
    Object.defineProperty(LazyStore.prototype, name, {
      get(this: LazyStore) {
        this.made[index] ??= make(this.table);
        return this.made[index][name];
      },
    });
