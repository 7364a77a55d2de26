import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { createTableAs } from "../src/local/create-table.ts";
import { startEmulator } from "../src/local/emulator.ts";
import { dynamoClient } from "../src/wiring.ts";
import type { DeployedTable } from "./deployment.ts";

/** The embedded DynamoDB with the table of the template. */
export interface Database {
  readonly endpoint: string;
  /** Past all policies. */
  readonly client: DynamoDBClient;
  /** Resolves with the reason when the data is out of reach for good. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

const RESTARTS_MAX = 10;

/**
 * Starts the embedded DynamoDB, and again where it ends and keeps its data in a file.
 *
 * @param file where data is kept; without it, in the memory of the process
 */
export async function openDatabase(
  { name, ...definition }: DeployedTable,
  file: string | undefined,
): Promise<Database> {
  let emulator = await startEmulator({ file });
  let isStopping = false;
  const { endpoint, port } = emulator;
  const client = dynamoClient(endpoint);
  try {
    const { arn: _, GlobalSecondaryIndexes, ...keys } = definition;
    await createTableAs(client, {
      TableName: name,
      ...keys,
      ...(GlobalSecondaryIndexes.length > 0 && { GlobalSecondaryIndexes }),
    });
  } catch (error) {
    await emulator.stop();
    throw error;
  }
  return {
    endpoint,
    client,
    lost: watch(),
    async stop() {
      isStopping = true;
      client.destroy();
      await emulator.stop();
    },
  };

  async function watch(): Promise<string> {
    for (let restart = 0; ; restart++) {
      const reason = await emulator.exited;
      if (isStopping) return new Promise<never>(() => {});
      if (file === undefined || restart === RESTARTS_MAX) return reason;
      console.error(`The embedded DynamoDB ended (${reason}) and is started again.`);
      try {
        emulator = await startEmulator({ file, port });
      } catch (error) {
        return (error as Error).message;
      }
      // A stop that came while it started found nothing to stop.
      if (isStopping) await emulator.stop();
    }
  }
}
