import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";

const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));

/** The minimal function that uses a table, with the document client. */
export const handler = (Key: { readonly pk: string; readonly sk: string }) =>
  client.send(new GetCommand({ TableName: process.env.TABLE_NAME, Key }));
