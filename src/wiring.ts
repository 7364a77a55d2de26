import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { currentActor } from "./acting.ts";
import type { Context } from "./allocator/core/context.ts";
import type { Store } from "./allocator/core/store.ts";
import { WarmCache } from "./allocator/core/warm-cache.ts";
import { countedTable } from "./counted-table.ts";
import {
  ANSWER_MS_MAX,
  CONNECT_MS_MAX,
  deadlineSender,
  deadlineSleep,
  deadlineTable,
} from "./deadline-table.ts";
import type { Random } from "./domain/fresh.ts";
import type { DescribedTable, TableIdentity } from "./domain/table-register.ts";
import { dryRunTable } from "./store/dry-run-table.ts";
import { identityThrough, tableThrough } from "./store/dynamodb-table.ts";
import { type Guard, guardedTable } from "./store/guarded-table.ts";
import type { ReadableHistory } from "./store/readable-history.ts";
import { type Patience, retryingTable, withRetries } from "./store/retrying-table.ts";
import { signedTable } from "./store/signed-table.ts";
import { makeStore } from "./store/store.ts";
import type { Table } from "./store/table.ts";
import { knownKeysTable } from "./store/table-format.ts";

const SOCKETS_MAX = 128;

let wired: { readonly table: Table | (Table & Guard); readonly context: Context } | undefined;

/** The parts of the context that `wire` set last, so that a process can serve one table after another. */
const CURRENT: Context = {
  get store() {
    return current().store;
  },
  get random() {
    return current().random;
  },
  get cache() {
    return current().cache;
  },
  get now() {
    return current().now;
  },
  get sleep() {
    return current().sleep;
  },
};

const current = (): Context => wired?.context ?? wire(tableOfEnvironment());

/**
 * Returns the context of all handlers in this process: always the one that `wire` set last, or one made once from the
 * environment.
 */
export function context(): Context {
  // Made when a function loads, because Lambda gives it more processor then.
  current();
  return CURRENT;
}

let readable: { readonly history: ReadableHistory | undefined } | undefined;

/** Returns the history, for the functions that read it: the one that `wireHistory` set, or that of the environment. */
export function readableHistory(): ReadableHistory | undefined {
  readable ??= { history: historyOfEnvironment() };
  return readable.history;
}

/** Sets the history that functions read; nothing if nobody publishes. */
export function wireHistory(history: ReadableHistory | undefined): void {
  readable = { history };
}

/** Returns the table of the history, for the publisher. @throws {Error} if the environment does not name it */
export function historyTable(): Table {
  const { HISTORY_TABLE_NAME } = process.env;
  if (!HISTORY_TABLE_NAME)
    throw new Error("HISTORY_TABLE_NAME is not set: it names the DynamoDB table of the history");
  return historyTableNamed(HISTORY_TABLE_NAME);
}

/** Sets the table and the context of the handlers. `npm start` and the tests use it. */
export function wire(table: Table | (Table & Guard), context = contextOf(table)): Context {
  wired = { table, context };
  return context;
}

/** Returns the table with its guard; nothing for a table without an id, such as that of `npm start`. */
export function guard(): (Table & Guard) | undefined {
  return wired && "assertServing" in wired.table ? wired.table : undefined;
}

/** Returns the context of one dry run: it keeps no write and no cache. */
export function dryRunContext(): Context {
  return contextOf(dryRunTable(wired?.table ?? tableOfEnvironment()));
}

/**
 * Makes a separate context over a table, with real randomness and an empty warm cache. The time is real unless it is
 * passed in.
 */
export function contextOf(table: Table, time: Time = REAL_TIME): Context {
  const { now } = time;
  const sleep = deadlineSleep(time.sleep);
  const store: Store = makeStore(
    knownKeysTable(signedTable(repeatingTable(table, time), currentActor)),
  );
  return { store, random: RANDOM, cache: new WarmCache(), now, sleep };
}

/** Returns the table that repeats a throttled call with pauses, before the deadline of its request. */
export const repeatingTable = (table: Table, time: Time = REAL_TIME): Table =>
  retryingTable(deadlineTable(table), patienceOf(time));

/** Makes a call again, with pauses, if the database throttles it. */
export const patiently = <T>(call: () => Promise<T>): Promise<T> =>
  withRetries(call, patienceOf(REAL_TIME));

const patienceOf = ({ sleep }: Pick<Time, "sleep">): Patience => ({
  random: RANDOM,
  sleep: deadlineSleep(sleep),
});

/** The clock of a context, and its way to wait. */
export type Time = Pick<Context, "now" | "sleep">;

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

/** Returns the table in DynamoDB. Each of its requests begins before the deadline. */
export function tableIn(client: DynamoDBClient, tableName: string): Table {
  return tableThrough(senderOf(client), tableName);
}

const senderOf = (client: DynamoDBClient) => deadlineSender(DynamoDBDocumentClient.from(client));

/** Returns the table in DynamoDB. It serves no write while it is frozen. */
function guardedTableIn(client: DynamoDBClient, tableName: string): Table & Guard {
  const identify = () => identityIn(client, tableName);
  return guardedTable(countedTable(tableIn(client, tableName)), { identify, now: REAL_TIME.now });
}

/** Describes a table, with its id. */
export const identityIn = (client: DynamoDBClient, tableName: string): Promise<DescribedTable> =>
  identityThrough(senderOf(client), tableName);

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

function tableOfEnvironment(): Table & Guard {
  const { tableName, endpoint } = readEnvironment();
  return guardedTableIn(dynamoClient(endpoint), tableName);
}

function historyOfEnvironment(): ReadableHistory | undefined {
  const { HISTORY_TABLE_NAME, HISTORY_DAYS, PUBLISHES } = process.env;
  if (!HISTORY_TABLE_NAME) return undefined;
  return {
    table: historyTableNamed(HISTORY_TABLE_NAME),
    keptMs: Number(HISTORY_DAYS) * 86_400_000,
    publishes: PUBLISHES === "true",
  };
}

function historyTableNamed(name: string): Table {
  return repeatingTable(tableIn(dynamoClient(process.env.DYNAMODB_ENDPOINT || undefined), name));
}

/**
 * Reads the variables of the table.
 */
function readEnvironment() {
  const { TABLE_NAME, DYNAMODB_ENDPOINT } = process.env;
  if (!TABLE_NAME) throw new Error("TABLE_NAME is not set: it names the DynamoDB table");
  return { tableName: TABLE_NAME, endpoint: DYNAMODB_ENDPOINT || undefined };
}

const RANDOM: Random = { fraction: Math.random, bytes: drawn };

/** Bytes per request to the system, because one request costs as much as some hundred bytes. Each byte is used once. */
const PAGE_BYTES = 4_096;
let page = Buffer.alloc(0);

function drawn(count: number): Uint8Array {
  if (page.length < count) page = randomBytes(Math.max(PAGE_BYTES, count));
  const bytes = page.subarray(0, count);
  page = page.subarray(count);
  return bytes;
}

const REAL_TIME: Time = {
  now: () => Date.now(),
  sleep: async (ms) => {
    await sleep(ms);
  },
};
