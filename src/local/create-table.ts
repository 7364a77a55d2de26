import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { ThrottledError } from "../base/outcome.ts";
import { TABLE } from "../table/definition.ts";
import { isNotApplied } from "../table/dynamodb-table.ts";
import { patiently } from "../wiring.ts";

const WAIT_SECONDS_MAX = 30;

/** Creates the table as the CDK deploys it, unless it exists, and waits until it can be used. */
export async function createTable(client: DynamoDBClient, tableName: string): Promise<void> {
  const { partitionKey, sortKey, dueIndex } = TABLE;
  await createTableAs(client, {
    TableName: tableName,
    AttributeDefinitions: [
      { AttributeName: partitionKey, AttributeType: "S" },
      { AttributeName: sortKey, AttributeType: "S" },
      { AttributeName: dueIndex.partitionKey, AttributeType: "S" },
      { AttributeName: dueIndex.sortKey, AttributeType: "N" },
    ],
    KeySchema: keySchema(TABLE),
    GlobalSecondaryIndexes: [
      {
        IndexName: dueIndex.name,
        KeySchema: keySchema(dueIndex),
        Projection: { ProjectionType: "KEYS_ONLY" },
      },
    ],
  });
}

/** Creates a table on demand, unless it exists, and waits until it can be used. */
export async function createTableAs(
  client: DynamoDBClient,
  { TableName, ...definition }: CreateTableCommandInput,
): Promise<void> {
  try {
    await patiently(() =>
      client
        .send(new CreateTableCommand({ TableName, BillingMode: "PAY_PER_REQUEST", ...definition }))
        .catch(asThrottled),
    );
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  const pace = { minDelay: 1, maxDelay: 5, maxWaitTime: WAIT_SECONDS_MAX };
  await waitUntilTableExists({ client, ...pace }, { TableName });
}

function asThrottled(cause: unknown): never {
  throw isNotApplied(cause)
    ? new ThrottledError("the database throttled a table", { cause })
    : cause;
}

function keySchema(keys: { readonly partitionKey: string; readonly sortKey: string }) {
  return [
    { AttributeName: keys.partitionKey, KeyType: "HASH" as const },
    { AttributeName: keys.sortKey, KeyType: "RANGE" as const },
  ];
}
