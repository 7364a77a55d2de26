import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { ANSWER_MS_MAX, CONNECT_MS_MAX } from "./base/limits.ts";
import type { Deadline } from "./base/outcome.ts";
import type { Connect, Context } from "./kernel/core/context.ts";
import type { Store } from "./kernel/core/store.ts";
import { WarmCache } from "./kernel/core/warm-cache.ts";
import {
  type Base,
  type Carried,
  deadlineFromNow,
  deadlineSender,
  deadlineSleep,
  type Patience,
  repeatingTable,
  retryingTable,
  type Shared,
  storeOver,
  withRetries,
} from "./store/stack.ts";
import { dryRunTable } from "./table/dry-run-table.ts";
import { identityThrough, type Sender, tableThrough } from "./table/dynamodb-table.ts";
import { KnownKeys } from "./table/format.ts";
import { guardedTable, type TableGuard } from "./table/guarded-table.ts";
import type { Marker } from "./table/parameter-marker.ts";
import type { ReadableHistory } from "./table/readable-history.ts";
import type { DescribedTable, TableIdentity } from "./table/register.ts";
import type { Table } from "./table/table.ts";

const SOCKETS_MAX = 128;

/** Everything that the maker of a function takes. Functions over two of them share nothing. */
export interface Wiring {
  readonly connect: Connect;
  /** Returns a context of which nobody is the author, with the warm cache of the requests. */
  readonly context: () => Context;
  /** Absent for a table without an id, such as that of `npm start`. */
  readonly guard?: (Table & TableGuard) | undefined;
  /** Returns the history for one request, or for work without an end. Absent if nobody publishes. */
  readonly history?: ((deadline?: Deadline) => ReadableHistory) | undefined;
}

/**
 * Makes the handler that Lambda runs, over the tables that the environment names. It does so while the function loads,
 * because Lambda gives more processor then.
 *
 * @param make the maker of the function, which a laptop and the tests call with a wiring of their own
 * @param marker the marker beside the table, for a function that may write the first item of a table
 * @returns a handler that rejects each call if the environment names no table
 */
export function deployed<Args extends readonly unknown[], Result>(
  make: (wiring: Wiring) => (...args: Args) => Promise<Result>,
  marker?: Marker,
): (...args: Args) => Promise<Result> {
  if (process.env.TABLE_NAME) return make(wiringOfEnvironment(marker));
  return async () => {
    throw new Error(NO_TABLE_NAME);
  };
}

const NO_TABLE_NAME = "TABLE_NAME is not set: it names the DynamoDB table";

/**
 * Makes a wiring over a table, with an empty warm cache. It has no history.
 *
 * @param surroundings those of the machine unless they are passed in
 * @param guard that of the table; absent for a table without an id
 */
export const wiringOver = (
  table: Table,
  surroundings: Partial<Surroundings> = {},
  guard?: Table & TableGuard,
): Wiring => wiringOf(platOver(() => table, surroundings, guard));

/** A table with what its requests share. */
interface Plat extends Shared {
  readonly base: Base;
  readonly guard: (Table & TableGuard) | undefined;
  readonly surroundings: Surroundings;
  readonly cache: WarmCache;
}

const wiringOf = (plat: Plat): Wiring => ({
  connect({ isAwaited, counts, actor, deadline: given }) {
    const deadline =
      given ?? (isAwaited ? deadlineFromNow(plat.surroundings.elapsedMs) : undefined);
    const carried = { actor, deadline, counts };
    return { plat: contextIn(plat, carried), deadline, dryRun: () => dryRunOf(plat, carried) };
  },
  context: () => contextIn(plat, {}),
  guard: plat.guard,
});

/** Returns the history of a function that has one, for work without an end. @throws {Error} if the environment does not name its table */
export function historyOf({ history }: Wiring): ReadableHistory {
  if (history) return history();
  throw new Error("HISTORY_TABLE_NAME is not set: it names the DynamoDB table of the history");
}

/** Returns the context of one dry run: it keeps no write and no cache. */
const dryRunOf = ({ base, surroundings }: Plat, carried: Carried): Context =>
  contextIn(
    platOver((deadline) => dryRunTable(base(deadline)), surroundings),
    carried,
  );

/**
 * Makes a separate context over a table, with an empty warm cache.
 *
 * @param surroundings those of the machine unless they are passed in
 */
export const contextOf = (
  table: Table,
  surroundings?: Partial<Surroundings>,
  carried: Carried = {},
): Context => contextsOver(table, surroundings)(carried);

/** Returns a function that makes contexts over a table as the requests of one process have them. */
export function contextsOver(
  table: Table,
  surroundings: Partial<Surroundings> = {},
  guard?: Table & TableGuard,
): (carried: Carried) => Context {
  const plat = platOver(() => table, surroundings, guard);
  return (carried) => contextIn(plat, carried);
}

function platOver(base: Base, given: Partial<Surroundings>, guard?: Table & TableGuard): Plat {
  const surroundings = { ...OF_THE_MACHINE, ...given };
  return {
    base,
    guard,
    surroundings,
    cache: new WarmCache(),
    keys: new KnownKeys(),
    patience: { random: surroundings.random, sleep: surroundings.sleep },
  };
}

function contextIn({ base, surroundings, cache, ...shared }: Plat, carried: Carried): Context {
  const { now, sleep, random } = surroundings;
  const { deadline } = carried;
  return {
    store: storeOver(base, carried, shared) satisfies Store,
    random,
    cache,
    now,
    sleep: deadline ? deadlineSleep(sleep, deadline) : sleep,
  };
}

/** Returns the table that repeats a throttled call with pauses. */
export const repeating = (table: Table, surroundings: Partial<Patience> = {}): Table =>
  retryingTable(table, { ...OF_THE_MACHINE, ...surroundings });

/** Makes a call again, with pauses, if the database throttles it. */
export const patiently = <T>(call: () => Promise<T>): Promise<T> =>
  withRetries(call, OF_THE_MACHINE);

/** The clock of a context, its way to wait, and its source of fresh values. */
export interface Surroundings extends Pick<Context, "now" | "sleep" | "random"> {
  /** The clock of deadlines, which nobody sets: the milliseconds since a moment; that of the process if absent. */
  readonly elapsedMs?: () => number;
}

/**
 * Makes a client for AWS, or for another endpoint. Another endpoint needs no credentials of AWS, but the SDK signs
 * every request, so any credentials will do.
 *
 * @param region the Region of AWS; that of the environment unless it is named
 */
export function dynamoClient(endpoint?: string, region?: string): DynamoDBClient {
  const { AWS_ACCESS_KEY_ID, AWS_PROFILE, AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  const anonymous = !AWS_ACCESS_KEY_ID && !AWS_PROFILE;
  const agent = { keepAlive: true, maxSockets: SOCKETS_MAX };
  const client = new DynamoDBClient({
    // Rule 3, no blind retry: only `retryingTable` repeats calls, and only those that may be repeated.
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: CONNECT_MS_MAX,
      requestTimeout: ANSWER_MS_MAX,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && {
      endpoint,
      region: AWS_REGION ?? AWS_DEFAULT_REGION ?? "us-east-1",
      ...(anonymous && { credentials: { accessKeyId: "local", secretAccessKey: "local" } }),
    }),
  });
  // The logger middleware copies each request and each answer, even without a logger. That is half of the SDK's work
  // with a block.
  client.middlewareStack.remove("loggerMiddleware");
  return client;
}

/** Returns the table in DynamoDB. */
export const tableIn = (client: DynamoDBClient, tableName: string): Table =>
  tableThrough(DynamoDBDocumentClient.from(client), tableName);

/** Describes a table, with its id. */
export const identityIn = (client: DynamoDBClient, tableName: string): Promise<DescribedTable> =>
  identityThrough(DynamoDBDocumentClient.from(client), tableName);

/** Describes the replica of this process's table in another Region. */
export async function identifyReplica(region: string): Promise<TableIdentity> {
  const { tableName, endpoint } = readEnvironment();
  const client = dynamoClient(endpoint, region);
  try {
    return await identityIn(client, tableName);
  } finally {
    client.destroy();
  }
}

/**
 * Makes a wiring over the table in DynamoDB, and over the history beside it. The table serves no write while it is
 * frozen, and begins each request before the deadline.
 */
function wiringOfEnvironment(marker: Marker | undefined): Wiring {
  const { tableName, endpoint } = readEnvironment();
  const client = dynamoClient(endpoint);
  const sender = DynamoDBDocumentClient.from(client);
  const base = baseThrough(sender, tableName);
  const identify = () => identityIn(client, tableName);
  const guard = guardedTable(base(), { identify, marker, now: OF_THE_MACHINE.now });
  return { ...wiringOf(platOver(base, {}, guard)), history: historyOfEnvironment(sender) };
}

/** Returns the table of a process in DynamoDB. Each page of a query for a request begins before its deadline. */
function baseThrough(sender: Sender, tableName: string): Base {
  const table = tableThrough(sender, tableName);
  return (deadline) =>
    deadline ? tableThrough(deadlineSender(sender, deadline), tableName) : table;
}

function historyOfEnvironment(sender: Sender): Wiring["history"] {
  const { HISTORY_TABLE_NAME, HISTORY_DAYS, PUBLISHES } = process.env;
  if (!HISTORY_TABLE_NAME) return undefined;
  const base = baseThrough(sender, HISTORY_TABLE_NAME);
  const kept = { keptMs: Number(HISTORY_DAYS) * 86_400_000, publishes: PUBLISHES === "true" };
  // Nothing guards it: it has no id of its own, and only the publisher writes it.
  const shared = { patience: OF_THE_MACHINE, guard: undefined };
  return (deadline) => ({ ...kept, table: repeatingTable(base, { deadline }, shared) });
}

/**
 * Reads the variables of the table.
 */
function readEnvironment() {
  const { TABLE_NAME, DYNAMODB_ENDPOINT } = process.env;
  if (!TABLE_NAME) throw new Error(NO_TABLE_NAME);
  return { tableName: TABLE_NAME, endpoint: DYNAMODB_ENDPOINT || undefined };
}

/** Bytes per request to the system, because one request costs as much as some hundred bytes. Each byte is used once. */
const PAGE_BYTES = 4_096;
let page = Buffer.alloc(0);

function drawn(count: number): Uint8Array {
  if (page.length < count) page = randomBytes(Math.max(PAGE_BYTES, count));
  const bytes = page.subarray(0, count);
  page = page.subarray(count);
  return bytes;
}

const OF_THE_MACHINE: Surroundings = {
  now: () => Date.now(),
  sleep: async (ms) => {
    await sleep(ms);
  },
  random: { fraction: Math.random, bytes: drawn },
};
