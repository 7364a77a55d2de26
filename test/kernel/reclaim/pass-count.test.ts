import { describe, expect, it } from "vitest";
import { shardOfSpace } from "../../../src/base/hash.ts";
import { SCHEDULED_RUN_MS_MAX } from "../../../src/base/limits.ts";
import { Rejection } from "../../../src/base/outcome.ts";
import { configurationOf } from "../../../src/kernel/core/configuration.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import { withCalls } from "../../../src/kernel/core/store.ts";
import { keepUsage } from "../../../src/kernel/reclaim/keep-usage.ts";
import { PassCount } from "../../../src/kernel/reclaim/pass-count.ts";
import { RECLAIM_GROUPS_PER_SLICE, reclaim } from "../../../src/kernel/reclaim/reclaim.ts";
import { sizeOf } from "../../../src/net/cidr.ts";
import { putPool } from "../../../src/nouns/pool/operations/administration.ts";
import type { UtilizationPosition } from "../../../src/nouns/utilization/operations/count-pool.ts";
import { utilization } from "../../../src/nouns/utilization/operations/utilization.ts";
import { type PoolCounted, percentUsed } from "../../../src/nouns/utilization/pool-usage.ts";
import { NO_USAGE, type Usage } from "../../../src/nouns/utilization/usage.ts";
import { sweepAll } from "../../scheduled-runs.ts";
import {
  assigned,
  contextOver,
  makeWorld,
  poolNamed,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  type World,
} from "../../world.ts";

const SHARD = shardOfSpace(SPACE);
const MINUTE_MS = 60_000;
const run = (context: Context) => reclaim(context, SHARD);

async function countsOf(context: Context, name: string): Promise<Usage> {
  let position: UtilizationPosition | undefined;
  for (;;) {
    const counted = await utilization(context, { space: SPACE, name, position });
    if (counted instanceof Rejection) throw new Error(counted.detail);
    position = counted.next;
    if (!position) return counted.usage;
  }
}

/** Makes a request for addresses of one pool. */
const requestFrom = (pool: string, handle: string, count: number) => ({
  ...requestOf(handle, count),
  pools: [pool],
});

async function addPool({ calm }: World, name: string, cidr: string, blockSize = 26) {
  const put = await putPool(calm, SPACE, name, poolOf(cidr, blockSize), undefined);
  if (put instanceof Rejection) throw new Error(put.detail);
  return put.value;
}

const named = (counted: readonly PoolCounted[], pool: string) =>
  counted.find((each) => each.pool === pool);

describe("a pass over a space", () => {
  it("counts each pool as `GET utilization` does, also those without blocks", async () => {
    const world = await makeWorld();
    await addPool(world, "a-empty", "10.9.0.0/24");
    await addPool(world, "z-empty", "fd00::/112", 122);
    const held = await assigned(world.calm, requestFrom("pool", "web", 5));
    await assigned(world.calm, requestFrom("pool", "db", 3));
    await releaseAll(world.calm, held);
    const { counted } = await run(world.calm);
    expect(counted.map(({ pool }) => pool)).toEqual(["a-empty", "pool", "z-empty"]);
    for (const { pool, usage } of counted) expect(usage).toEqual(await countsOf(world.calm, pool));
    expect(named(counted, "pool")?.usage).toMatchObject({ inUse: 3n, cooling: 5n });
  });

  it("that takes more than one run counts each block once, and says since when", async () => {
    const world = await makeWorld();
    await assigned(world.calm, requestFrom("pool", "web", 5));
    const large = await addPool(world, "large", "11.0.0.0/8");
    for (let group = 0n; group < 3n * BigInt(RECLAIM_GROUPS_PER_SLICE); group++)
      await world.calm.store.addGroup(SPACE, large.id, group);
    // One slice takes all the time of a run.
    const slow = contextOver(world.table, world.clock, 5);
    let groups = 0;
    const { store } = slow;
    const slowly: Context = {
      ...slow,
      store: withCalls(store, {
        scanGroup: (...wanted) => {
          if (++groups % RECLAIM_GROUPS_PER_SLICE === 0) world.clock.nowMs += SCHEDULED_RUN_MS_MAX;
          return store.scanGroup(...wanted);
        },
      }),
    };
    const beganAtMs = world.clock.nowMs;
    const counted: PoolCounted[] = [];
    let runs = 0;
    for (; runs < 10 && !named(counted, "pool"); runs++)
      counted.push(...(await run(slowly)).counted);
    expect(runs).toBeGreaterThan(2);
    expect(named(counted, "large")?.usage).toEqual(await countsOf(world.calm, "large"));
    expect(named(counted, "large")?.countedFromMs).toBe(beganAtMs);
    expect(named(counted, "pool")?.usage).toMatchObject({ inUse: 5n });
  });

  it("does not count a pool of which a block group could not be read, and counts the others", async () => {
    const world = await makeWorld();
    await addPool(world, "other", "10.9.0.0/24");
    await assigned(world.calm, requestFrom("pool", "web", 5));
    const failing: Context = {
      ...world.calm,
      store: withCalls(world.calm.store, {
        scanGroup: async () => {
          throw new Error("the table does not answer");
        },
      }),
    };
    const { counted, failures } = await run(failing);
    expect(failures).toHaveLength(1);
    expect(counted.map((each) => each.pool)).toEqual(["other"]);
  });

  it("does not count a pool of which a page of the index could not be read, and counts the others", async () => {
    const world = await makeWorld();
    await addPool(world, "other", "10.9.0.0/24");
    await assigned(world.calm, requestFrom("pool", "web", 5));
    const { id } = await poolNamed(world);
    const pages = world.table.partitions.get(`GROUPINDEX#${SPACE}#${id}`);
    const [[sk, page] = expect.unreachable()] = [...(pages ?? [])];
    pages?.set(sk, { ...page, f: 9 });
    const { counted, failures } = await run(world.calm);
    pages?.set(sk, page);
    expect(failures).toHaveLength(1);
    expect(counted.map((each) => each.pool)).toEqual(["other"]);
  });

  it("does not count a pool that got smaller after its blocks were counted", async () => {
    const world = await makeWorld();
    await addPool(world, "z-other", "10.9.0.0/24");
    const { id, name, cidr } = await poolNamed(world);
    const capacity = sizeOf(cidr) + 64n;
    const usage = { ...NO_USAGE, capacity, available: capacity };
    const count = { subnetId: id, fromMs: 1, pools: [{ poolId: id, usage, reserved: 0n }] };
    const configuration = await configurationOf(world.calm, SPACE);
    const pass = new PassCount(world.calm, configuration, { pool: name, count });
    expect(pass.add([], true).map(({ pool }) => pool)).toEqual(["z-other"]);
  });
});

describe("the usage of a pool", () => {
  it("is recorded once in five minutes, however often it is counted", async () => {
    const world = await makeWorld();
    const pool = await poolNamed(world);
    world.clock.nowMs = Math.ceil(world.clock.nowMs / (5 * MINUTE_MS)) * 5 * MINUTE_MS;
    await assigned(world.calm, requestFrom("pool", "web", 5));
    let recorded = 0;
    for (let minute = 0; minute < 15; minute++) {
      recorded += (await keepUsage(world.calm, await run(world.calm))).length;
      world.clock.nowMs += MINUTE_MS;
    }
    expect(recorded).toBe(3);
    const usage = await world.calm.store.readPoolUsage(SPACE, pool.id);
    expect(usage?.samples).toHaveLength(3);
    expect(usage?.usage).toEqual(await countsOf(world.calm, "pool"));
  });

  it("is recorded in a pass of several runs too, whenever it comes to the pool", async () => {
    const world = await makeWorld();
    const pool = await poolNamed(world);
    const large = await addPool(world, "zlarge", "11.0.0.0/8");
    for (let group = 0n; group < 3n * BigInt(RECLAIM_GROUPS_PER_SLICE); group++)
      await world.calm.store.addGroup(SPACE, large.id, group);
    await assigned(world.calm, requestFrom("pool", "web", 5));
    // The pass comes to the pool in the fourth of five minutes.
    world.clock.nowMs = (Math.ceil(world.clock.nowMs / (5 * MINUTE_MS)) * 5 + 3) * MINUTE_MS;
    const { store } = world.calm;
    let groups = 0;
    const slowly: Context = {
      ...world.calm,
      store: withCalls(store, {
        scanGroup: (...wanted) => {
          if (++groups % RECLAIM_GROUPS_PER_SLICE === 0) world.clock.nowMs += SCHEDULED_RUN_MS_MAX;
          return store.scanGroup(...wanted);
        },
      }),
    };
    await keepUsage(world.calm, await run(slowly));
    expect((await store.readPoolUsage(SPACE, pool.id))?.samples).toHaveLength(1);
  });

  it("notes when 80 % are reached, and when they are left", async () => {
    const world = await makeWorld();
    const pool = await addPool(world, "small", "10.9.0.0/28", 28);
    const record = async () => {
      world.clock.nowMs = (Math.floor(world.clock.nowMs / (5 * MINUTE_MS)) + 1) * 5 * MINUTE_MS;
      await keepUsage(world.calm, { ...(await run(world.calm)) });
      return world.calm.store.readPoolUsage(SPACE, pool.id);
    };
    const held = await assigned(world.calm, requestFrom("small", "web", 13));
    const reached = await record();
    expect([reached && percentUsed(reached.usage), reached?.threshold]).toEqual([81.25, 80]);
    await releaseAll(world.calm, held);
    expect((await record())?.threshold).toBeUndefined();
  });

  it("goes with its pool: the repair run deletes it when the pool is gone", async () => {
    const world = await makeWorld();
    const pool = await poolNamed(world);
    world.clock.nowMs = Math.ceil(world.clock.nowMs / (5 * MINUTE_MS)) * 5 * MINUTE_MS;
    await keepUsage(world.calm, await run(world.calm));
    const seen = await world.calm.store.readPoolUsage(SPACE, pool.id);
    if (!seen) throw new Error("nothing was recorded");
    await world.calm.store.putPoolUsage({ ...seen, poolId: "gone" });
    await sweepAll(world.calm);
    expect(await world.calm.store.readPoolUsage(SPACE, "gone")).toBeUndefined();
    expect(await world.calm.store.readPoolUsage(SPACE, pool.id)).toEqual(seen);
  });
});
