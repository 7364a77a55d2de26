import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { LmdbTable } from "../store/lmdb-table.ts";
import { ChangeLog, InMemoryFeed } from "../table/change-log.ts";
import { InMemoryTable } from "../table/in-memory-table.ts";
import { openEnvironment, UnusableFile } from "../table/lmdb-environment.ts";
import type { Table } from "../table/table.ts";
import { dynamoClient, tableIn } from "../wiring.ts";
import { createTable } from "./create-table.ts";
import { makeDirectory } from "./data-directory.ts";
import { emulatorBinary } from "./emulator.ts";
import { keepEmulator } from "./kept-emulator.ts";
import { type Publisher, type PublishingOptions, publishHere } from "./publishing.ts";
import { publishBeside } from "./publishing-beside.ts";
import { UsageError } from "./usage-error.ts";

export const TABLE_NAME = "plat";

/** The place of a local table. */
export interface Storage {
  readonly table: Table;
  /** Waits until everything that the table has reported is kept. Absent if a call itself waits for that. */
  readonly onDisk?: () => Promise<void>;
  /** Starts to publish the changes of the table. Absent for a DynamoDB, because its stream is not read. */
  readonly publish?: (sources: Pick<PublishingOptions, "store" | "now">) => Publisher;
  /** A sentence about where the data is kept, for the first line on the terminal. */
  readonly sentence: string;
  /** Resolves with a sentence when the data is permanently unavailable. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

export type StorageOptions =
  /** A file in this directory. */
  | { readonly table: "file"; readonly data: string }
  /** The memory of this process. */
  | { readonly table: "memory" }
  /** The embedded DynamoDB, which keeps its data in this directory or in its memory. */
  | { readonly table: "dynamodb"; readonly data?: string | undefined }
  /** A DynamoDB elsewhere. */
  | { readonly table: "endpoint"; readonly endpoint: string };

/** The names of the files of tables in the data directory. */
const FILE = "plat.lmdb";
const HISTORY_FILE = "plat-history.lmdb";
const TRAIL = "trail";
const DYNAMODB_FILE = "plat.db";

const IN_MEMORY = "Data is kept in memory only and is gone when this stops";
const NEVER = new Promise<never>(() => {});

/** Opens the table that the options name. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  switch (options.table) {
    case "file":
      return inFile(options.data);
    case "memory":
      return inMemory();
    case "dynamodb":
      return embedded(options.data);
    case "endpoint":
      return elsewhere(options.endpoint);
    default:
      return options satisfies never;
  }
}

function inMemory(): Storage {
  const feed = new InMemoryFeed(new ChangeLog(Date.now));
  const history = new InMemoryTable();
  return {
    table: new InMemoryTable(feed),
    publish: (sources) => publishHere({ feed, history, ...sources }),
    sentence: IN_MEMORY,
    lost: NEVER,
    stop: async () => {},
  };
}

async function inFile(data: string): Promise<Storage> {
  expectNo(DYNAMODB_FILE, data, "the embedded DynamoDB; start with --dynamodb");
  const lmdb = await loadLmdb();
  const directory = resolve(data);
  makeDirectory(directory);
  const files = {
    table: join(directory, FILE),
    history: join(directory, HISTORY_FILE),
    trail: join(directory, TRAIL),
  };
  const opened = (file: string) =>
    openEnvironment(lmdb, file).catch((error) => {
      throw error instanceof UnusableFile
        ? new UsageError(`${error.message} Another directory can be named with --data.`)
        : error;
    });
  const table = new LmdbTable(await opened(files.table), Date.now);
  const history = await opened(files.history).then(
    (environment) => new LmdbTable(environment),
    async (error) => {
      await table.close();
      throw error;
    },
  );
  const sentenceOf = (reason: string) => `Data can no longer be kept in ${data}: ${reason}`;
  return {
    table,
    onDisk: () => table.onDisk(),
    publish() {
      const publisher = publishBeside(files, table.feed, history);
      return { ...publisher, lost: publisher.lost.then(sentenceOf) };
    },
    sentence: `Data is kept in ${data}`,
    lost: table.lost.then(sentenceOf),
    async stop() {
      await table.close();
      await history.close();
    },
  };
}

/** Returns true if a table can be kept in a file, which needs lmdb. */
export const canKeepFiles = (): Promise<boolean> =>
  loadLmdb().then(
    () => true,
    () => false,
  );

/** Loads lmdb. It is an optional dependency with a binary for each platform, and npm may have left out either. */
async function loadLmdb() {
  try {
    return await import("lmdb");
  } catch (cause) {
    throw new UsageError(
      isNotInstalled(cause as Error)
        ? `Keeping data needs lmdb, an optional dependency that is not installed for ${process.platform}-${process.arch}; run npm ci in a clone or npm install plat-ipam elsewhere, without --omit=optional, or start with --memory.`
        : `Keeping data needs lmdb, and it cannot be loaded: ${(cause as Error).message}; repair it, or start with --memory.`,
      { cause },
    );
  }
}

/** Returns true if lmdb is missing, or if its loader reports that its binary is missing. */
const isNotInstalled = ({ message }: Error): boolean =>
  /^(Cannot find package 'lmdb'|No native build was found)/.test(message);

/** Rejects a directory with two tables, because each server would run without the other's data. */
function expectNo(file: string, data: string, owner: string): void {
  if (existsSync(join(data, file)))
    throw new UsageError(
      `${data} has the data of ${owner}, or name another directory with --data.`,
    );
}

async function elsewhere(endpoint: string): Promise<Storage> {
  const client = dynamoClient(endpoint);
  await createTable(client, TABLE_NAME).catch((cause) => {
    throw new Error(`The DynamoDB at ${endpoint} cannot be used: ${cause.message || cause.name}.`, {
      cause,
    });
  });
  const sentence = `Data is kept by the DynamoDB at ${endpoint}`;
  return { ...over(client), sentence, lost: NEVER, stop: async () => client.destroy() };
}

async function embedded(data: string | undefined): Promise<Storage> {
  if (!emulatorBinary())
    throw new UsageError(
      "--dynamodb needs the embedded DynamoDB, an optional dependency for Linux on x64 that is not installed; start without it, or set DYNAMODB_ENDPOINT to a DynamoDB of yours.",
    );
  if (data !== undefined) expectNo(FILE, data, "the table without --dynamodb; start without it");
  if (data !== undefined) makeDirectory(data);
  const file = data === undefined ? undefined : join(resolve(data), DYNAMODB_FILE);
  const emulator = await keepEmulator(file);
  const client = dynamoClient(emulator.endpoint);
  try {
    await createTable(client, TABLE_NAME);
  } catch (error) {
    await emulator.stop();
    throw error;
  }
  return {
    ...over(client),
    sentence: file === undefined ? IN_MEMORY : `Data is kept in ${data}`,
    lost: emulator.lost,
    async stop() {
      client.destroy();
      await emulator.stop();
    },
  };
}

const over = (client: DynamoDBClient) => ({ table: tableIn(client, TABLE_NAME) });
