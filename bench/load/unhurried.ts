import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";

/** The part of the SDK's handler of requests by which one waits longer. */
interface Hurried {
  updateHttpClientConfig(name: "requestTimeout", ms: number): void;
}

const NO_TIMEOUT = 0;

/** Returns a client that awaits each answer: a busy machine may take longer than a function waits. */
export function unhurried(client: DynamoDBClient): DynamoDBClient {
  const handler = client.config.requestHandler as unknown as Hurried;
  handler.updateHttpClientConfig("requestTimeout", NO_TIMEOUT);
  return client;
}
