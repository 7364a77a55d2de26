import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { emulatorBinary } from "../../src/local/emulator.ts";
import { freshAssembly } from "../../twin/fresh.ts";
import { alarmsOf, type DeployedAlarm, stateOf } from "../../twin/metrics/alarms.ts";
import { type Datum, dataIn, keyOf, type MetricNamed } from "../../twin/metrics/data.ts";
import { type DeployedFilter, filtersOf } from "../../twin/metrics/filters.ts";
import { readStacks } from "../../twin/stacks.ts";
import { startTwinOf, type Twin } from "../../twin/twin.ts";
import { eventually } from "../eventually.ts";
import { HANGS_MS } from "../patience.ts";
import { assigned, requestOf } from "../world.ts";
import { call } from "./account.ts";
import { countedBefore, logsOf, restoredTable, unreadableSettings } from "./situations.ts";

const NAMESPACE = "plat-prod-stateless";
/** An interval so long that no schedule starts a run during the test. */
const NEVER_SECONDS = 3_600;
const HOUR_MS = 3_600_000;
/** A pool of 16 addresses, of which nine are assigned and one of them is released. */
const SMALL = { space: "small", pool: "half", family: "IPv4" };

describe.runIf(emulatorBinary())("the metrics of what is deployed to prod", () => {
  let twin: Twin;
  let data: readonly Datum[];
  /** The metric filters, each with the lines of its log. */
  let filtered: readonly (DeployedFilter & { readonly lines: readonly string[] })[];
  let alarms: readonly DeployedAlarm[];

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
    await half(send);
    for (const space of ["default", SMALL.space]) await countedBefore(twin, space, 2 * HOUR_MS);
    for (const { functionArn, input } of twin.deployment.schedules)
      await twin.lambda.invoke(functionArn, input ?? "{}");
    await restoredTable(twin);
    const refused = await send("POST", "/v1/release", '{"handle": "web-0"}');
    expect(refused.status).toBe(503);
    await twin.stop();
    data = dataIn(await logsOf(twin));
    const { stacks } = readStacks(await freshAssembly("prod"), "prod");
    filtered = await Promise.all(
      filtersOf(stacks).map(async (filter) => ({
        ...filter,
        lines: (await readFile(twin.logs.fileOf(filter.logGroup), "utf8")).trim().split("\n"),
      })),
    );
    alarms = alarmsOf(stacks);
  }, HANGS_MS);
  afterAll(() => twin?.stop().catch(() => {}));

  /** Lets half of a pool be in use, something cool in it, and a quota of its space reject requests. */
  async function half(
    send: (method: string, path: string, body: string) => Promise<{ readonly status: number }>,
  ): Promise<void> {
    const { space, pool } = SMALL;
    const inSpace = (method: string, path: string, body: object) =>
      send(method, `/v1/spaces/${space}${path}`, JSON.stringify(body));
    const made = { cidr: "10.1.0.0/28", blockSize: 28, cooldownSeconds: 1_200 };
    expect(await inSpace("PUT", `/pools/${pool}`, made)).toMatchObject({ status: 201 });
    // Not over the API, whose functions must see the restored table with their first request.
    const assign = (handle: string, count: number) =>
      assigned(twin.context, { ...requestOf(handle, count), space, pools: [pool] });
    await assign("many", 8);
    await assign("once", 1);
    await releaseHandle(twin.context, space, "once");
    await inSpace("PUT", "/quotas/few", { requestsPerSecond: 1 });
    const ensure = () =>
      inSpace("POST", "/nodes/node-1/affinities", { families: [4], pools: [pool] });
    await eventually(async () =>
      expect(await Promise.all([ensure(), ensure(), ensure()])).toContainEqual(
        expect.objectContaining({ status: 429 }),
      ),
    );
  }

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

  it("have a heartbeat for each shard of a schedule, and the age of what is due", () => {
    const runs = ["reclaim", "repair", "work"].map((run) => of("Heartbeat", { run }));
    expect(runs).toEqual([[4, 4, 4, 4], [4, 4, 4, 4], [1]]);
    expect(of("OldestDue", { run: "repair" })).toEqual([0, 0, 0, 0]);
  });

  it("have the share of the fullest pool in use, and its forecast in hours", () => {
    expect(of("PoolUse", {}).toSorted()).toEqual([0.78, 56.25]);
    expect(of("HoursUntilExhausted", {})).toContainEqual(expect.closeTo(254, 0));
  });

  it("have the use of a pool that is half in use under its name, and what cools in it", () => {
    expect(of("PoolUse", SMALL)).toEqual([56.25]);
    expect(of("PoolCooling", SMALL)).toEqual([6.25]);
    expect(of("PoolCooling", {})).toEqual([6.25]);
    expect(of("PoolUse", { space: "default", pool: "main", family: "IPv4" })).toEqual([]);
  });

  it("count items that cannot be read", () => {
    expect(of("UnreadableItems", {}).length).toBeGreaterThan(0);
  });

  it("name no host, no handle and no address", () => {
    expect(JSON.stringify(data)).not.toMatch(/node-1|web-0|10\.0\.0/);
  });

  it("include each of Plat's own that an alarm looks at, or a filter makes it of a log", () => {
    const written = new Set([...data, ...filtered.map(metricOf)].map(keyOf));
    const looked = alarms.flatMap(({ metrics }) => Object.values(metrics));
    const own = looked.filter(({ namespace }) => namespace === NAMESPACE);
    expect(own.length).toBeGreaterThan(5);
    expect(own.filter((metric) => !written.has(keyOf(metric)))).toEqual([]);
  });

  it.each([
    ["UnreadableItem", "ALARM"],
    ["TableFrozen", "ALARM"],
    ["PoolAbove80", "OK"],
  ])("put the alarm %s in the state %s", (id, state) => {
    const alarm = alarms.find(({ name }) => name.endsWith(`-${id}`)) ?? expect.fail(id);
    const own = data.filter(
      (datum) => keyOf(datum) === keyOf(alarm.metrics.alone ?? expect.fail()),
    );
    expect(stateOf(alarm, own, (own.at(-1)?.atMs ?? 0) + 1)).toBe(state);
  });

  it("count a run that continued after a failure, and no other, by its line in the log", () => {
    const runs = filtered.filter(({ name }) => name === "RunsWithFailures");
    expect(runs).toHaveLength(3);
    const [reclaim] = runs.filter(({ logGroup }) => /reclaim/.test(logGroup));
    const { lines, counts } = reclaim ?? expect.fail();
    const counted = lines.filter(counts).map((line) => JSON.parse(line));
    expect(counted).toEqual([expect.objectContaining({ message: "reclaimed", failed: 1 })]);
    expect(lines.filter((line) => line.includes('"reclaimed"'))).toHaveLength(4);
  });

  const accessLog = () =>
    filtered.find(({ name }) => name === "TooManyRequests") ?? expect.fail("no filter");

  it("count an answer 429, and no other, by its line in the access log", () => {
    const { lines, counts } = accessLog();
    const routes = lines.filter(counts).map((line) => JSON.parse(line).routeKey);
    expect(new Set(routes)).toEqual(new Set(["POST /v1/spaces/{space}/nodes/{node}/affinities"]));
    const statuses = lines.map((line) => JSON.parse(line).status);
    expect(statuses.filter((status) => status === "429")).toHaveLength(routes.length);
    expect(statuses).toEqual(expect.arrayContaining(["200", "201", "404", "503"]));
  });

  it("have the caller of each request in the access log, and its address", () => {
    const { lines } = accessLog();
    const { userArn } = twin.callers[0] ?? expect.fail();
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ caller: userArn, sourceIp: "127.0.0.1" });
  });
});

/** Returns the metric that a filter makes; it has no dimensions. */
const metricOf = ({ namespace, name }: DeployedFilter): MetricNamed => ({
  namespace,
  name,
  dimensions: {},
});
