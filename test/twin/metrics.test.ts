import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emulatorBinary } from "../../src/local/emulator.ts";
import { freshAssembly } from "../../twin/fresh.ts";
import { alarmsOf } from "../../twin/metrics/alarms.ts";
import { type Datum, dataIn, keyOf } from "../../twin/metrics/data.ts";
import { readStacks } from "../../twin/stacks.ts";
import { startTwinOf, type Twin } from "../../twin/twin.ts";
import { call } from "./account.ts";
import { countedBefore, logsOf, restoredTable, unreadableSettings } from "./situations.ts";

const NAMESPACE = "plat-prod-stateless";
/** An interval so long that no schedule starts a run during the test. */
const NEVER_SECONDS = 3_600;
const HOUR_MS = 3_600_000;
/** The bundles and the templates are made first. */
const START_MS_MAX = 240_000;
/** Metrics that CloudWatch makes of the logs by a filter, so no function writes them. */
const FILTERED = ["RunsWithFailures", "TooManyRequests"];

describe.runIf(emulatorBinary())("the metrics of what is deployed to prod", () => {
  let twin: Twin;
  let data: readonly Datum[];

  beforeAll(async () => {
    twin = await startTwinOf("prod", { port: 0, scheduleSeconds: NEVER_SECONDS });
    const [operator] = twin.callers;
    const send = (method: string, path: string, body?: string) =>
      call(twin, operator ?? expect.fail(), method, path, body);
    const { status } = await send("PUT", "/v1/pools/main", '{"cidr": "10.0.0.0/24"}');
    expect(status).toBe(201);
    for (const handle of ["web-0", "web-1"])
      await send(
        "POST",
        "/v1/assign",
        JSON.stringify({ host: "node-1", ipv4: 1, handle, pools: ["main"] }),
      );
    await send("POST", "/v1/assign", "{}");
    await send("GET", "/v1/nowhere");
    await unreadableSettings(twin, "broken");
    await send(
      "POST",
      "/v1/spaces/broken/assign",
      '{"host": "node-1", "ipv4": 1, "handle": "web-2"}',
    );
    await countedBefore(twin, "default", 2 * HOUR_MS);
    for (const { functionArn, input } of twin.deployment.schedules)
      await twin.lambda.invoke(functionArn, input ?? "{}");
    await restoredTable(twin);
    const refused = await send("POST", "/v1/release", '{"handle": "web-0"}');
    expect(refused.status).toBe(503);
    await twin.stop();
    data = dataIn(await logsOf(twin));
  }, START_MS_MAX);
  afterAll(() => twin?.stop().catch(() => {}));

  const of = (name: string, dimensions: Readonly<Record<string, string>>) => {
    const key = keyOf({
      namespace: NAMESPACE,
      name,
      dimensions: { service: "plat", ...dimensions },
    });
    return data.filter((datum) => keyOf(datum) === key).map(({ value }) => value);
  };

  it("have the latency of each operation by the class of its status", () => {
    const operation = "POST /v1/assign";
    expect(of("Latency", { operation, status: "2xx" })).toHaveLength(2);
    expect(of("Latency", { operation, status: "4xx" })).toHaveLength(2);
    expect(of("Latency", { operation: "$default", status: "4xx" })).toHaveLength(1);
  });

  it("count the conditional writes of an assign: six for a claim, and two more for the warm one", () => {
    const assigned = { operation: "POST /v1/assign", status: "2xx" };
    expect(of("Claims", assigned)).toEqual([1]);
    expect(of("Writes", assigned)).toEqual([6, 2]);
    expect(of("Conflicts", assigned)).toEqual([]);
  });

  it("have a heartbeat for each schedule, and the age of what is due", () => {
    const runs = ["reclaim", "repair", "work"].map((run) => of("Heartbeat", { run }).length);
    expect(runs).toEqual([16, 16, 1]);
    expect(of("OldestDue", { run: "repair" })).toEqual(Array.from({ length: 16 }, () => 0));
  });

  it("have the share of the fullest pool in use, and its forecast in hours", () => {
    const [percent, ...others] = of("PoolUse", {});
    expect([percent, others]).toEqual([0.78, []]);
    const [hours = 0] = of("HoursUntilExhausted", {});
    expect(hours).toBeCloseTo(254, 0);
  });

  it("count items that cannot be read", () => {
    expect(of("UnreadableItems", {}).length).toBeGreaterThan(0);
  });

  it("name no host, no handle and no address", () => {
    expect(JSON.stringify(data)).not.toMatch(/node-1|web-0|10\.0\.0/);
  });

  it("include each of Plat's own that an alarm looks at", async () => {
    const { stacks } = readStacks(await freshAssembly("prod"), "prod");
    const looked = alarmsOf(stacks)
      .flatMap(({ metrics }) => Object.values(metrics))
      .filter(({ namespace, name }) => namespace === NAMESPACE && !FILTERED.includes(name));
    const written = new Set(data.map(keyOf));
    expect(looked.length).toBeGreaterThan(5);
    expect(looked.filter((metric) => !written.has(keyOf(metric)))).toEqual([]);
  });
});
