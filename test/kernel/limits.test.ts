import { describe, expect, it } from "vitest";
import { Rejection } from "../../src/base/outcome.ts";
import type { Granted } from "../../src/kernel/allocations/holding.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import { areHeld, grantedUnderLimit, quotaSlotsUnderLimit } from "../../src/kernel/assign/quota.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { putPool } from "../../src/nouns/pool/operations/administration.ts";
import type { Table } from "../../src/table/table.ts";
import { callsOf, withMishap } from "../simulation/crash-points.ts";
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
  tableOf,
  type World,
} from "../world.ts";

/** Returns a request of handle `vm` for `count` addresses with the limit `limitPerHandle`. */
const limited = (count: number, limitPerHandle: number, key?: string): AssignRequest => ({
  ...requestOf("vm", count, key),
  limitPerHandle,
});

const textsOf = (answer: { addresses: readonly { address: string }[] }) =>
  answer.addresses.map(({ address }) => address);
const told = async (context: Context, request: AssignRequest) =>
  textsOf(await assigned(context, request));
const quotaSlotsIn = (world: World) =>
  contentsIn(world).quotaSlots.map(({ family, number }) => `${family}#${number}`);
const other = ({ table, clock }: World, seed: number) => contextOver(table, clock, seed);

describe("a handle with a limit of one", () => {
  it("is told the address that it has, whoever asks, and takes no second one", async () => {
    const world = await makeWorld();
    const first = await assigned(world.calm, limited(1, 1));
    expect(await assigned(other(world, 2), limited(1, 1))).toEqual(first);
    expect(quotaSlotsIn(world)).toEqual(["4#0"]);
    expect(contentsIn(world).allocations).toHaveLength(1);
  });

  it("gets another one when it has given the first back, by address or by handle", async () => {
    const world = await makeWorld();
    const first = await assigned(world.calm, limited(1, 1));
    await releaseAll(world.calm, first);
    const second = await assigned(world.calm, limited(1, 1));
    expect(textsOf(second)).not.toEqual(textsOf(first));
    const { released } = await releaseHandle(world.calm, "default", "vm");
    expect(released).toEqual(textsOf(second));
    expect(quotaSlotsIn(world)).toEqual([]);
    expect(await told(world.calm, limited(1, 1))).toHaveLength(1);
  });

  it("is told again what there is nothing for, where all that it gets is what it has", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/31", 31));
    await assigned(world.calm, limited(1, 2));
    await assigned(world.calm, requestOf("neighbour", 1));
    const partly: AssignRequest = { ...limited(2, 2, "k"), allowPartial: true };
    const first = await assigned(world.calm, partly);
    expect(first.addresses).toHaveLength(1);
    expect(first.missing).toEqual([{ family: 4, count: 1, code: "pool_exhausted" }]);
    const again = await assigned(other(world, 2), partly);
    expect(again).toMatchObject({ addresses: first.addresses, missing: first.missing });
  });

  it("is told the same a day long where another caller took the last address first", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/31", 31));
    await assigned(world.calm, limited(1, 2));
    let isFirst = true;
    const late: Table = {
      ...tableOf(world),
      write: async (write) => {
        if (write.step === "take-slots" && isFirst) {
          isFirst = false;
          await assigned(world.calm, requestOf("neighbour", 1));
        }
        return world.table.write(write);
      },
    };
    const partly: AssignRequest = { ...limited(2, 2, "k"), allowPartial: true };
    const first = await assigned(contextOver(late, world.clock, 2), partly);
    expect(first.addresses).toHaveLength(1);
    await scheduledRuns(world, 5);
    const again = await assigned(other(world, 3), partly);
    expect(again).toMatchObject({ addresses: first.addresses, missing: first.missing });
  });

  it("has one of each family", async () => {
    const world = await makeWorld();
    await other(world, 9).store.putPool(
      {
        ...poolOf("2001:db8::/126", 127),
        space: "default",
        name: "six",
        id: "six",
        state: "active",
        revision: "r",
      },
      undefined,
    );
    await world.calm.store.changePlan(
      await world.calm.store.readPlan("default"),
      [
        ...(await world.calm.store.readPlan("default")).entries,
        { pool: "six", id: "six", cidr: poolOf("2001:db8::/126", 127).cidr, blockSize: 127 },
      ],
      "r2",
    );
    const fresh = other(world, 3);
    const both: AssignRequest = {
      ...limited(1, 1),
      wanted: [
        { family: 4, count: 1 },
        { family: 6, count: 1 },
      ],
    };
    const four = await told(fresh, limited(1, 1));
    const answer = await told(fresh, both);
    expect(answer).toEqual([four[0], expect.stringContaining("2001:db8::")]);
    expect(await told(other(world, 4), both)).toEqual(answer);
  });

  it("answers the specific addresses of both families again, and rejects another of one", async () => {
    const world = await makeWorld();
    await putPool(world.calm, SPACE, "six", poolOf("2001:db8::/126", 127), undefined);
    const asking = (...texts: string[]) => {
      const addresses = texts.map(addressOf);
      const wanted = addresses.map(({ family }) => ({ family, count: 1 }));
      return assign(world.calm, { ...limited(1, 1), wanted, addresses });
    };
    const both = { addresses: [{ address: "10.0.0.5" }, { address: "2001:db8::2" }] };
    expect(await asking("10.0.0.5")).toMatchObject({ addresses: [{ address: "10.0.0.5" }] });
    expect(await asking("10.0.0.5", "2001:db8::2")).toMatchObject(both);
    expect(await asking("10.0.0.5", "2001:db8::2")).toMatchObject(both);
    expect(await asking("10.0.0.5", "2001:db8::3")).toMatchObject({
      code: "handle_limit",
      detail:
        "Handle vm has 1 of at most 1 IPv6 addresses (limitPerHandle), and may not have 2001:db8::3 as well.",
    });
  });

  it("answers a specific address again, and rejects another", async () => {
    const world = await makeWorld();
    const [first] = await told(world.calm, limited(1, 1));
    const asking = (address: string) =>
      assign(world.calm, { ...limited(1, 1), addresses: [addressOf(address)] });
    expect(await asking(first as string)).toMatchObject({ addresses: [{ address: first }] });
    const another = first === "10.0.0.7" ? "10.0.0.6" : "10.0.0.7";
    expect(await asking(another)).toMatchObject({
      code: "handle_limit",
      members: { addresses: 1, limitPerHandle: 1 },
    });
  });
});

describe("a handle with a limit of several", () => {
  it("gets new addresses while there is room for all that are asked for, then those that it has", async () => {
    const world = await makeWorld();
    const one = await told(world.calm, limited(1, 3));
    const two = await told(world.calm, limited(1, 3));
    expect(two).not.toEqual(one);
    const three = await told(world.calm, limited(3, 3));
    expect(three).toHaveLength(3);
    expect(three).toEqual(expect.arrayContaining([...one, ...two]));
    expect(await told(world.calm, limited(3, 3))).toEqual(three);
    expect(three).toEqual(expect.arrayContaining(await told(world.calm, limited(1, 3))));
    expect(quotaSlotsIn(world)).toEqual(["4#0", "4#1", "4#2"]);
  });

  it("has room again for exactly the address that it freed", async () => {
    const world = await makeWorld();
    const three = await assigned(world.calm, limited(3, 3));
    await releaseAll(world.calm, { ...three, addresses: three.addresses.slice(0, 1) });
    const again = await told(world.calm, limited(3, 3));
    expect(again).toHaveLength(3);
    expect(again).toEqual(expect.arrayContaining(textsOf(three).slice(1)));
    expect(again).not.toContain(textsOf(three)[0]);
  });

  it("gets what there is where partial is allowed, and keeps no quota slot for the rest", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/30", 31));
    const answer = await assigned(world.calm, { ...limited(6, 6), allowPartial: true });
    expect(textsOf(answer)).toHaveLength(4);
    expect(quotaSlotsIn(world)).toHaveLength(4);
  });

  it("is not touched by requests without a limit, nor counted for them", async () => {
    const world = await makeWorld();
    await assigned(world.calm, requestOf("vm", 2));
    expect(await told(world.calm, limited(1, 1))).toHaveLength(1);
    expect(quotaSlotsIn(world)).toEqual(["4#0"]);
  });
});

describe("a handle whose leases are all over", () => {
  it("gets new addresses however many they were", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/24", 26));
    const limit = 40;
    for (let n = 0; n < limit; n++)
      await assigned(world.calm, { ...limited(1, limit), leaseSeconds: 60 });
    expect(quotaSlotsIn(world)).toHaveLength(limit);
    world.clock.nowMs += 100_000;
    expect(await told(other(world, 2), limited(2, limit))).toHaveLength(2);
    expect(quotaSlotsIn(world)).toHaveLength(2);
  });
});

describe("a request with a limit and an Idempotency-Key", () => {
  it("that was answered with what the handle had is told so again, and that it is over after that", async () => {
    const world = await makeWorld();
    const first = await assigned(world.calm, limited(1, 1));
    const keyed = limited(1, 1, "once");
    expect(await assigned(world.calm, keyed)).toEqual(first);
    expect(await assigned(other(world, 2), keyed)).toEqual(first);
    await releaseAll(world.calm, first);
    expect(await assign(world.calm, keyed)).toMatchObject({ code: "already_released" });
    await scheduledRuns(world, 2);
    expect(await assign(other(world, 3), keyed)).toMatchObject({ code: "already_released" });
  });

  it("tells the old and the new addresses alike", async () => {
    const world = await makeWorld();
    await told(world.calm, limited(1, 2));
    const both = await assigned(world.calm, limited(2, 2, "once"));
    expect(textsOf(both)).toHaveLength(2);
    expect(await assigned(other(world, 2), limited(2, 2, "once"))).toEqual(both);
  });
});

describe("of two requests under one limit", () => {
  it("the second waits for the first while that may still be at work, and ends it when not", async () => {
    const world = await makeWorld();
    const { table, clock } = world;
    const calls = await callsOf((await makeWorld()).table, (own) =>
      assign(contextOver(own, clock, 2), limited(1, 1)),
    );
    await withMishap(table, calls.indexOf("take-slots"), "killed before the call", (own) =>
      assign(contextOver(own, clock, 2), limited(1, 1)),
    );
    expect(contentsIn(world).allocations).toMatchObject([{ state: "pending" }]);
    expect(await assign(other(world, 3), limited(1, 1))).toMatchObject({
      code: "request_in_progress",
    });
    clock.nowMs += 20_000;
    expect(await told(other(world, 4), limited(1, 1))).toHaveLength(1);
    expect(quotaSlotsIn(world)).toEqual(["4#0"]);
  });
});

it("a handle with many addresses in one block reads this block once to learn what it has", async () => {
  const world = await makeWorld(poolOf("10.0.0.0/24", 26));
  await assigned(world.calm, limited(32, 32));
  let granted: Granted[] = [];
  const learning = await callsOf(world.table, async (table) => {
    granted = await grantedTo(contextOver(table, world.clock, 2), "vm");
  });
  expect(granted).toHaveLength(32);
  // The quota slots, their allocation, and the block.
  expect(learning).toEqual(["query", "get", "get"]);
  const again = await callsOf(world.table, (table) =>
    areHeld(contextOver(table, world.clock, 3), granted),
  );
  expect(again).toEqual(["get"]);
});

async function grantedTo(context: Context, handle: string): Promise<Granted[]> {
  const granted = await grantedUnderLimit(context, { space: SPACE, handle });
  if (granted instanceof Rejection) throw new Error(granted.detail);
  return [...granted];
}

it("a request whose caller has just read the quota slots does not read them, and reads them anew if they are old", async () => {
  const world = await makeWorld(poolOf("10.0.0.0/24", 26));
  await assigned(world.calm, limited(2, 2));
  const known = await quotaSlotsUnderLimit(world.calm, { space: SPACE, handle: "vm" });
  if (known instanceof Rejection) throw new Error(known.detail);
  const request = { ...limited(3, 3), quotaSlots: known };
  const stepsOf = (seed: number, own: AssignRequest) =>
    callsOf(world.table, (table) => assigned(contextOver(table, world.clock, seed), own));
  const [told, again] = [await stepsOf(2, request), await stepsOf(3, limited(4, 4))];
  expect(again.length - told.length).toBeGreaterThanOrEqual(2);
  // By now the third quota slot and the fourth are taken.
  const late = await assigned(other(world, 4), { ...limited(5, 5), quotaSlots: known });
  expect(new Set(textsOf(late)).size).toBe(5);
  expect(quotaSlotsIn(world)).toEqual(["4#0", "4#1", "4#2", "4#3", "4#4"]);
});
