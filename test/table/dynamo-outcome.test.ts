import { ConditionalCheckFailedException, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "vitest";
import { ThrottledError, UnavailableError } from "../../src/base/outcome.ts";
import { retryingTable } from "../../src/store/stack.ts";
import { dynamoTable } from "../../src/table/dynamodb-table.ts";
import { dynamoClient } from "../../src/wiring.ts";
import { seededRandom } from "../simulation/random.ts";

const KEY = { pk: "p", sk: "s" };
const WRITE = { step: "test", key: KEY, when: [], change: { kind: "delete" } } as const;

describe("what DynamoDB says of a write", () => {
  it.each([
    ["a condition that failed, with the item", conditionFailed(), { outcome: "lost", item: KEY }],
    ["a time-out", named("TimeoutError"), { outcome: "unknown" }],
    ["a broken connection", broken("ECONNRESET"), { outcome: "unknown" }],
    ["an answer cut short", cutShort(), { outcome: "unknown" }],
    ["a 500", named("InternalServerError", 500), { outcome: "unknown" }],
    ["a 503", named("ServiceUnavailable", 503), { outcome: "unknown" }],
  ])("%s", async (_, error, outcome) => {
    expect(await failing(error).write(WRITE)).toEqual(outcome);
  });

  it.each([
    "ThrottlingException",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ReplicatedWriteConflictException",
    "TransactionConflictException",
  ])("%s means that nothing was done", async (name) => {
    await expect(failing(named(name, 400)).write(WRITE)).rejects.toBeInstanceOf(ThrottledError);
  });

  it("what is our own fault is thrown as it came, and never repeated", async () => {
    const error = named("ValidationException", 400);
    await expect(failing(error).write(WRITE)).rejects.toBe(error);
  });

  it("a mistake of ours before anything was sent is no outage", async () => {
    const error = new Error("Unsupported type passed: function");
    await expect(failing(error).write(WRITE)).rejects.toBe(error);
    await expect(failing(error).get(KEY)).rejects.toBe(error);
  });

  it("a read that is not answered changes nothing and says so", async () => {
    await expect(failing(named("TimeoutError")).get(KEY)).rejects.toBeInstanceOf(UnavailableError);
  });
});

describe("patience", () => {
  const patience = { random: seededRandom(1), sleep: async () => {} };

  it("asks again when nothing was done, and answers with what then happens", async () => {
    const errors = [named("ThrottlingException", 400), named("ThrottlingException", 400)];
    const table = retryingTable(failing(...errors, conditionFailed()), patience);
    expect(await table.write(WRITE)).toMatchObject({ outcome: "lost" });
  });

  it("asks again for a read that got no answer, with pauses that grow", async () => {
    const pausesMs: number[] = [];
    const sleep = async (ms: number) => void pausesMs.push(ms);
    const none = { fraction: () => 0, bytes: seededRandom(1).bytes };
    const table = retryingTable(failing(named("TimeoutError")), { random: none, sleep });
    await expect(table.get(KEY)).rejects.toBeInstanceOf(UnavailableError);
    expect(pausesMs).toEqual([25, 50, 100, 200, 400]);
  });

  it("does not repeat a write of unknown outcome (rule 3)", async () => {
    const table = retryingTable(failing(named("TimeoutError"), conditionFailed()), patience);
    expect(await table.write(WRITE)).toEqual({ outcome: "unknown" });
  });

  it("ends after a named number of tries", async () => {
    const table = retryingTable(failing(named("ThrottlingException", 400)), patience);
    await expect(table.write(WRITE)).rejects.toBeInstanceOf(ThrottledError);
  });
});

/**
 * Returns a table whose client fails with these errors in turn, and with the last of them from then
 * on.
 */
function failing(...errors: Error[]) {
  const client: DynamoDBClient = dynamoClient("http://127.0.0.1:1");
  let call = 0;
  client.middlewareStack.add(
    () => async () => {
      throw errors[Math.min(call++, errors.length - 1)];
    },
    { step: "initialize" },
  );
  return dynamoTable(client, "table");
}

function named(name: string, httpStatusCode?: number): Error {
  const error = Object.assign(new Error(name), {
    $metadata: httpStatusCode === undefined ? {} : { httpStatusCode },
  });
  error.name = name;
  return error;
}

const broken = (code: string) => Object.assign(new Error("socket hang up"), { code });

const cutShort = () => Object.assign(new SyntaxError("Unexpected end of JSON"), { $response: {} });

function conditionFailed(): Error {
  return new ConditionalCheckFailedException({
    message: "no",
    $metadata: { httpStatusCode: 400 },
    Item: { pk: { S: "p" }, sk: { S: "s" } },
  });
}
