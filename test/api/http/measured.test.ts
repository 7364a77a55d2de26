import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Event, HttpAnswer } from "../../../src/api/http/event.ts";
import { absent } from "../../../src/table/clause.ts";
import { InMemoryTable } from "../../../src/table/in-memory-table.ts";

let lines: string[];

beforeEach(() => {
  lines = [];
  vi.resetModules();
  vi.spyOn(process.stdout, "write").mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Serves a request with an answer or with the problem of a code, and returns the metrics that it wrote. */
async function metricsOf(routeKey: string, answer: HttpAnswer | "unreadable" | "table_frozen") {
  const { measured } = await import("../../../src/api/http/authorized.ts");
  const { Problem } = await import("../../../src/api/schema/problem.ts");
  const result = typeof answer === "string" ? new Problem(answer, "It is so.") : answer;
  await measured({ routeKey } as Event, async () => result);
  return lines.map((line) => JSON.parse(line));
}

it("a request is one line of metrics, by operation and class of status", async () => {
  vi.stubEnv("METRICS_NAMESPACE", "plat-dev-stateless");
  expect(await metricsOf("POST /v1/spaces/{space}/assign", { status: 200, body: {} })).toEqual([
    {
      _aws: {
        Timestamp: expect.any(Number),
        CloudWatchMetrics: [
          {
            Namespace: "plat-dev-stateless",
            Dimensions: [["service", "operation", "status"]],
            Metrics: [{ Name: "Latency", Unit: "Milliseconds" }],
          },
        ],
      },
      service: "plat",
      operation: "POST /v1/assign",
      status: "2xx",
      Latency: expect.any(Number),
    },
  ]);
});

it("a request counts its conditional writes, and leaves out what it did not do", async () => {
  vi.stubEnv("METRICS_NAMESPACE", "plat-dev-stateless");
  const { measured } = await import("../../../src/api/http/authorized.ts");
  const { countedTable } = await import("../../../src/store/stack.ts");
  const table = new InMemoryTable();
  const key = { pk: "p", sk: "s" };
  await measured({ routeKey: "POST /v1/assign" } as Event, async (_, counts) => {
    const counted = countedTable(table, counts);
    await counted.write({
      step: "create-block",
      key,
      when: [],
      change: { kind: "put", item: key },
    });
    const late = [absent("is-absent", "pk")];
    await counted.write({ step: "seize", key, when: late, change: { kind: "put", item: key } });
    return { status: 200, body: {} };
  });
  const [{ Writes, Conflicts, Claims, ...others }] = lines.map((line) => JSON.parse(line));
  expect({ Writes, Conflicts, Claims }).toEqual({ Writes: 2, Conflicts: 1, Claims: 1 });
  expect(others).not.toHaveProperty("Seizes");
});

it.each([
  ["that met an unreadable item", "unreadable", "UnreadableItems"],
  ["that met a frozen table", "table_frozen", "TableFrozen"],
] as const)("a request %s adds a line that names no operation", async (_, code, metric) => {
  vi.stubEnv("METRICS_NAMESPACE", "plat-dev-stateless");
  const [, line] = await metricsOf("GET /v1/pools", code);
  expect(line).toMatchObject({ [metric]: 1 });
  expect(line._aws.CloudWatchMetrics[0].Dimensions).toEqual([["service"]]);
});

it("a process without a namespace, as on a laptop, writes no metrics", async () => {
  vi.stubEnv("METRICS_NAMESPACE", "");
  expect(await metricsOf("GET /v1/pools", { status: 200, body: {} })).toEqual([]);
});
