import { describe, expect, it } from "vitest";
import { putPool, putReservation } from "../../src/allocator/administration.ts";
import { assign } from "../../src/allocator/assign.ts";
import type { Context } from "../../src/allocator/context.ts";
import { parseInterval } from "../../src/domain/cidr.ts";
import type { PoolSpec } from "../../src/domain/pool.ts";
import { callsOf } from "../simulation/crash-points.ts";
import {
  addressOf,
  assigned,
  contentsIn,
  contextOver,
  makeWorld,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
} from "../world.ts";

describe("what an assign costs", () => {
  it("is two writes and no read when the function knows the block", async () => {
    const { table, clock, calm } = await makeWorld(poolOf("10.0.0.0/24", 28));
    await assigned(calm, requestOf("first", 1));
    const { memory } = calm;
    const calls = await callsOf(table, (own) =>
      assigned({ ...contextOver(own, clock, 2), memory }, requestOf("second", 3)),
    );
    expect(calls).toEqual(["create-record", "take-slots"]);
  });
});

describe("addresses of one request", () => {
  it("come from one block, all or none", async () => {
    const { calm } = await makeWorld(poolOf("10.0.0.0/28", 29));
    await assigned(calm, requestOf("small", 3));
    const told = await assigned(calm, requestOf("large", 8)); // five are left in the first block
    expect(new Set(told.addresses.map(({ block }) => block)).size).toBe(1);
    expect(await assign(calm, requestOf("more", 6))).toMatchObject({ code: "pool_exhausted" });
    expect((await assigned(calm, requestOf("fits", 5))).addresses).toHaveLength(5);
  });

  it("beyond what one block holds are refused before anything is written", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/28", 29));
    expect(await assign(world.calm, requestOf("pod", 9))).toMatchObject({
      code: "invalid_request",
      members: { fields: [{ field: "ipv4", value: 9 }] },
    });
    expect(contentsIn(world)).toMatchObject({ blocks: [], rows: [], records: [] });
  });

  it("of IPv6 come in the canonical text of RFC 5952", async () => {
    const { calm } = await makeWorld(poolOf("2001:db8::/122", 122));
    const told = await assigned(calm, { ...requestOf("pod", 1), family: 6 });
    expect(told.addresses[0]).toMatchObject({ family: 6, block: "2001:db8::/122" });
    expect(told.addresses[0]?.address).toMatch(/^2001:db8::[0-9a-f]{0,2}$/);
  });
});

describe("a refused assign", () => {
  it("leaves no record behind", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/31", 31));
    await assigned(world.calm, requestOf("pod", 2));
    const other = { ...requestOf("other", 1), host: "host:node-2" } as const;
    expect(await assign(world.calm, other)).toMatchObject({ code: "pool_exhausted" });
    expect(contentsIn(world).records).toHaveLength(1);
    expect(contentsIn(world).rows).toHaveLength(1);
  });

  it("for a host at its cap names the cap and the count", async () => {
    const { calm } = await makeWorld(poolOf("10.0.0.0/24", 32));
    for (let n = 0; n < 20; n++) await assigned(calm, requestOf(`pod-${n}`, 1));
    expect(await assign(calm, requestOf("one-more", 1))).toMatchObject({
      code: "block_limit",
      members: { blocks: 20, maxBlocksPerHost: 20 },
    });
  });
});

describe("the pools of a request", () => {
  const second = async (calm: Context, change: Partial<PoolSpec>) => {
    const spec = { ...poolOf("10.1.0.0/28", 30), ...change };
    await putPool(calm, SPACE, "second", spec, undefined);
  };
  const only = (pools: string[]) => ({ ...requestOf("pod", 1), pools });

  it("are tried by name, or as the caller named them, by name or CIDR", async () => {
    const { calm } = await makeWorld();
    await second(calm, {});
    expect(await assigned(calm, requestOf("pod", 1))).toMatchObject({
      addresses: [{ pool: "pool" }],
    });
    for (const pools of [["second"], ["10.1.0.0/28"], ["second", "pool"]])
      expect(await assigned(calm, only(pools))).toMatchObject({ addresses: [{ pool: "second" }] });
  });

  it("go on to the next when one is full", async () => {
    const { calm } = await makeWorld(poolOf("10.0.0.0/31", 31));
    await second(calm, {});
    await assigned(calm, requestOf("all", 2));
    expect(await assigned(calm, requestOf("pod", 1))).toMatchObject({
      addresses: [{ pool: "second" }],
    });
  });

  it.each([
    ["disabled", { disabled: true }, ["second"], "is disabled"],
    ["for another use", { allowedUses: ["Tunnel"] }, ["second"], "does not allow the use Workload"],
    ["Manual", { assignmentMode: "Manual" }, [], "serves only requests that name it"],
  ] as const)("leave out one that is %s, and say why", async (_, change, pools, reason) => {
    const { calm } = await makeWorld();
    await second(calm, change);
    const away = { ...only([...pools]), family: 4 } as const;
    const answer = pools.length > 0 ? await assign(calm, away) : await assignOnlySecond(change);
    expect(answer).toMatchObject({
      code: "no_pool_available",
      members: { pools: [{ reason: expect.stringContaining(reason) }] },
    });
  });

  const assignOnlySecond = async (change: Partial<PoolSpec>) => {
    const { calm } = await makeWorld({ ...poolOf("10.0.0.0/29", 31), ...change });
    return assign(calm, requestOf("pod", 1));
  };

  it("Manual ones serve those who name them", async () => {
    const { calm } = await makeWorld();
    await second(calm, { assignmentMode: "Manual" });
    expect(await assigned(calm, only(["second"]))).toMatchObject({
      addresses: [{ pool: "second" }],
    });
  });

  it("that do not exist are named", async () => {
    const { calm } = await makeWorld();
    expect(await assign(calm, only(["nowhere"]))).toMatchObject({
      code: "no_pool_available",
      detail: expect.stringContaining('"nowhere"'),
    });
  });
});

describe("a specific address", () => {
  const specific = (address: string, handle = "pod") => ({
    ...requestOf(handle, 1),
    address: addressOf(address),
  });

  it("is assigned if it is free, its block claimed for the host", async () => {
    const { calm } = await makeWorld();
    expect(await assigned(calm, specific("10.0.0.5"))).toMatchObject({
      addresses: [{ address: "10.0.0.5", block: "10.0.0.4/31" }],
    });
  });

  it("that is taken is refused, whoever has it", async () => {
    const { calm } = await makeWorld();
    await assigned(calm, specific("10.0.0.5"));
    expect(await assign(calm, specific("10.0.0.5", "other"))).toMatchObject({
      code: "already_assigned",
    });
  });

  it("that cools is refused with the time from which it can be had", async () => {
    const { calm, clock } = await makeWorld();
    await releaseAll(calm, await assigned(calm, specific("10.0.0.5")));
    expect(await assign(calm, specific("10.0.0.5"))).toMatchObject({
      code: "address_cooling",
      members: { availableAt: new Date(clock.nowMs + 7_000).toISOString() },
    });
  });

  it("in another host's block is refused with the owner", async () => {
    const { calm } = await makeWorld();
    await assigned(calm, specific("10.0.0.5"));
    const foreign = { ...specific("10.0.0.4"), host: "host:node-2" } as const;
    expect(await assign(calm, foreign)).toMatchObject({
      code: "block_not_owned",
      members: { block: "10.0.0.4/31", owner: "node-1" },
    });
  });

  it("outside every pool is refused", async () => {
    const { calm } = await makeWorld();
    expect(await assign(calm, specific("192.0.2.1"))).toMatchObject({ code: "no_pool_available" });
  });

  it("that is reserved is assigned: reservations bind automatic assignment only", async () => {
    const { calm } = await makeWorld();
    await reserve(calm, "10.0.0.0-10.0.0.7");
    expect(await assign(calm, requestOf("pod", 1))).toMatchObject({ code: "pool_exhausted" });
    expect(await assigned(calm, specific("10.0.0.5"))).toMatchObject({ handle: "pod" });
  });
});

describe("reserved addresses", () => {
  it("are never assigned by themselves, and a block of nothing else is never claimed", async () => {
    const world = await makeWorld();
    await reserve(world.calm, "10.0.0.0-10.0.0.4");
    const given = [];
    for (let n = 0; n < 3; n++)
      given.push(...(await assigned(world.calm, requestOf(`pod-${n}`, 1))).addresses);
    expect(given.map(({ address }) => address).sort()).toEqual([
      "10.0.0.5",
      "10.0.0.6",
      "10.0.0.7",
    ]);
    expect(contentsIn(world).blocks).toHaveLength(2);
    expect(await assign(world.calm, requestOf("pod", 1))).toMatchObject({ code: "pool_exhausted" });
  });
});

async function reserve(context: Context, text: string): Promise<void> {
  const interval = parseInterval(text);
  if (!interval.ok) throw new Error(interval.problem);
  const spec = { cidrs: [text], intervals: [interval.value] };
  await putReservation(context, SPACE, "reserved", spec, undefined);
}
