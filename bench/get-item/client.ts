import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";

const client = new DynamoDBClient({});

/** The minimal function that uses a table. */
export const handler = ({ pk, sk }: { readonly pk: string; readonly sk: string }) =>
  client.send(
    new GetItemCommand({
      TableName: process.env.TABLE_NAME,
      Key: { pk: { S: pk }, sk: { S: sk } },
    }),
  );
