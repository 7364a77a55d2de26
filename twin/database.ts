import { join, resolve } from "node:path";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Context } from "../src/kernel/core/context.ts";
import { createTableAs } from "../src/local/create-table.ts";
import { keepEmulator } from "../src/local/kept-emulator.ts";
import { contextOf, dynamoClient, tableIn } from "../src/wiring.ts";
import type { DeployedTable, Deployment } from "./deployment.ts";

/** The embedded DynamoDB with the table of the template. */
export interface Database {
  readonly endpoint: string;
  /** A client that no policy limits. */
  readonly client: DynamoDBClient;
  /** A context over the table with that client. */
  readonly context: Context;
  /** Resolves with a sentence when the data is permanently unavailable. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

/** Returns the file of an environment's table in a data directory. */
export const databaseFile = (data: string, { name }: DeployedTable): string =>
  join(resolve(data), `${name}.db`);

/**
 * Opens the embedded DynamoDB, and creates the tables of the templates.
 *
 * @param file the file of the data; without it, the memory of a process
 */
export async function openDatabase(
  { table, otherTables }: Pick<Deployment, "table" | "otherTables">,
  file: string | undefined,
): Promise<Database> {
  const { endpoint, lost, stop } = await keepEmulator(file);
  const client = dynamoClient(endpoint);
  try {
    await createTables(client, { table, otherTables });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    endpoint,
    client,
    context: contextOf(tableIn(client, table.name)),
    lost,
    async stop() {
      client.destroy();
      await stop();
    },
  };
}

/** Creates the tables of the templates, unless they exist. */
export async function createTables(
  client: DynamoDBClient,
  { table, otherTables }: Pick<Deployment, "table" | "otherTables">,
): Promise<void> {
  for (const each of [table, ...otherTables]) await createTableOf(client, each);
}

async function createTableOf(
  client: DynamoDBClient,
  {
    name: TableName,
    arn: _,
    TimeToLiveSpecification: __,
    GlobalSecondaryIndexes,
    ...definition
  }: DeployedTable,
): Promise<void> {
  await createTableAs(client, {
    TableName,
    ...definition,
    ...(GlobalSecondaryIndexes.length > 0 && { GlobalSecondaryIndexes }),
  });
}
