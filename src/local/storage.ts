import { join, resolve } from "node:path";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { dynamoTable } from "../store/dynamo.ts";
import { MemoryTable } from "../store/memory.ts";
import type { Table } from "../store/table.ts";
import { dynamoClient } from "../wiring.ts";
import { createTable } from "./create-table.ts";
import { type Emulator, emulatorBinary, startEmulator } from "./emulator.ts";
import { UsageError } from "./usage-error.ts";

export const TABLE_NAME = "plat";

/** Where the laptop's table is. */
export interface Storage {
  readonly table: Table;
  /** Says where data is kept, for the first line on the terminal. */
  readonly sentence: string;
  /** Resolves with the reason when the data is out of reach for good. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

export interface StorageOptions {
  /** A directory to keep data in. */
  readonly data?: string | undefined;
  /** A DynamoDB that runs elsewhere. */
  readonly endpoint?: string | undefined;
}

const IN_MEMORY = "Data is kept in memory only and is gone when this stops";
const RESTARTS_MAX = 5;
const NEVER = new Promise<never>(() => {});

/** The embedded DynamoDB, another one, or this process's own memory, in the order of what was asked for and what there is. */
export async function openStorage({ data, endpoint }: StorageOptions): Promise<Storage> {
  if (data !== undefined && endpoint)
    throw new UsageError(
      "--data and DYNAMODB_ENDPOINT exclude each other: the DynamoDB at the endpoint keeps its own data.",
    );
  if (endpoint) return elsewhere(endpoint);
  if (emulatorBinary()) return embedded(data);
  if (data === undefined)
    return { table: new MemoryTable(), sentence: IN_MEMORY, lost: NEVER, stop: async () => {} };
  throw new UsageError(
    "--data needs the embedded DynamoDB, which there is not for this platform; set DYNAMODB_ENDPOINT to a DynamoDB of yours.",
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
  const file = data === undefined ? undefined : join(resolve(data), "plat.db");
  let emulator = await startEmulator({ file });
  let stopping = false;
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
    lost: watch(),
    async stop() {
      stopping = true;
      client.destroy();
      await emulator.stop();
    },
  };

  /** Data on disk outlives the process, so that is started again where callers expect it. */
  async function watch(): Promise<string> {
    for (let restart = 0; ; restart++) {
      const reason = await emulator.exited;
      if (stopping) return NEVER;
      if (file === undefined || restart === RESTARTS_MAX) return reason;
      console.error(`The embedded DynamoDB ended (${reason}) and is started again.`);
      try {
        emulator = await startAgain(file, emulator);
      } catch (error) {
        return (error as Error).message;
      }
      // A stop that came while it started found nothing to stop.
      if (stopping) await emulator.stop();
    }
  }
}

const startAgain = (file: string, { port }: Emulator) => startEmulator({ file, port });

const over = (client: DynamoDBClient) => ({ table: dynamoTable(client, TABLE_NAME) });
