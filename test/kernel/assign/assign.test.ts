import { describe, expect, it } from "vitest";
import { findViolations } from "../../../src/invariants/invariants.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import { disown } from "../../../src/kernel/blocks/disown-block.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import { releaseHandle } from "../../../src/kernel/release/release-handle.ts";
import type { HostId } from "../../../src/kernel/values/host.ts";
import { parseInterval } from "../../../src/net/cidr.ts";
import { putPool, putReservation } from "../../../src/nouns/pool/operations/administration.ts";
import type { PoolSpec } from "../../../src/nouns/pool/pool.ts";
import type { Table } from "../../../src/table/table.ts";
import { reclaimAll } from "../../scheduled-runs.ts";
import { callsOf } from "../../simulation/crash-points.ts";
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
  scheduledRuns,
} from "../../world.ts";

describe("what an assign costs", () => {
  it("is two writes and no read when the function knows the block", async () => {
    const { table, clock, calm } = await makeWorld(poolOf("10.0.0.0/24", 28));
    await assigned(calm, requestOf("first", 1));
    const { cache } = calm;
    const calls = await callsOf(table, (own) =>
      assigned({ ...contextOver(own, clock, 2), cache }, requestOf("second", 3)),
    );
    expect(calls).toEqual(["create-allocation", "take-slots"]);
  });

  it("is one more write after another caller took one of the addresses first, in the same block", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/29", 29));
    const { table, clock, calm } = world;
    await assigned(calm, requestOf("first", 1));
    let isFirst = true;
    const rival = async () => {
      const pod = contentsIn(world).allocations.find(({ handle }) => handle === "pod");
      const ordinal = pod?.parts[0]?.ordinals[0];
      await assigned(calm, {
        ...requestOf("rival", 1),
        addresses: [addressOf(`10.0.0.${ordinal}`)],
      });
    };
    const calls = await callsOf(table, (own) => {
      const slow: Table = {
        ...own,
        write: async (write) => {
          if (write.step === "take-slots" && isFirst) {
            isFirst = false;
            await rival();
          }
          return own.write(write);
        },
      };
      return assigned({ ...contextOver(slow, clock, 2), cache: calm.cache }, requestOf("pod", 4));
    });
    expect(calls).toEqual(["create-allocation", "take-slots", "take-slots"]);
  });
});

describe("addresses of one request", () => {
  it("come from one block where one has room for all", async () => {
    const { calm } = await makeWorld(poolOf("10.0.0.0/28", 29));
    await assigned(calm, { ...requestOf("first", 1), addresses: [addressOf("10.0.0.0")] });
    await assigned(calm, { ...requestOf("other", 1), addresses: [addressOf("10.0.0.8")] });
    const told = await assigned(calm, requestOf("pod", 7));
    expect(new Set(told.addresses.map(({ block }) => block)).size).toBe(1);
  });

  it("come from several blocks where none has, all of them or none", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/28", 29));
    const { calm } = world;
    await assigned(calm, requestOf("small", 3));
    const told = await assigned(calm, requestOf("large", 11));
    expect(new Set(told.addresses.map(({ address }) => address)).size).toBe(11);
    expect(new Set(told.addresses.map(({ block }) => block)).size).toBe(2);
    expect(await assign(calm, requestOf("more", 3))).toMatchObject({ code: "pool_exhausted" });
    expect((await assigned(calm, requestOf("fits", 2))).addresses).toHaveLength(2);
    expect(findViolations(contentsIn(world))).toEqual([]);
  });

  it("beyond what a request may ask for are rejected before anything is written", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/16", 29));
    expect(await assign(world.calm, requestOf("pod", 257))).toMatchObject({
      code: "invalid_request",
      members: { fields: [{ field: "ipv4", value: 257 }] },
    });
    expect(contentsIn(world)).toMatchObject({ blocks: [], affinities: [], allocations: [] });
  });

  it("are fewer than asked for where that is allowed, and a repeat is told the same", async () => {
    const { calm } = await makeWorld(poolOf("10.0.0.0/29", 30));
    const partial = { ...requestOf("pod", 12, "key"), allowPartial: true };
    const told = await assigned(calm, partial);
    expect(told).toMatchObject({ requested: 12, messages: [expect.stringContaining("8 of 12")] });
    expect(told.addresses).toHaveLength(8);
    expect((await assigned(calm, partial)).addresses).toEqual(told.addresses);
  });

  it("of IPv6 come in the canonical text of RFC 5952", async () => {
    const { calm } = await makeWorld(poolOf("2001:db8::/122", 122));
    const told = await assigned(calm, {
      ...requestOf("pod", 1),
      wanted: [{ family: 6, count: 1 }],
    });
    expect(told.addresses[0]).toMatchObject({ family: 6, block: "2001:db8::/122" });
    expect(told.addresses[0]?.address).toMatch(/^2001:db8::[0-9a-f]{0,2}$/);
  });
});

describe("addresses of both families", () => {
  const both = { ...requestOf("pod", 1), wanted: wantedBoth(1, 1) };

  it("come together, in two waits when the function knows both blocks", async () => {
    const { table, clock, calm } = await makeWorld();
    await putPool(calm, SPACE, "six", poolOf("2001:db8::/122", 124), undefined);
    const told = await assigned(calm, both);
    expect(told.addresses.map(({ family }) => family)).toEqual([4, 6]);
    const { cache } = calm;
    const calls = await callsOf(table, (own) =>
      assigned({ ...contextOver(own, clock, 2), cache }, { ...both, handle: "second" }),
    );
    expect(calls).toEqual(["create-allocation", "take-slots", "take-slots", "pending-live"]);
  });

  it("or not at all: nothing of one stays taken when the other has none", async () => {
    const world = await makeWorld();
    await putPool(world.calm, SPACE, "six", poolOf("2001:db8::/128", 128), undefined);
    await assigned(world.calm, { ...requestOf("last", 1), wanted: wantedBoth(0, 1) });
    expect(await assign(world.calm, both)).toMatchObject({ code: "pool_exhausted" });
    expect(contentsIn(world).allocations.map(({ handle }) => handle)).toEqual(["last"]);
  });
});

describe("the order of blocks", () => {
  const node2 = (handle: string, count: number) =>
    ({ ...requestOf(handle, count), host: "host:node-2" }) as const;

  it("ends with borrowing, which is found under the borrowing host (I11)", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/30", 30));
    await assigned(world.calm, requestOf("owner", 1));
    const told = await assigned(world.calm, node2("guest", 2));
    expect(told.addresses).toMatchObject([{ borrowed: true }, { borrowed: true }]);
    expect(contentsIn(world).borrowedBlocks).toMatchObject([{ host: "host:node-2" }]);
    expect(findViolations(contentsIn(world))).toEqual([]);
    await releaseAll(world.calm, told);
    await scheduledRuns(world, 2);
    expect(contentsIn(world).borrowedBlocks).toEqual([]);
  });

  it("is looked at anew by a host that lost the block it chose, which so meets the same rivals no second time", async () => {
    const { table, clock, calm } = await makeWorld(poolOf("10.0.0.0/28", 29));
    let rivals: readonly (readonly [HostId, string])[] = [
      ["host:node-2", "10.0.0.0"],
      ["host:node-3", "10.0.0.8"],
    ];
    const calls = await callsOf(table, async (own) => {
      const slow: Table = {
        ...own,
        write: async (write) => {
          const now = write.step === "create-block" ? rivals : [];
          if (now.length > 0) rivals = [];
          for (const [host, address] of now)
            await assigned(calm, { ...requestOf(host, 1), host, addresses: [addressOf(address)] });
          return own.write(write);
        },
      };
      const told = await assigned(contextOver(slow, clock, 2), requestOf("pod", 1));
      expect(told.addresses).toMatchObject([{ borrowed: true }]);
    });
    expect(calls.filter((call) => call === "create-block")).toHaveLength(1);
  });

  it.each([
    ["the space is strict", { strictAffinity: true }, {}],
    ["the pool forbids it", {}, { borrowing: "forbidden" }],
  ] as const)("has no borrowing when %s", async (_, settings, pool) => {
    const { calm } = await makeWorld({ ...poolOf("10.0.0.0/30", 30), ...pool }, settings);
    await assigned(calm, { ...requestOf("owner", 1), addresses: [addressOf("10.0.0.1")] });
    expect(await assign(calm, node2("guest", 1))).toMatchObject({ code: "pool_exhausted" });
    const specific = { ...node2("guest", 1), addresses: [addressOf("10.0.0.2")] };
    expect(await assign(calm, specific)).toMatchObject({
      code: "strict_affinity",
      members: { block: "10.0.0.0/30", owner: "node-1" },
    });
  });

  it("seizes an empty block of another host before it borrows, past its minimum age", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/30", 30), { cooldownSeconds: 0 });
    const { calm, clock } = world;
    await releaseAll(calm, await assigned(calm, requestOf("owner", 1)));
    clock.nowMs += 30_000;
    await reclaimAll(calm); // The reclaim run marks the block as idle.
    expect(await assigned(calm, node2("young", 1))).toMatchObject({
      addresses: [{ borrowed: true }],
    });
    await releaseHandle(calm, SPACE, "young");
    clock.nowMs += 60_000;
    await reclaimAll(calm);
    expect(await assigned(contextOver(world.table, clock, 7), node2("old", 1))).toMatchObject({
      addresses: [{ borrowed: false }],
    });
    expect(contentsIn(world).blocks).toMatchObject([{ host: "host:node-2" }]);
    expect(contentsIn(world).affinities).toMatchObject([
      { host: "host:node-2", state: "confirmed" },
    ]);
  });

  it("claims nothing by itself where that is switched off", async () => {
    const { calm } = await makeWorld(poolOf("10.0.0.0/28", 30), { autoAllocateBlocks: false });
    expect(await assign(calm, requestOf("pod", 1))).toMatchObject({ code: "pool_exhausted" });
  });

  it("keeps to the stricter of the caller's cap and the space's, and then borrows", async () => {
    const { calm } = await makeWorld(poolOf("10.0.0.0/29", 31), { maxBlocksPerHost: 3 });
    await assigned(calm, node2("other", 1));
    const capped = { ...requestOf("pod", 2), maxBlocksPerHost: 1 };
    await assigned(calm, capped);
    expect(await assign(calm, { ...capped, handle: "more" })).toMatchObject({
      code: "block_limit",
      members: { blocks: 1, maxBlocksPerHost: 1 },
    });
    expect(await assigned(calm, { ...requestOf("lone", 1), maxBlocksPerHost: 1 })).toMatchObject({
      addresses: [{ borrowed: true }],
    });
  });
});

describe("a block that is nobody's", () => {
  it("serves on, keeps what is in it, and goes with its last address", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/30", 30));
    const { calm } = world;
    const told = await assigned(calm, requestOf("pod", 1));
    const [block] = contentsIn(world).blocks;
    if (!block) throw new Error("no block");
    expect(await disown(calm, block)).toBe(true);
    expect(findViolations(contentsIn(world), { quiet: true })).toEqual([]);
    const more = await assigned(calm, requestOf("more", 1));
    expect(more.addresses).toMatchObject([{ borrowed: true }]);
    await releaseAll(calm, told);
    await releaseAll(calm, more);
    await scheduledRuns(world, 3);
    expect(contentsIn(world)).toMatchObject({
      blocks: [],
      affinities: [],
      borrowedBlocks: [],
      allocations: [],
    });
  });
});

describe("a refused assign", () => {
  it("leaves no allocation behind", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/31", 31));
    await assigned(world.calm, requestOf("pod", 2));
    const other = { ...requestOf("other", 1), host: "host:node-2" } as const;
    expect(await assign(world.calm, other)).toMatchObject({ code: "pool_exhausted" });
    expect(contentsIn(world).allocations).toHaveLength(1);
    expect(contentsIn(world).affinities).toHaveLength(1);
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
    ["disabled", { disabled: true }, ["second"], "disabled"],
    ["for another use", { allowedUses: ["Tunnel"] }, ["second"], "use"],
    ["Manual", { assignmentMode: "Manual" }, [], "mode"],
  ] as const)("leave out one that is %s, and say why", async (_, change, pools, code) => {
    const { calm } = await makeWorld();
    await second(calm, change);
    const away = only([...pools]);
    const answer = pools.length > 0 ? await assign(calm, away) : await assignOnlySecond(change);
    expect(answer).toMatchObject({
      code: "no_pool_available",
      members: { pools: [{ code }] },
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
    addresses: [addressOf(address)],
  });

  it("is assigned if it is free, its block claimed for the host", async () => {
    const { calm } = await makeWorld();
    expect(await assigned(calm, specific("10.0.0.5"))).toMatchObject({
      addresses: [{ address: "10.0.0.5", block: "10.0.0.4/31" }],
    });
  });

  it("that is taken is rejected, whoever has it", async () => {
    const { calm } = await makeWorld();
    await assigned(calm, specific("10.0.0.5"));
    expect(await assign(calm, specific("10.0.0.5", "other"))).toMatchObject({
      code: "already_assigned",
    });
  });

  it("that cools is rejected with the time from which it can be had", async () => {
    const { calm, clock } = await makeWorld();
    await releaseAll(calm, await assigned(calm, specific("10.0.0.5")));
    expect(await assign(calm, specific("10.0.0.5"))).toMatchObject({
      code: "address_cooling",
      members: { availableAt: new Date(clock.nowMs + 7_000).toISOString() },
    });
  });

  it("in another host's block is borrowed", async () => {
    const { calm } = await makeWorld();
    await assigned(calm, specific("10.0.0.5"));
    const foreign = { ...specific("10.0.0.4"), host: "host:node-2" } as const;
    expect(await assigned(calm, foreign)).toMatchObject({
      addresses: [{ address: "10.0.0.4", borrowed: true }],
    });
  });

  it("outside every pool is rejected", async () => {
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

describe("specific addresses of both families", () => {
  const named = (four: string, six: string, handle = "pod") => ({
    ...requestOf(handle, 1),
    wanted: wantedBoth(1, 1),
    addresses: [addressOf(four), addressOf(six)],
  });

  async function worldOfBoth() {
    const world = await makeWorld();
    await putPool(world.calm, SPACE, "six", poolOf("2001:db8::/122", 124), undefined);
    return world;
  }

  it("are assigned together, with the writes of one of each family, after a read of both blocks", async () => {
    const { table, clock, calm } = await worldOfBoth();
    expect((await assigned(calm, named("10.0.0.5", "2001:db8::5"))).addresses).toMatchObject([
      { address: "10.0.0.5", block: "10.0.0.4/31", pool: "pool" },
      { address: "2001:db8::5", block: "2001:db8::/124", pool: "six" },
    ]);
    const { cache } = calm;
    const calls = await callsOf(table, (own) =>
      assigned({ ...contextOver(own, clock, 2), cache }, named("10.0.0.4", "2001:db8::6", "next")),
    );
    expect(calls).toEqual([
      "get",
      "get",
      "create-allocation",
      "take-slots",
      "take-slots",
      "pending-live",
    ]);
  });

  it.each(["10.0.0.5", "2001:db8::5"])(
    "are not assigned if %s is taken, and nothing of the other stays taken",
    async (taken) => {
      const world = await worldOfBoth();
      const { calm } = world;
      const address = addressOf(taken);
      const { family } = address;
      const wanted = [{ family, count: 1 }];
      await assigned(calm, { ...requestOf("owner", 1), wanted, addresses: [address] });
      expect(await assign(calm, named("10.0.0.5", "2001:db8::5"))).toMatchObject({
        code: "already_assigned",
        members: { address: taken, assignedTo: "owner" },
      });
      expect(contentsIn(world).allocations.map(({ handle }) => handle)).toEqual(["owner"]);
      const other = taken === "10.0.0.5" ? "2001:db8::5" : "10.0.0.5";
      const alone = addressOf(other);
      await assigned(calm, {
        ...requestOf("heir", 1),
        wanted: [{ family: alone.family, count: 1 }],
        addresses: [alone],
      });
    },
  );

  it("tell both reasons if neither can be had", async () => {
    const { calm } = await worldOfBoth();
    await assigned(calm, named("10.0.0.5", "2001:db8::5", "owner"));
    const rejection = await assign(calm, named("10.0.0.5", "2001:db8::5"));
    expect(rejection).toMatchObject({
      code: "already_assigned",
      detail:
        "Address 10.0.0.5 is assigned to handle owner. Address 2001:db8::5 is assigned to handle owner.",
    });
    expect(await assign(calm, named("192.0.2.1", "fd00::1"))).toMatchObject({
      code: "no_pool_available",
      detail: expect.stringMatching(/192\.0\.2\.1 .* fd00::1 /),
    });
  });

  it("are more than a space allows that assigns one address for a request", async () => {
    const { calm } = await makeWorld(undefined, { maxAddressesPerRequest: 1 });
    expect(await assign(calm, named("10.0.0.5", "2001:db8::5"))).toMatchObject({
      code: "invalid_request",
      members: { fields: [{ field: "addresses", value: ["10.0.0.5", "2001:db8::5"] }] },
    });
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

function wantedBoth(ipv4: number, ipv6: number) {
  return [{ family: 4, count: ipv4 } as const, { family: 6, count: ipv6 } as const].filter(
    ({ count }) => count > 0,
  );
}

async function reserve(context: Context, text: string): Promise<void> {
  const interval = parseInterval(text);
  if (!interval.ok) throw new Error(interval.problem);
  const spec = { cidrs: [text], intervals: [interval.value] };
  await putReservation(context, SPACE, "reserved", spec, undefined);
}
