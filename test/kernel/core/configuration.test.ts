import { beforeEach, describe, expect, it } from "vitest";
import {
  CONFIGURATION_FRESH_MS,
  CONFIGURATION_JITTER_MS,
  CONFIGURATION_RELOAD_MS,
} from "../../../src/base/limits.ts";
import { Rejection } from "../../../src/base/outcome.ts";
import { configurationOf, poolAt } from "../../../src/kernel/core/configuration.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import type { Address } from "../../../src/net/address.ts";
import { putPool, putReservation } from "../../../src/nouns/pool/operations/administration.ts";
import { deletePool } from "../../../src/nouns/pool/operations/pool-jobs.ts";
import type { Pool } from "../../../src/nouns/pool/pool.ts";
import { makeStore } from "../../../src/store/stack.ts";
import { versionKey } from "../../../src/table/key.ts";
import type { Table } from "../../../src/table/table.ts";
import { callsOf } from "../../simulation/crash-points.ts";
import {
  addressOf,
  contextOver,
  makeWorld,
  poolNamed,
  poolOf,
  SPACE,
  tableOf,
  type World,
} from "../../world.ts";

const STALE_MS = CONFIGURATION_FRESH_MS + CONFIGURATION_JITTER_MS;

let world: World;
beforeEach(async () => {
  world = await makeWorld();
});

/** Returns the calls that a read of the configuration costs a function, in order. */
const costOf = (context: (table: Parameters<typeof contextOver>[0]) => Context) =>
  callsOf(world.table, (table) => configurationOf(context(table), SPACE));

const names = async (context: Context) =>
  (await configurationOf(context, SPACE)).pools.map(({ name }) => name);

describe("the configuration of a space", () => {
  it("costs a cold function one Query, and then nothing while it is fresh", async () => {
    const cache = contextOver(world.table, world.clock).cache;
    const asking = (table: Parameters<typeof contextOver>[0]) => ({
      ...contextOver(table, world.clock),
      cache,
    });
    expect(await costOf(asking)).toEqual(["query"]);
    world.clock.nowMs += CONFIGURATION_FRESH_MS - 1;
    expect(await costOf(asking)).toEqual([]);
    world.clock.nowMs += STALE_MS;
    expect(await costOf(asking)).toEqual(["get", "query"]); // The function learns the version.
    world.clock.nowMs += STALE_MS;
    expect(await costOf(asking)).toEqual(["get"]); // The version has not changed.
    world.clock.nowMs += CONFIGURATION_RELOAD_MS;
    expect(await costOf(asking)).toEqual(["get", "query"]);
  });

  it("is followed by every function at the latest when the operator was told", async () => {
    const other = contextOver(world.table, world.clock, 2);
    await names(other);
    const written = await putPool(
      world.calm,
      SPACE,
      "second",
      poolOf("10.1.0.0/24", 28),
      undefined,
    );
    if (written instanceof Rejection) throw new Error(written.detail);
    expect(await names(other)).toEqual(["pool"]);
    world.clock.nowMs = written.effectiveAtMs;
    expect(await names(other)).toEqual(["pool", "second"]);
  });

  it("is followed at once by the function that changed it", async () => {
    await names(world.calm);
    await putPool(world.calm, SPACE, "second", poolOf("10.1.0.0/24", 28), undefined);
    expect(await names(world.calm)).toEqual(["pool", "second"]);
  });

  it("that was being loaded while it changed is not kept", async () => {
    let arrive = () => {};
    const onTheWay = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const slow: Table = {
      ...tableOf(world),
      query: async (pk, options) => {
        const items = await world.table.query(pk, options);
        await onTheWay;
        return items;
      },
    };
    const { cache } = contextOver(world.table, world.clock);
    const loading = names({ ...contextOver(slow, world.clock), cache });
    const writer = { ...contextOver(world.table, world.clock, 5), cache };
    await putPool(writer, SPACE, "second", poolOf("10.1.0.0/24", 28), undefined);
    arrive();
    expect(await loading).toEqual(["pool"]);
    expect(await names(writer)).toEqual(["pool", "second"]);
  });

  it("is not taken from a load that a frozen function left on its way", async () => {
    const frozen: Table = { ...tableOf(world), query: () => new Promise(() => {}) };
    const { cache } = contextOver(world.table, world.clock);
    const left = configurationOf({ ...contextOver(frozen, world.clock), cache }, SPACE);
    world.clock.nowMs += STALE_MS;
    expect(await names({ ...contextOver(world.table, world.clock), cache })).toEqual(["pool"]);
    expect(left).toBeInstanceOf(Promise);
  });

  it("is followed after a minute even if the writer died before it raised the version", async () => {
    const other = contextOver(world.table, world.clock, 2);
    await names(other);
    world.clock.nowMs += STALE_MS;
    await names(other);
    const { pk, sk } = versionKey(SPACE);
    const version = world.table.partitions.get(pk)?.get(sk);
    await putPool(world.calm, SPACE, "second", poolOf("10.1.0.0/24", 28), undefined);
    if (version) world.table.partitions.get(pk)?.set(sk, version);
    world.clock.nowMs += STALE_MS;
    expect(await names(other)).toEqual(["pool"]);
    world.clock.nowMs += CONFIGURATION_RELOAD_MS;
    expect(await names(other)).toEqual(["pool", "second"]);
  });
});

describe("the pool of an address", () => {
  const NOWHERE = addressOf("10.9.0.1");
  /** Looks for the pool of an address, and returns the calls that this takes and the name of the pool. */
  const asked = async (context: Context, address: Address) => {
    let pool: Pool | undefined;
    const calls = await callsOf(world.table, async (table) => {
      pool = await poolAt({ ...context, store: makeStore(table) }, SPACE, address);
    });
    return { calls, pool: pool?.name };
  };
  /** Returns the context of a function that has learned the version with its first refresh. */
  const warm = async () => {
    const context = contextOver(world.table, world.clock, 3);
    await names(context);
    world.clock.nowMs += STALE_MS;
    await names(context);
    return context;
  };

  it("that has none costs a cold function one Query, and a warm one a look at the version each", async () => {
    const cold = contextOver(world.table, world.clock, 2);
    expect(await asked(cold, NOWHERE)).toEqual({ calls: ["query"], pool: undefined });
    const context = await warm();
    for (let n = 0; n < 3; n++)
      expect(await asked(context, NOWHERE)).toEqual({ calls: ["get"], pool: undefined });
  });

  it("that is being deleted costs a warm function a look at the version each", async () => {
    await deletePool(world.calm, SPACE, "pool", (await poolNamed(world)).revision);
    const context = await warm();
    for (let n = 0; n < 3; n++)
      expect(await asked(context, addressOf("10.0.0.1"))).toEqual({ calls: ["get"], pool: "pool" });
  });

  it("is known at once to a function that has not heard of a pool that was just created", async () => {
    const context = await warm();
    await putPool(world.calm, SPACE, "second", poolOf("10.9.0.0/24", 28), undefined);
    expect((await asked(context, NOWHERE)).pool).toBe("second");
  });

  it.each([
    ["while the copy of who asks is fresh", CONFIGURATION_FRESH_MS],
    ["when that copy is asked for anew", STALE_MS],
  ])(
    "is known soon where the writer of a new pool died before it raised the version, %s",
    async (_, waitMs) => {
      const context = await warm();
      const { pk, sk } = versionKey(SPACE);
      const version = world.table.partitions.get(pk)?.get(sk);
      await putPool(world.calm, SPACE, "second", poolOf("10.9.0.0/24", 28), undefined);
      if (version) world.table.partitions.get(pk)?.set(sk, version);
      expect((await asked(context, NOWHERE)).pool).toBeUndefined();
      world.clock.nowMs += waitMs;
      expect((await asked(context, NOWHERE)).pool).toBe("second");
    },
  );
});

describe("an operator's change", () => {
  const change = (ifMatch?: string) =>
    putReservation(world.calm, SPACE, "routers", { cidrs: ["10.0.0.0"], intervals: [] }, ifMatch);

  it("needs the revision seen once there is something to change", async () => {
    const created = await change();
    if (created instanceof Rejection) throw new Error(created.detail);
    expect(created.created).toBe(true);
    expect(await change()).toMatchObject({ code: "precondition_required" });
    expect(await change("another")).toMatchObject({ code: "precondition_failed" });
    expect(await change(created.value.revision)).toMatchObject({ created: false });
  });

  it("of a pool's range or block size is rejected", async () => {
    const { pools } = await configurationOf(world.calm, SPACE);
    const put = (cidr: string, blockSize: number) =>
      putPool(world.calm, SPACE, "pool", poolOf(cidr, blockSize), pools[0]?.revision);
    expect(await put("10.0.0.0/28", 31)).toMatchObject({ code: "invalid_request" });
    expect(await put("10.0.0.0/29", 32)).toMatchObject({ code: "invalid_request" });
  });
});

describe("two pools of one space", () => {
  it("can never overlap, also when they are created at once", async () => {
    const put = (name: string, cidr: string, seed: number) =>
      putPool(
        contextOver(world.table, world.clock, seed),
        SPACE,
        name,
        poolOf(cidr, 28),
        undefined,
      );
    const answers = await Promise.all([
      put("a", "10.5.0.0/16", 11),
      put("b", "10.5.7.0/24", 12),
      put("c", "10.5.0.0/20", 13),
    ]);
    expect(answers.filter((answer) => !(answer instanceof Rejection))).toHaveLength(1);
    expect(answers.filter((answer) => answer instanceof Rejection)).toMatchObject([
      { code: "pool_overlap" },
      { code: "pool_overlap" },
    ]);
    expect(await names(contextOver(world.table, world.clock, 9))).toHaveLength(2);
  });

  it("are not kept apart by a range that no pool stands for", async () => {
    const plan = await world.calm.store.readPlan(SPACE);
    const left = { ...poolOf("10.7.0.0/16", 28), pool: "left", id: "gone" };
    const entries = [...plan.entries, left];
    await world.calm.store.changePlan(plan, entries, "revision");
    const put = putPool(world.calm, SPACE, "next", poolOf("10.7.0.0/24", 28), undefined);
    expect(await put).toMatchObject({ created: true });
    const after = (await world.calm.store.readPlan(SPACE)).entries.map(({ pool }) => pool);
    expect(after.sort()).toEqual(["next", "pool"]);
  });

  it("may be side by side, and may have the same range in another space", async () => {
    const put = (space: string, name: string, cidr: string) =>
      putPool(world.calm, space, name, poolOf(cidr, 28), undefined);
    expect(await put(SPACE, "next", "10.0.0.16/28")).toMatchObject({ created: true });
    expect(await put("other", "pool", "10.0.0.0/28")).toMatchObject({ created: true });
  });
});
