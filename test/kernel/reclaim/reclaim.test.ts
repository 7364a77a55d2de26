import { describe, expect, it } from "vitest";
import { shardOfSpace } from "../../../src/base/hash.ts";
import { SCHEDULED_RUN_MS_MAX } from "../../../src/base/limits.ts";
import { Rejection, ThrottledError } from "../../../src/base/outcome.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import { type Store, withCalls } from "../../../src/kernel/core/store.ts";
import {
  RECLAIM_GROUPS_AT_ONCE,
  RECLAIM_GROUPS_PER_SLICE,
  type Reclaimed,
  reclaim,
} from "../../../src/kernel/reclaim/reclaim.ts";
import { putPool } from "../../../src/nouns/pool/operations/administration.ts";
import type { Pool } from "../../../src/nouns/pool/pool.ts";
import type { Item } from "../../../src/table/item.ts";
import type { Table } from "../../../src/table/table.ts";
import { repairAll } from "../../scheduled-runs.ts";
import {
  assigned,
  contentsIn,
  contextOver,
  makeWorld,
  poolNamed,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  tableOf,
  type World,
} from "../../world.ts";

const SHARD = shardOfSpace(SPACE);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The names of two spaces in the shard of the world's space, one before it in order and one after it. */
const [BEFORE, AFTER] = ["a", "z"].map((letter) => {
  for (let n = 0; ; n++) if (shardOfSpace(`${letter}-${n}`) === SHARD) return `${letter}-${n}`;
}) as [string, string];

const scheduledRun = (context: Context): Promise<Reclaimed> => reclaim(context, SHARD);

/** Returns the context of a function over the world's table, with some calls of the store replaced. */
function functionOf(world: World, replaced: (store: Store) => Partial<Store>): Context {
  const context = contextOver(world.table, world.clock, 5);
  return { ...context, store: withCalls(context.store, replaced(context.store)) };
}

/** Leaves a block in the world's space whose one assigned address was released two minutes ago. */
async function idleBlock(world: World): Promise<void> {
  await releaseAll(world.calm, await assigned(world.calm, requestOf("gone", 1)));
  world.clock.nowMs += 2 * MINUTE_MS;
}

/** Creates a pool in the given space with `groups` block groups in its index. */
async function poolOfGroups(world: World, space: string, groups: number): Promise<Pool> {
  const put = await putPool(world.calm, space, "pool", poolOf("10.0.0.0/8", 26), undefined);
  if (put instanceof Rejection) throw new Error(put.detail);
  for (let index = 0n; index < groups; index++)
    await world.calm.store.addGroup(space, put.value.id, index);
  return put.value;
}

const blocksIn = (world: World) =>
  contentsIn(world).blocks.filter(({ space }) => space === SPACE).length;

const registered = async ({ calm }: World) =>
  (await calm.store.listSpaces()).items.map(({ space }) => space).sort();

describe("every space gets its share of every scheduled run", () => {
  it("a space with one block, beside one with very many block groups, loses it within two minutes", async () => {
    const world = await makeWorld();
    await idleBlock(world);
    await poolOfGroups(world, BEFORE, 5_000);
    // Each call takes 20 ms and waits for the call before it.
    const slow = functionOf(world, (store) => ({
      scanGroup: async (...look) => {
        world.clock.nowMs += 20;
        return store.scanGroup(...look);
      },
    }));
    for (let minute = 0; minute < 2; minute++) {
      world.clock.nowMs += MINUTE_MS;
      expect((await scheduledRun(slow)).groups).toBeGreaterThan(0);
    }
    expect(blocksIn(world)).toBe(0);
  });

  it("every space has a first slice before any has a second", async () => {
    const world = await makeWorld();
    await poolOfGroups(world, BEFORE, 1_000);
    await poolOfGroups(world, AFTER, 1_000);
    const order: string[] = [];
    const context = functionOf(world, (store) => ({
      keepPosition: async (space, position) => {
        order.push(space);
        return store.keepPosition(space, position);
      },
    }));
    await scheduledRun(context);
    expect(new Set(order.slice(0, 2))).toEqual(new Set([BEFORE, AFTER]));
    expect(order.length).toBeGreaterThan(10);
  });

  it("where a scheduled run has no time for all, each comes first some time", async () => {
    const world = await makeWorld();
    await poolOfGroups(world, BEFORE, 1);
    await poolOfGroups(world, AFTER, 1);
    let begun: string[] = [];
    const context = functionOf(world, (store) => ({
      readIndexPages: async (space, ...rest) => {
        begun.push(space);
        return store.readIndexPages(space, ...rest);
      },
    }));
    const first = new Set<string | undefined>();
    for (let minute = 0; minute < 20; minute++) {
      begun = [];
      await scheduledRun(context);
      first.add(begun[0]);
    }
    expect(first).toEqual(new Set([BEFORE, AFTER, SPACE]));
  });
});

describe("a scheduled run that is cut off", () => {
  it("by its death loses a slice at most of each space", async () => {
    const world = await makeWorld();
    const { id } = await poolOfGroups(world, BEFORE, 1_500);
    const looked: bigint[] = [];
    let looksLeft = 1_000;
    const context = functionOf(world, (store) => ({
      scanGroup: async (space, group, options) => {
        if (looksLeft-- <= 0) throw new Error("the function is gone");
        looked.push(group.base);
        return store.scanGroup(space, group, options);
      },
      keepPosition: async (...kept) => {
        if (looksLeft <= 0) throw new Error("the function is gone");
        return store.keepPosition(...kept);
      },
    }));
    await scheduledRun(context);
    expect(looked).toHaveLength(1_000);
    looksLeft = 2_000;
    expect((await scheduledRun(context)).failures).toEqual([]);
    const { groups } = await world.calm.store.readBlockGroupIndex(BEFORE, id, { consistent: true });
    expect(new Set(looked).size).toBe(groups.size);
    expect(looked.length).toBeLessThanOrEqual(1_500 + RECLAIM_GROUPS_PER_SLICE);
  });

  it("by its time begins with no further block group", async () => {
    const world = await makeWorld();
    await poolOfGroups(world, BEFORE, 500);
    let looks = 0;
    const context = functionOf(world, (store) => ({
      scanGroup: async (...look) => {
        if (++looks === 3) world.clock.nowMs += SCHEDULED_RUN_MS_MAX + 1;
        return store.scanGroup(...look);
      },
    }));
    expect((await scheduledRun(context)).failures).toEqual([]);
    expect(looks).toBeLessThanOrEqual(2 + RECLAIM_GROUPS_AT_ONCE);
    const begun = looks;
    expect((await scheduledRun(context)).groups).toBe(500 - begun);
  });

  it("looks at many block groups side by side, and at no more than is said", async () => {
    const world = await makeWorld();
    await poolOfGroups(world, BEFORE, 400);
    await poolOfGroups(world, AFTER, 400);
    let underway = 0;
    let most = 0;
    const context = functionOf(world, (store) => ({
      scanGroup: async (...look) => {
        most = Math.max(most, ++underway);
        await new Promise(setImmediate);
        underway--;
        return store.scanGroup(...look);
      },
    }));
    await scheduledRun(context);
    expect(most).toBeGreaterThan(RECLAIM_GROUPS_AT_ONCE / 2);
    expect(most).toBeLessThanOrEqual(RECLAIM_GROUPS_AT_ONCE);
  });
});

describe("what is the matter with one space", () => {
  /** Gives an item of another space a format that this version cannot read, so that the scheduled run must name it. */
  const unreadable = (item: Item): Item => ({ ...item, f: 9 });

  it.each(["SPACES", "SPACE#", "GROUPINDEX#", "BLOCK#"])(
    "stops no other, where an item of %s cannot be read",
    async (partition) => {
      const world = await makeWorld();
      await idleBlock(world);
      for (const space of [BEFORE, AFTER]) {
        const spec = poolOf("10.0.0.0/24", 31);
        await putPool(world.calm, space, "pool", spec, undefined);
        await assigned(world.calm, { ...requestOf("held", 1), space });
      }
      const sound = world.table.items();
      for (const item of sound) {
        const of = partition === "SPACES" ? item.sk : item.pk.split("#")[1];
        if (item.pk.startsWith(partition) && (of === BEFORE || of === AFTER))
          world.table.partitions.get(item.pk)?.set(item.sk, unreadable(item));
      }
      const { failures } = await scheduledRun(contextOver(world.table, world.clock, 5));
      expect(failures).toHaveLength(2);
      world.clock.nowMs += MINUTE_MS;
      await scheduledRun(world.calm);
      expect(blocksIn(world)).toBe(0);
      for (const item of sound) world.table.partitions.get(item.pk)?.set(item.sk, item);
    },
  );

  it("stops neither another nor its own other pages, where a page of its map says no block groups", async () => {
    const world = await makeWorld();
    await idleBlock(world);
    const { id } = await poolOfGroups(world, BEFORE, 300);
    const pages = world.table.partitions.get(`GROUPINDEX#${BEFORE}#${id}`);
    const page = pages?.get("0") as Item;
    pages?.set("0", { ...page, groups: new Set(["0", "!"]) });
    const { groups, failures } = await scheduledRun(world.calm);
    expect(failures).toHaveLength(1);
    expect(groups).toBe(1 + 300 - 128);
    world.clock.nowMs += MINUTE_MS;
    await scheduledRun(world.calm);
    expect(blocksIn(world)).toBe(0);
    pages?.set("0", page);
  });

  it("stops no other, where the database throttles its read", async () => {
    const world = await makeWorld();
    await idleBlock(world);
    await poolOfGroups(world, BEFORE, 1);
    await poolOfGroups(world, AFTER, 1);
    const rejected = async (space: string) => {
      if (space !== SPACE) throw new ThrottledError("the database throttled a read");
    };
    const context = functionOf(world, (store) => ({
      readSpace: async (space) => {
        await rejected(space);
        return store.readSpace(space);
      },
    }));
    const { failures } = await scheduledRun(context);
    expect(failures).toHaveLength(2);
    world.clock.nowMs += MINUTE_MS;
    await scheduledRun(context);
    expect(blocksIn(world)).toBe(0);
  });
});

describe("a space without pools", () => {
  it("leaves the register, and comes back with its next pool", async () => {
    const world = await makeWorld();
    await world.calm.store.registerSpace(BEFORE, "r");
    expect(await scheduledRun(world.calm)).toMatchObject({ spacesDropped: 1, failures: [] });
    expect(await registered(world)).toEqual([SPACE]);
    await poolOfGroups(world, BEFORE, 1);
    expect(await registered(world)).toEqual([BEFORE, SPACE]);
    expect(await scheduledRun(world.calm)).toMatchObject({ spacesDropped: 0, groups: 1 });
  });

  it("leaves it also where its entry is from before there were revisions", async () => {
    const world = await makeWorld();
    const old = { pk: "SPACES", sk: BEFORE, f: 1 };
    world.table.partitions.get("SPACES")?.set(BEFORE, old);
    expect(await scheduledRun(world.calm)).toMatchObject({ spacesDropped: 1 });
  });

  it("stays when a pool is created while it is about to leave", async () => {
    const world = await makeWorld();
    await world.calm.store.registerSpace(BEFORE, "r");
    const context = functionOf(world, (store) => ({
      deleteSpaceEntry: async (seen) => {
        await poolOfGroups(world, BEFORE, 1);
        return store.deleteSpaceEntry(seen);
      },
    }));
    expect(await scheduledRun(context)).toMatchObject({ spacesDropped: 0, failures: [] });
    expect(await registered(world)).toEqual([BEFORE, SPACE]);
  });

  it("is there again when it left while its pool was being created, however long that took", async () => {
    const world = await makeWorld();
    const operator = functionOf(world, (store) => ({
      putPool: async (pool, seen) => {
        if (pool.state === "pending") {
          world.clock.nowMs += 4 * HOUR_MS;
          expect(await scheduledRun(world.calm)).toMatchObject({ spacesDropped: 1 });
        }
        return store.putPool(pool, seen);
      },
    }));
    await putPool(operator, BEFORE, "pool", poolOf("10.0.0.0/24", 31), undefined);
    expect(await registered(world)).toEqual([BEFORE, SPACE]);
  });

  it("does not come back by a scheduled run that keeps late where it stopped", async () => {
    const world = await makeWorld();
    await world.calm.store.keepPosition(BEFORE, { pool: "pool", page: "0", group: 3n });
    expect(await registered(world)).toEqual([SPACE]);
  });

  it("costs nothing from then on: of 10,000 spaces with 50 that have pools, a scheduled run reads these", async () => {
    const world = await makeWorld();
    const { store } = world.calm;
    for (let n = 0; n < 10_000; n++) await store.registerSpace(`tenant-${n}`, "r");
    for (let n = 0; n < 10_000; n += 200)
      await putPool(world.calm, `tenant-${n}`, "pool", poolOf("10.0.0.0/24", 31), undefined);
    const own = (await store.listSpaces()).items.filter(
      ({ space }) => shardOfSpace(space) === SHARD,
    );
    const dropped = await scheduledRun(contextOver(world.table, world.clock, 2));
    expect(dropped.failures).toEqual([]);
    expect(dropped.spacesDropped).toBeGreaterThan(500);
    let calls = 0;
    const plain = contextOver(world.table, world.clock, 5);
    const counting = { ...plain, store: counted(plain.store, () => calls++) };
    const { spaces } = await scheduledRun(counting);
    expect(spaces).toBe(own.length - dropped.spacesDropped);
    // The run reads the register, and of each space the configuration and one block-group index.
    expect(calls).toBe(1 + 2 * spaces);
  });
});

/** Returns a store of which each call passes its name to `tell` first. */
function counted(store: Store, tell: (name: string | symbol) => void): Store {
  return new Proxy(store, {
    get(all, name) {
      tell(name);
      return Reflect.get(all, name);
    },
  });
}

describe("what is at rest costs little", () => {
  it("512 full blocks of as many hosts are looked at in eight eventually consistent Queries, and no host is read", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/22", 31));
    for (let n = 0; n < 512; n++)
      await assigned(world.calm, { ...requestOf(`pod-${n}`, 2), host: `host:node-${n}` });
    world.clock.nowMs += HOUR_MS + 1;
    await scheduledRun(world.calm);
    const queries: string[] = [];
    const table = {
      ...tableOf(world),
      query: async (...query: Parameters<World["table"]["query"]>) => {
        const [pk, options] = query;
        queries.push(`${pk.split("#")[0]} ${options?.consistent === false ? "eventually" : ""}`);
        return world.table.query(...query);
      },
    };
    const done = await scheduledRun(contextOver(table, world.clock, 4));
    expect(done).toMatchObject({ groups: 8, blocks: 512, failures: [] });
    expect(queries.toSorted()).toEqual([
      ...Array.from({ length: 8 }, () => "BLOCK eventually"),
      "FULLPOOLS eventually",
      "GROUPINDEX eventually",
      "SPACE ",
      "SPACES eventually",
    ]);
  });

  it("a scheduled run that goes through everything at once writes nothing", async () => {
    const world = await makeWorld();
    await assigned(world.calm, requestOf("held", 2));
    await scheduledRun(world.calm);
    const before = world.table.items();
    await scheduledRun(world.calm);
    expect(world.table.items()).toEqual(before);
  });
});

describe("a block whose host has lost its affinity", () => {
  async function withoutAffinity(count: number): Promise<World> {
    const world = await makeWorld();
    const told = await assigned(world.calm, requestOf("held", 2));
    if (count === 0) await releaseAll(world.calm, told);
    const [affinity] = contentsIn(world).affinities;
    if (affinity) await world.calm.store.deleteAffinity("affinity-drop", affinity);
    return world;
  }
  const affinities = (world: World) => contentsIn(world).affinities.length;

  it("has it again after the next scheduled run, while it is young", async () => {
    const world = await withoutAffinity(2);
    expect(await scheduledRun(world.calm)).toMatchObject({ affinitiesRestored: 1 });
    expect(affinities(world)).toBe(1);
  });

  it("has it again after the next scheduled run when it is empty, however old", async () => {
    const world = await withoutAffinity(0);
    world.clock.nowMs += 2 * HOUR_MS;
    expect(await scheduledRun(world.calm)).toMatchObject({ affinitiesRestored: 1 });
    expect(affinities(world)).toBe(1);
  });

  it("gets none when the block was another's, or gone, by the time that it was seen without", async () => {
    const world = await withoutAffinity(2);
    const stale = functionOf(world, (store) => ({
      scanGroup: async (...look) =>
        (await store.scanGroup(...look)).map((block) => ({ ...block, host: "host:before" })),
    }));
    expect(await scheduledRun(stale)).toMatchObject({ affinitiesRestored: 0, failures: [] });
    expect(affinities(world)).toBe(0);
    await scheduledRun(world.calm);
  });
});

it("puts the hint right that a block group is full, and that it is not", async () => {
  const world = await makeWorld(poolOf("10.0.0.0/30", 31));
  const { id } = await poolNamed(world);
  const { store } = world.calm;
  const full = async () => (await store.readBlockGroupIndex(SPACE, id, { consistent: true })).full;
  await assigned(world.calm, requestOf("first", 2));
  await store.markFull(SPACE, id, 0n);
  await scheduledRun(world.calm);
  expect(await full()).toEqual(new Set());
  const second = { ...requestOf("second", 2), host: "host:node-2" } as const;
  await assigned(world.calm, second);
  await store.unmarkFull(SPACE, id, 0n);
  await scheduledRun(world.calm);
  expect(await full()).toEqual(new Set([0n]));
});

it("takes the hint away that a pool is full which has a free block, though no block group of it is called full", async () => {
  const world = await makeWorld(poolOf("10.0.0.0/30", 31));
  const put = await putPool(world.calm, SPACE, "other", poolOf("10.0.1.0/30", 31), undefined);
  if (put instanceof Rejection) throw new Error(put.detail);
  await assigned(world.calm, requestOf("some", 1));
  const { store } = world.calm;
  const [{ pool: taken } = { pool: "" }] = contentsIn(world).blocks;
  const { id } = await poolNamed(world, taken);
  await store.callPoolFull({ space: SPACE, poolId: id, reserved: "" });
  await scheduledRun(world.calm);
  expect(await store.listFullPools(SPACE)).toEqual([]);
});

it("calls a pool full that is, before any request has tried it; at rest it writes nothing and reads each kind of hints once", async () => {
  const world = await makeWorld(poolOf("10.0.0.0/30", 31));
  const put = await putPool(world.calm, SPACE, "other", poolOf("10.0.1.0/30", 31), undefined);
  if (put instanceof Rejection) throw new Error(put.detail);
  const { id } = await poolNamed(world, "other");
  // The pool `other` precedes `pool` by name, so the assign takes its addresses there.
  await assigned(world.calm, requestOf("all", 4));
  const hints = () => world.calm.store.listFullPools(SPACE);
  expect(await hints()).toEqual([]);
  await scheduledRun(world.calm);
  expect(await hints()).toEqual([{ space: SPACE, poolId: id, reserved: "" }]);
  const calls: string[] = [];
  const table: Table = {
    ...tableOf(world),
    query: (pk, options) => {
      calls.push(pk);
      return tableOf(world).query(pk, options);
    },
    write: (write) => {
      calls.push(write.step);
      return tableOf(world).write(write);
    },
  };
  await scheduledRun(contextOver(table, world.clock, 7));
  expect(calls.filter((call) => call.startsWith("FULLPOOLS#"))).toHaveLength(2);
  expect(calls.filter((call) => !call.includes("#") && call !== "SPACES")).toEqual([]);
});

it("the reclaimer and the repair run leave a space of full blocks as it is", async () => {
  const world = await makeWorld();
  await assigned(world.calm, requestOf("held", 8));
  world.clock.nowMs += 2 * HOUR_MS;
  await repairAll(world.calm);
  expect(await scheduledRun(world.calm)).toMatchObject({ deleted: 0, markedIdle: 0, failures: [] });
});
