import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { scheduledRun, spaceWithPool } from "./plat.ts";

const reclaim = scheduledRun("reclaim");
const HOUR_MS = 3_600_000;
const START_MS = Date.parse("2026-11-24T00:00:00Z");

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START_MS });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Returns the API of a space with a pool of 16 addresses. */
async function small() {
  const plat = await spaceWithPool();
  await plat.put("/v1/pools/small", { cidr: "10.9.0.0/28", blockSize: 28 });
  vi.setSystemTime(Date.now() + 60_000);
  const grow = (count: number) =>
    plat.assign({ host: "n1", ipv4: count, pools: ["small"], handle: `h-${Date.now()}` });
  const alarms = async () => (await plat.get("/v1/alarms")).body.alarms;
  /** Lets an hour pass, and counts the pools. */
  const hourLater = async () => {
    vi.setSystemTime(START_MS + (Math.floor((Date.now() - START_MS) / HOUR_MS) + 1) * HOUR_MS);
    await reclaim();
  };
  return { ...plat, grow, alarms, hourLater };
}

describe("the history of a pool", () => {
  it("has a sample for each hour, the counts of the last pass, and when nothing is left", async () => {
    const plat = await small();
    for (const count of [3, 3, 3]) {
      await plat.grow(count);
      await plat.hourLater();
    }
    const { body } = await plat.get("/v1/pools/small/history");
    expect(body).toMatchObject({
      pool: "small",
      cidr: "10.9.0.0/28",
      family: 4,
      current: { capacity: 16, inUse: 9, available: 7 },
      countedAt: "2026-11-24T03:00:00.000Z",
      percentUsed: 56.25,
      exhaustedAt: "2026-11-24T05:20:00.000Z",
    });
    expect(body.samples.map(({ inUse }: { inUse: number }) => inUse)).toEqual([3, 6, 9]);
    expect(body.threshold).toBeUndefined();
  });

  it("is empty until a pass has counted the pool", async () => {
    const plat = await small();
    const { status, body } = await plat.get("/v1/pools/small/history");
    expect([status, body.samples, body.current]).toEqual([200, [], undefined]);
  });

  it("of an unknown pool is a 404", async () => {
    const plat = await small();
    expect((await plat.get("/v1/pools/other/history")).body).toMatchObject({ code: "not_found" });
  });
});

describe("alarms", () => {
  it("name a pool above 80 % and above 95 %, and end when it is below 75 %", async () => {
    const plat = await small();
    const { body } = await plat.grow(13);
    await plat.hourLater();
    const [above] = await plat.alarms();
    expect(above).toEqual({
      id: "PoolAbove80",
      pool: "small",
      percentUsed: 81.25,
      detail: "Of pool small, 81.25 % is in use or cooling.",
    });
    await plat.grow(3);
    await plat.hourLater();
    expect(await plat.alarms()).toMatchObject([{ id: "PoolAbove95" }, { id: "PoolExhaustsSoon" }]);
    await plat.delete(`/v1/handles/${body.handle}`);
    await plat.hourLater();
    expect(await plat.alarms()).toEqual([]);
  });

  it("say so when nothing was counted for an hour, and end with the next pass", async () => {
    const plat = await small();
    await plat.hourLater();
    expect(await plat.alarms()).toEqual([]);
    vi.setSystemTime(Date.now() + HOUR_MS);
    expect(await plat.alarms()).toMatchObject([
      { id: "NoHeartbeatOfReclaim", since: "2026-11-24T01:00:00.000Z" },
    ]);
    await plat.hourLater();
    expect(await plat.alarms()).toEqual([]);
  });

  it("say so when the repair run is late with an expired lease, and end when it has ended it", async () => {
    const plat = await small();
    const leased = { host: "n1", ipv4: 1, handle: "leased", leaseSeconds: 60 };
    expect(await plat.assign(leased)).toMatchObject({ status: 200 });
    vi.setSystemTime(Date.now() + 20 * 60_000);
    expect(await plat.alarms()).toMatchObject([{ id: "LateRepair" }]);
    await scheduledRun("repair")();
    expect(await plat.alarms()).toEqual([]);
  });
});
