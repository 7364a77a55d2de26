import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { probeOver } from "../../functions/probe.ts";
import { errorLine } from "../../src/api/http/error-line.ts";
import { logger } from "../../src/api/http/logger.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { PROBE_SPACE } from "../../src/kernel/values/probe.ts";
import { assigned, requestOf } from "../world.ts";
import { call, context, failWrites, table, wired } from "./plat.ts";
import { runAs } from "./rights.ts";

const run = () => runAs("probe", probeOver(wired()));
const inSpace = (path: string) => path.replace("/v1/", `/v1/spaces/${PROBE_SPACE}/`);

/** A time after which a new pool serves on every function. */
const SERVES_MS = 2 * 60_000;

const logged = vi.spyOn(logger, "info").mockReturnValue();
const runs = () => logged.mock.calls.filter(([name]) => name === "probed").length;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-24T00:00:00Z") });
  logged.mockClear();
});
afterEach(() => {
  vi.useRealTimers();
});

it("the probe makes its pool first, and then assigns and releases an address each minute", async () => {
  await run();
  expect(runs()).toBe(0);
  vi.setSystemTime(Date.now() + SERVES_MS);
  for (let minute = 0; minute < 20; minute++) {
    await run();
    vi.setSystemTime(Date.now() + 60_000);
  }
  expect(runs()).toBe(20);
  const { body } = await call("GET", inSpace("/v1/pools/probe/utilization"));
  expect(body).toMatchObject({ cidr: "192.0.2.0/28", inUse: 0 });
});

it("an assign whose put of the allocation got no answer reads it, and goes on", async () => {
  const { write } = table;
  let lost = 0;
  vi.spyOn(table, "write").mockImplementation(async (asked) => {
    const done = await write.call(table, asked);
    return asked.step === "create-allocation" && lost++ === 0 ? { outcome: "unknown" } : done;
  });
  vi.setSystemTime(Date.now() + 30 * 60_000);
  await run();
  vi.mocked(table.write).mockRestore();
  expect({ lost, runs: runs() }).toEqual({ lost: 1, runs: 1 });
});

it("an assign that is rejected fails the run, so that its heartbeat is missing", async () => {
  const [pool] = (await context.store.readSpace(PROBE_SPACE)).pools;
  if (!pool) throw new Error("the probe has no pool");
  vi.setSystemTime(Date.now() + 60 * 60_000);
  failWrites("take-slots", new Error("no answer"));
  await expect(run()).rejects.toThrow("the run failed");
  vi.mocked(table.write).mockRestore();
  expect(runs()).toBe(0);
});

it("a run whose assign is rejected logs the rejection, which an operator needs", async () => {
  vi.setSystemTime(Date.now() + 90 * 60_000);
  await assigned(context, { ...requestOf("all", 16), space: PROBE_SPACE });
  const failed = vi.spyOn(logger, "error").mockReturnValue();
  await expect(run()).rejects.toThrow("the run failed");
  const [, line] = failed.mock.calls[0] ?? [];
  const { name, message } = errorLine((line as { error: Error }).error);
  expect(name).toBe("ProbeFailed");
  expect(message).toMatch(/^the assign was rejected: pool_exhausted: /);
  failed.mockRestore();
  await releaseHandle(context, PROBE_SPACE, "all");
});

it("nobody else writes in the space of the probe, and everybody may read there", async () => {
  const assigned = await call("POST", inSpace("/v1/assign"), {
    body: { host: "n1", ipv4: 1, handle: "h" },
  });
  expect(assigned).toMatchObject({
    status: 400,
    body: { fields: [{ field: "space", problem: expect.stringContaining("reserved") }] },
  });
  const put = await call("PUT", inSpace("/v1/pools/main"), { body: { cidr: "10.0.0.0/24" } });
  expect(put.status).toBe(400);
  expect((await call("GET", inSpace("/v1/pools"))).status).toBe(200);
});
