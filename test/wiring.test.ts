import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { ACCESS } from "../cdk/access.ts";
import { DeadlineError } from "../src/base/outcome.ts";
import { deployed, dynamoClient, type Wiring } from "../src/wiring.ts";

it("the client of DynamoDB copies nothing for a log that nobody writes", () => {
  const client = dynamoClient("http://127.0.0.1:1");
  const middlewares = client.middlewareStack.identify().join("\n");
  expect(middlewares).toContain("Middleware");
  expect(middlewares).not.toMatch(/logger/i);
  client.destroy();
});

it.each(Object.entries(ACCESS))(
  "the function %s has the marker beside the table if it may write the first item, and else not",
  (name, access) => {
    const source = readFileSync(`functions/${name}.ts`, "utf8");
    const has = /deployed\(\w+, marker/.test(source);
    expect(has).toBe(access?.put?.includes("TABLE") === true);
  },
);

describe("the handler that Lambda runs", () => {
  const made: Wiring[] = [];
  const make = (wiring: Wiring) => {
    made.push(wiring);
    return async (event: string) => `answered ${event}`;
  };

  it("is made while its function loads, over the tables that the environment names", async () => {
    vi.stubEnv("TABLE_NAME", "plat");
    vi.stubEnv("HISTORY_TABLE_NAME", "history");
    vi.stubEnv("HISTORY_DAYS", "7");
    vi.stubEnv("PUBLISHES", "true");
    const handler = deployed(make);
    vi.unstubAllEnvs();
    const [wiring] = made.splice(0);
    expect(wiring).toMatchObject({
      guard: { assertServing: expect.any(Function) },
    });
    expect(wiring?.history?.()).toMatchObject({ keptMs: 7 * 86_400_000, publishes: true });
    expect(await handler("an event")).toBe("answered an event");
    expect(made).toEqual([]);
  });

  it("asks the history nothing for a request whose time is up", async () => {
    vi.stubEnv("TABLE_NAME", "plat");
    vi.stubEnv("HISTORY_TABLE_NAME", "history");
    vi.stubEnv("DYNAMODB_ENDPOINT", "http://127.0.0.1:1");
    deployed(make);
    vi.unstubAllEnvs();
    const [wiring] = made.splice(0);
    const late = wiring?.history?.({ lastCallMs: 1_000, nowMs: () => 1_001 });
    await expect(late?.table.query("EVENTS#default")).rejects.toBeInstanceOf(DeadlineError);
  });

  it("has no history unless the environment names one", () => {
    vi.stubEnv("TABLE_NAME", "plat");
    vi.stubEnv("HISTORY_TABLE_NAME", undefined);
    deployed(make);
    vi.unstubAllEnvs();
    expect(made.splice(0)).toMatchObject([{ history: undefined }]);
  });

  it("is not made without a table, and rejects each call with what is missing", async () => {
    vi.stubEnv("TABLE_NAME", undefined);
    const handler = deployed(make);
    vi.unstubAllEnvs();
    expect(made).toEqual([]);
    await expect(handler("an event")).rejects.toThrow("TABLE_NAME is not set");
  });
});
