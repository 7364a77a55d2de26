import { describe, expect, it } from "vitest";
import { GROUPS_SEARCHED_MAX } from "../../../src/base/limits.ts";
import { Rejection } from "../../../src/base/outcome.ts";
import { claimAffinities } from "../../../src/kernel/affinities/claim-range.ts";
import { releaseAffinities } from "../../../src/kernel/affinities/release-range.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import type { AssignRequest } from "../../../src/kernel/assign/assignment.ts";
import { ensureBlocks } from "../../../src/kernel/assign/ensure-blocks.ts";
import { POOLS_TRIED_MAX } from "../../../src/kernel/assign/find-blocks.ts";
import {
  blocksOfGroup,
  groupAt,
  groupCount,
  groupIndexOf,
  groupOrder,
} from "../../../src/kernel/values/block-group.ts";
import { type HostId, hostId } from "../../../src/kernel/values/host.ts";
import { GROUP_SCANS_MAX, SEARCH_MS_MAX } from "../../../src/kernel/values/limits.ts";
import type { Slot } from "../../../src/kernel/values/slot.ts";
import { runJobs } from "../../../src/maintenance/run-jobs.ts";
import { type Cidr, formatCidr, intervalOf } from "../../../src/net/cidr.ts";
import {
  deleteReservation,
  putReservation,
} from "../../../src/nouns/pool/operations/administration.ts";
import { deletePool, releasePool } from "../../../src/nouns/pool/operations/pool-jobs.ts";
import type { Pool } from "../../../src/nouns/pool/pool.ts";
import { makeStore } from "../../../src/store/stack.ts";
import { asAsked, InMemoryTable } from "../../../src/table/in-memory-table.ts";
import type { Item } from "../../../src/table/item.ts";
import { kindNameOf } from "../../../src/table/kinds.ts";
import type { Table } from "../../../src/table/table.ts";
import { repairAll } from "../../scheduled-runs.ts";
import {
  assigned,
  cidrOf,
  contentsIn,
  contextOver,
  makeWorld,
  poolNamed,
  poolOf,
  requestOf,
  SPACE,
  scheduledRuns,
  tableOf,
  type World,
} from "../../world.ts";

/** Returns a request of a host for one address. */
const requestFrom = (host: string, more: Partial<AssignRequest> = {}): AssignRequest => ({
  ...requestOf(host, 1),
  host: hostId("host", host),
  ...more,
});

/** Returns the context of a function that has just started, and the number of its calls to the table. */
function counted({ clock }: World, table: Table, seed = 2) {
  const calls = { count: 0 };
  const counting: Table = {
    ...table,
    get(key) {
      calls.count++;
      return table.get(key);
    },
    query(pk, options) {
      calls.count++;
      return table.query(pk, options);
    },
    write(write) {
      calls.count++;
      return table.write(write);
    },
  };
  return { context: contextOver(counting, clock, seed), calls };
}

const fullIn = async ({ calm }: World, { space, id }: Pool) => [
  ...(await calm.store.readBlockGroupIndex(space, id, { consistent: true })).full,
];
const calledFull = ({ table }: World) =>
  table.items().filter((item) => kindNameOf(item) === "FULLPOOLS");

/** Returns the first block groups in the order in which a host scans them. */
function firstGroups(pool: Pool, host: HostId, count: number): readonly bigint[] {
  const order = groupOrder(pool, host);
  return Array.from({ length: count }, () => order.next().value as bigint);
}

/** Returns a block without a host whose addresses are all cooling. */
const fullBlock = (
  world: World,
  { space, name, id }: Pool,
  cidr: Cidr,
  slot: Slot = { kind: "cooling", token: "A".repeat(15), sinceMs: world.clock.nowMs },
) => ({
  space,
  cidr,
  pool: name,
  poolId: id,
  claimedAtMs: world.clock.nowMs,
  slots: new Map(
    Array.from({ length: Number(intervalOf(cidr).last - cidr.base) + 1 }, (_, n) => [n, slot]),
  ),
  epoch: "e",
  revision: "r",
});

/**
 * Returns a table in which blocks without room fill the pool. It makes the blocks of a block group at the first query.
 * `leftOut` maps the index of a block group to the number of blocks that are missing at its start.
 */
function fullTable(
  world: World,
  pool: Pool,
  leftOut: ReadonlyMap<bigint, number>,
  slot?: Slot,
): Table {
  const table = tableOf(world);
  const groups = new Map<string, readonly Item[]>();
  const made = async (pk: string): Promise<readonly Item[]> => {
    const group = cidrOf(pk.split("#")[2] as string);
    const scratch = new InMemoryTable();
    const store = makeStore(scratch);
    const left = leftOut.get(groupIndexOf(pool, group)) ?? 0;
    for (const cidr of blocksOfGroup(pool, group).slice(left))
      await store.createBlock(fullBlock(world, pool, cidr, slot));
    return scratch.query(pk);
  };
  return {
    ...table,
    async query(pk, options) {
      const current = await table.query(pk, options);
      if (!pk.startsWith("BLOCK#")) return current;
      const others = groups.get(pk) ?? (await made(pk));
      groups.set(pk, others);
      return asAsked([...current, ...others], options ?? {});
    },
  };
}

/** Enters all block groups of a pool into its block-group index, and marks the chosen ones as full. */
async function enterAll(world: World, pool: Pool, isFull: (index: bigint) => boolean) {
  for (let index = 0n; index < groupCount(pool); index++) {
    await world.calm.store.addGroup(pool.space, pool.id, index);
    if (isFull(index)) await world.calm.store.markFull(pool.space, pool.id, index);
  }
}

/** Makes these CIDRs the only reservation of the space. */
async function reserve(world: World, cidrs: readonly Cidr[]) {
  const spec = { cidrs: cidrs.map(formatCidr), intervals: cidrs.map(intervalOf) };
  const { reservations } = await world.calm.store.readSpace(SPACE);
  const put = await putReservation(world.calm, SPACE, "kept", spec, reservations[0]?.revision);
  if (put instanceof Rejection) throw new Error(put.detail);
}

/** Creates `count` more pools, each of one block of one address. */
async function smallPools({ calm }: World, count: number): Promise<readonly Pool[]> {
  const pools = Array.from({ length: count }, (_, n): Pool => {
    const name = `small-${String(n).padStart(4, "0")}`;
    const spec = poolOf(`10.1.${Math.floor(n / 256)}.${n % 256}/32`, 32);
    return { ...spec, space: SPACE, name, id: name, state: "active", revision: "r" };
  });
  for (const pool of pools) await calm.store.putPool(pool, undefined);
  const plan = await calm.store.readPlan(SPACE);
  const entries = pools.map(({ name, id, cidr, blockSize }) => ({
    pool: name,
    id,
    cidr,
    blockSize,
  }));
  await calm.store.changePlan(plan, [...plan.entries, ...entries], "r");
  return pools;
}

/** Creates the one block of a small pool and enters its block group. The block has no room unless `lends` is true. */
async function fillPool(world: World, pool: Pool, { lends = false } = {}) {
  const { store } = world.calm;
  await store.addGroup(SPACE, pool.id, 0n);
  const block = fullBlock(world, pool, pool.cidr);
  await store.createBlock(lends ? { ...block, slots: new Map() } : block);
}

/** Returns the first block of a block group, which `fullTable` leaves out if it leaves out one. */
const lastOf = (pool: Pool, index: bigint): Cidr => {
  const [first] = blocksOfGroup(pool, groupAt(pool, index));
  if (!first) throw new Error("a block group without blocks");
  return first;
};

const NODE = hostId("host", "node");
const SIXTY_FOUR_GROUPS = poolOf("10.0.0.0/18", 30);

describe("a host whose first block groups have nothing but blocks that are wholly reserved", () => {
  it("is served in a pool that is mostly free, and the block groups are called full for all others", async () => {
    const world = await makeWorld(SIXTY_FOUR_GROUPS);
    const pool = await poolNamed(world);
    const first = firstGroups(pool, NODE, 3);
    await reserve(
      world,
      first.map((index) => lastOf(pool, index)),
    );
    const all = new Map(firstGroups(pool, NODE, 64).map((index) => [index, 64]));
    const table = fullTable(
      world,
      pool,
      new Map([...all, ...first.map((index) => [index, 1] as const)]),
    );
    const { context } = counted(world, table);
    expect((await assigned(context, requestFrom("node"))).addresses).toHaveLength(1);
    expect(await fullIn(world, pool)).toEqual(expect.arrayContaining([first[0], first[1]]));
  });

  it("is served where the pool has no other but one that is free", async () => {
    const world = await makeWorld(SIXTY_FOUR_GROUPS);
    const pool = await poolNamed(world);
    const order = firstGroups(pool, NODE, 64);
    const free = order[30] as bigint;
    await reserve(
      world,
      order.filter((index) => index !== free).map((index) => lastOf(pool, index)),
    );
    const table = fullTable(world, pool, new Map(order.map((index) => [index, 1])));
    const { addresses } = await servedWithin(2, world, table, requestFrom("node"));
    expect(addresses).toMatchObject([{ block: formatCidr(lastOf(pool, free)), borrowed: false }]);
  });

  it("is not kept waiting by block groups that are of no use to it alone, which nobody calls full", async () => {
    const world = await makeWorld(SIXTY_FOUR_GROUPS);
    const pool = await poolNamed(world);
    const order = firstGroups(pool, NODE, 64);
    const useless = order.slice(0, 40);
    // These are the two middle addresses of each missing block. The host reserves the two others for itself.
    const middles = useless.map((index) => {
      const { family, base } = lastOf(pool, index);
      return [1n, 2n].map((n) => ({ family, base: base + n, prefix: 32 }));
    });
    await reserve(world, middles.flat());
    const left = new Map(order.map((index) => [index, useless.includes(index) ? 1 : 64]));
    const table = fullTable(world, pool, left);
    const ends = { start: 1, end: 1 };
    const poolRequest = requestFrom("node", { hostReserved: { ipv4: ends } });
    const answer = await servedWithin(2, world, table, poolRequest);
    expect(useless.map((index) => formatCidr(lastOf(pool, index)))).not.toContain(
      answer.addresses[0]?.block,
    );
    expect(await fullIn(world, pool)).toEqual([]);
  });
});

/** Repeats a request of a host, up to the given number of tries, and returns the last answer. */
async function servedWithin(tries: number, world: World, table: Table, request: AssignRequest) {
  for (let attempt = 1; ; attempt++) {
    const { context } = counted(world, table, attempt);
    try {
      return await assigned(context, request);
    } catch (error) {
      if (attempt === tries) throw error;
    }
  }
}

describe("a large pool with one free block", () => {
  const LARGE = poolOf("10.0.0.0/10", 30);

  it("gives it to a host in as few calls as an empty one, where the hints of 16,384 block groups are right", async () => {
    const world = await makeWorld(LARGE);
    const pool = await poolNamed(world);
    const free = firstGroups(pool, NODE, 12_345).at(-1) as bigint;
    await enterAll(world, pool, (index) => index !== free);
    const { context, calls } = counted(world, fullTable(world, pool, new Map([[free, 1]])));
    const { addresses } = await assigned(context, requestFrom("node"));
    expect(addresses).toMatchObject([{ block: formatCidr(lastOf(pool, free)) }]);
    expect(calls.count).toBeLessThanOrEqual(11);
    // The assign took the last free block, so every block group is marked as full.
    expect(await fullIn(world, pool)).toHaveLength(16_384);
  });

  it("gives it within two tries where many block groups are full and not called so", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/14", 30));
    const pool = await poolNamed(world);
    const order = firstGroups(pool, NODE, GROUPS_SEARCHED_MAX + 20);
    const free = order.at(-1) as bigint;
    const open = new Set(order);
    await enterAll(world, pool, (index) => !open.has(index));
    const table = fullTable(world, pool, new Map([[free, 1]]));
    expect(await servedWithin(2, world, table, requestFrom("node"))).toMatchObject({
      addresses: [{ block: formatCidr(lastOf(pool, free)) }],
    });
  });

  it("asks in no block group twice what is free, and looks at the blocks of a few, where it finds none", async () => {
    const world = await makeWorld(SIXTY_FOUR_GROUPS, { strictAffinity: true });
    const pool = await poolNamed(world);
    await enterAll(world, pool, () => false);
    const [asked, scanned]: [string[], string[]] = [[], []];
    const table = fullTable(world, pool, new Map());
    const watched: Table = {
      ...table,
      query: (pk, options) => {
        if (pk.startsWith("BLOCK#")) (options?.only ? asked : scanned).push(pk);
        return table.query(pk, options);
      },
    };
    const asking = assign(counted(world, watched).context, requestFrom("node"));
    await expect(asking).rejects.toMatchObject({ name: "ContentionError" });
    expect(asked).toHaveLength(GROUPS_SEARCHED_MAX);
    expect(new Set(asked).size).toBe(GROUPS_SEARCHED_MAX);
    expect(new Set(scanned).size).toBe(GROUP_SCANS_MAX);
    expect(scanned).toHaveLength(GROUP_SCANS_MAX);
    expect(await fullIn(world, pool)).toHaveLength(new Set([...asked, ...scanned]).size);
  });
});

describe("a look for a block to claim", () => {
  it("reads no block that stands, whatever is in it", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/24", 30));
    const pool = await poolNamed(world);
    await enterAll(world, pool, () => false);
    const table = fullTable(world, pool, new Map([[0n, 1]]));
    const read: string[] = [];
    const watched: Table = {
      ...table,
      query: async (pk, options) => {
        const items = await table.query(pk, options);
        if (pk.startsWith("BLOCK#")) read.push(...items.flatMap((item) => Object.keys(item)));
        return items;
      },
    };
    const { addresses } = await assigned(counted(world, watched).context, requestFrom("node"));
    expect(addresses).toMatchObject([{ block: formatCidr(lastOf(pool, 0n)), borrowed: false }]);
    expect(new Set(read)).toEqual(new Set(["pk", "sk"]));
  });

  it("learns which block groups hold blocks once the host is at its cap, and finds who lends the rest", async () => {
    const world = await makeWorld(SIXTY_FOUR_GROUPS);
    await assigned(world.calm, requestFrom("lender"));
    const wanted = [{ family: 4, count: 6 } as const];
    const { addresses } = await assigned(
      world.calm,
      requestFrom("node", { wanted, maxBlocksPerHost: 1 }),
    );
    expect(addresses.filter(({ borrowed }) => borrowed)).toHaveLength(2);
  });
});

describe("the hint that a block group is full", () => {
  it("is set by who claims its last block, and not before", async () => {
    const world = await makeWorld();
    const pool = await poolNamed(world);
    for (const host of ["a", "b", "c"]) await assigned(world.calm, requestFrom(host));
    expect(await fullIn(world, pool)).toEqual([]);
    await assigned(world.calm, requestFrom("d"));
    expect(await fullIn(world, pool)).toEqual([0n]);
  });

  it("is set by who claims all blocks of it as a range", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/23", 31), { maxBlocksPerHost: null });
    const pool = await poolNamed(world);
    // The ranges are the whole first block group, and half of the second.
    for (const cidr of ["10.0.0.0/25", "10.0.0.128/26"])
      await claimAffinities(world.calm, { space: SPACE, host: NODE, cidr: cidrOf(cidr) });
    expect(await fullIn(world, pool)).toEqual([0n]);
  });

  it("is set and cleared by the reclaimer as reservations come and go", async () => {
    const world = await makeWorld();
    const pool = await poolNamed(world);
    await assigned(world.calm, requestFrom("a"));
    const current = contentsIn(world).blocks.map(({ cidr }) => cidr.base);
    const others = blocksOfGroup(pool, groupAt(pool, 0n)).filter(
      ({ base }) => !current.includes(base),
    );
    await reserve(world, others);
    await scheduledRuns(world, 1);
    expect(await fullIn(world, pool)).toEqual([0n]);
    await deleteReservation(world.calm, SPACE, "kept", { match: "any" });
    await scheduledRuns(world, 1);
    expect(await fullIn(world, pool)).toEqual([]);
  });

  it("is cleared by who takes an empty block from its host, and so is that of the pool", async () => {
    const world = await fullWorld();
    const pool = await poolNamed(world);
    world.clock.nowMs += 100_000;
    await releaseAffinities(world.calm, { space: SPACE, host: NODE, mustBeEmpty: true });
    expect(await fullIn(world, pool)).toEqual([]);
    expect(calledFull(world)).toEqual([]);
  });

  it("is cleared by a job that takes the pool's blocks from their hosts", async () => {
    const world = await fullWorld();
    const pool = await poolNamed(world);
    world.clock.nowMs += 100_000;
    await releasePool(world.calm, { space: SPACE, name: "pool", mustBeEmpty: true });
    await runJobs(world.calm);
    expect(await fullIn(world, pool)).toEqual([]);
    expect(calledFull(world)).toEqual([]);
  });

  it("goes with the pool", async () => {
    const world = await fullWorld();
    world.clock.nowMs += 100_000;
    await deletePool(world.calm, SPACE, "pool", { match: "any" });
    for (let round = 0; round < 5; round++) {
      world.clock.nowMs += 100_000;
      await runJobs(world.calm);
    }
    expect(contentsIn(world)).toMatchObject({ pools: [], lending: [] });
    expect(calledFull(world)).toEqual([]);
  });
});

describe("the hint that a pool is full", () => {
  it("goes where somebody who made room was cut off before it: the repair run looks at the map", async () => {
    const world = await fullWorld();
    const { id } = await poolNamed(world);
    await scheduledRuns(world, 1, 1_000);
    expect(calledFull(world)).toHaveLength(1);
    await world.calm.store.unmarkFull(SPACE, id, 0n);
    await repairAll(world.calm);
    expect(calledFull(world)).toEqual([]);
  });

  it("keeps nobody from a free block where it is wrong alone: a host that finds no other looks there", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/32", 32), { strictAffinity: true });
    const [open] = await smallPools(world, 1);
    await fillPool(world, await poolNamed(world));
    const poolId = open?.id ?? "";
    await world.calm.store.callPoolFull({ space: SPACE, poolId, reserved: "" });
    expect(await assign(world.calm, requestFrom("late"))).toMatchObject({
      addresses: [{ pool: open?.name }],
    });
  });

  it("is taken back by who put it while a block went", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/32", 32), { strictAffinity: true });
    const [other] = await smallPools(world, 1);
    const pool = await poolNamed(world);
    await fillPool(world, pool);
    if (other) await fillPool(world, other);
    const table = tableOf(world);
    const raced: Table = {
      ...table,
      async write(write) {
        const told = await table.write(write);
        // A deletion of the block clears the hint of the block group, which exists by now, and then the hint of the pool.
        if (write.step === "mark-full" && write.key.pk.includes(pool.id))
          await world.calm.store.unmarkFull(SPACE, pool.id, 0n);
        return told;
      },
    };
    await assign(counted(world, raced).context, requestFrom("late"));
    expect(calledFull(world).map(({ sk }) => sk)).toEqual([other?.id]);
  });
});

/** Returns a world whose pool has one empty block with a host. Hints call its block group and its pool full. */
async function fullWorld(): Promise<World> {
  const world = await makeWorld(poolOf("10.0.0.0/31", 31));
  const { store } = world.calm;
  const pool = await poolNamed(world);
  await ensureBlocks(world.calm, { space: SPACE, host: NODE, families: [4], pools: [] });
  expect(await fullIn(world, pool)).toEqual([0n]);
  await store.callPoolFull({ space: SPACE, poolId: pool.id, reserved: "" });
  return world;
}

describe("a rejection after a look that did not see everything", () => {
  it("is not final: a host at its cap may find a block to borrow from the next time", async () => {
    const world = await makeWorld(SIXTY_FOUR_GROUPS);
    const pool = await poolNamed(world);
    await enterAll(world, pool, () => true);
    const table = fullTable(world, pool, new Map());
    const capped = requestFrom("node", { maxBlocksPerHost: 0 });
    expect(await assign(counted(world, table).context, capped)).toMatchObject({
      code: "block_limit",
      members: { retryable: true },
    });
  });

  it("is not final where borrowing is off: that a block group is full is only a hint", async () => {
    const world = await makeWorld(SIXTY_FOUR_GROUPS, { strictAffinity: true });
    const pool = await poolNamed(world);
    await enterAll(world, pool, () => true);
    const table = fullTable(world, pool, new Map());
    expect(await assign(counted(world, table).context, requestFrom("node"))).toMatchObject({
      code: "pool_exhausted",
      members: { retryable: true, pools: [{ groups: "64", groupsLooked: GROUP_SCANS_MAX }] },
    });
  });

  it("is final where everything was seen", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/23", 30), { strictAffinity: true });
    const pool = await poolNamed(world);
    await enterAll(world, pool, () => false);
    const table = fullTable(world, pool, new Map(), {
      ...{ kind: "taken", token: "A".repeat(15), handleHash: "0".repeat(16) },
    });
    const rejection = await assign(counted(world, table).context, requestFrom("node"));
    expect(rejection).toMatchObject({ code: "pool_exhausted", members: { poolsTried: 1 } });
    expect(rejection).not.toHaveProperty("members.retryable");
  });
});

it("a search ends in time: it begins with no further pool after two and a half seconds", async () => {
  const world = await makeWorld(poolOf("10.0.0.0/32", 32), { strictAffinity: true });
  const pools = [await poolNamed(world), ...(await smallPools(world, 40))];
  for (const pool of pools) await fillPool(world, pool);
  const table = tableOf(world);
  const slow: Table = {
    ...table,
    query(pk, options) {
      world.clock.nowMs += SEARCH_MS_MAX / 10;
      return table.query(pk, options);
    },
  };
  const rejection = await assign(counted(world, slow).context, requestFrom("late"));
  expect(rejection).toMatchObject({ members: { retryable: true, poolsServing: 41 } });
  // Each pool costs two queries, for its index and a block group. The first pool costs one more, for all hints.
  expect(rejection).toMatchObject({ members: { poolsTried: 5 } });
});

describe("hundreds of pools that are full, or nearly all of them", () => {
  it("cost a host a few calls when they became full one after the other", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/32", 32));
    await smallPools(world, 60);
    for (let n = 0; n < 60; n++) await assigned(world.calm, requestFrom(`host-${n}`));
    const { context, calls } = counted(world, tableOf(world));
    await assigned(context, requestFrom("late"));
    expect(calls.count).toBeLessThanOrEqual(16);
  });

  it("are told of where a request does not come to all of them, and the rejection is not final", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/32", 32), { strictAffinity: true });
    const pools = [await poolNamed(world), ...(await smallPools(world, 699))];
    for (const pool of pools) await fillPool(world, pool);
    const { context } = counted(world, tableOf(world));
    expect(await assign(context, requestFrom("late"))).toMatchObject({
      code: "pool_exhausted",
      detail: expect.stringContaining(`${POOLS_TRIED_MAX} of 700 pools were tried`),
      members: { retryable: true, poolsTried: POOLS_TRIED_MAX, poolsServing: 700 },
    });
    expect(calledFull(world)).toHaveLength(POOLS_TRIED_MAX);
  });

  it("serve a host within two tries from the one that is not called full", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/32", 32), { strictAffinity: true });
    const pools = [await poolNamed(world), ...(await smallPools(world, 699))];
    for (const pool of pools.slice(0, -1)) await fillPool(world, pool);
    for (const { id } of pools.slice(0, -1)) {
      await world.calm.store.markFull(SPACE, id, 0n);
      await world.calm.store.callPoolFull({ space: SPACE, poolId: id, reserved: "" });
    }
    const { context, calls } = counted(world, tableOf(world));
    const { addresses } = await assigned(context, requestFrom("late"));
    expect(addresses).toMatchObject([{ pool: "small-0698" }]);
    expect(calls.count).toBeLessThanOrEqual(16);
  });

  it("lend, though they are called full", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/32", 32));
    const pools = [await poolNamed(world), ...(await smallPools(world, 699))];
    for (const [n, pool] of pools.entries()) await fillPool(world, pool, { lends: n > 0 });
    for (const { id } of pools) {
      await world.calm.store.markFull(SPACE, id, 0n);
      await world.calm.store.callPoolFull({ space: SPACE, poolId: id, reserved: "" });
    }
    const { context } = counted(world, tableOf(world));
    const { addresses } = await assigned(context, requestFrom("late"));
    expect(addresses).toMatchObject([{ borrowed: true }]);
  });

  it("are tried again when what is reserved of them has changed", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/32", 32), { strictAffinity: true });
    const [free] = await smallPools(world, 40);
    await fillPool(world, await poolNamed(world));
    if (!free) throw new Error("no pool");
    const others = contentsIn(world).pools.filter(({ name }) => name !== "pool");
    await reserve(
      world,
      others.map(({ cidr }) => cidr),
    );
    // The reservation closes all pools, and each of the two requests marks those that it tries as full.
    for (let n = 0; n < 2; n++)
      await assign(counted(world, tableOf(world), n).context, requestFrom("late"));
    await reserve(
      world,
      others.filter(({ id }) => id !== free.id).map(({ cidr }) => cidr),
    );
    const { addresses } = await assigned(
      counted(world, tableOf(world)).context,
      requestFrom("late"),
    );
    expect(addresses).toMatchObject([{ pool: free.name }]);
  });
});
