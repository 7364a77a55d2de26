import { randomUUID } from "node:crypto";
import { DeleteTableCommand, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll } from "vitest";
import { unhurried } from "../../bench/load/unhurried.ts";
import { createTable } from "../../src/local/create-table.ts";
import { dynamoTable } from "../../src/table/dynamodb-table.ts";
import type { Table } from "../../src/table/table.ts";
import { dynamoClient } from "../../src/wiring.ts";

/** A DynamoDB for tests, and the function that stops it if the tests started it. */
export interface Endpoint {
  readonly endpoint: string;
  stop?(): Promise<void>;
}

/**
 * Returns a function that opens a table of its own at an endpoint. After the enclosing tests it
 * deletes the table and stops the endpoint.
 */
export function scratchTable(start: () => Promise<Endpoint>): () => Promise<Table> {
  const TableName = `plat-test-${randomUUID()}`;
  let at: Endpoint | undefined;
  let client: DynamoDBClient | undefined;
  afterAll(async () => {
    await client?.send(new DeleteTableCommand({ TableName }));
    client?.destroy();
    await at?.stop?.();
  });
  return async () => {
    at = await start();
    const opened = unhurried(dynamoClient(at.endpoint));
    await createTable(opened, TableName);
    client = opened;
    return dynamoTable(opened, TableName);
  };
}
