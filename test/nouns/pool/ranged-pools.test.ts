import { describe, expect, it } from "vitest";
import { GROUPS_SEARCHED_MAX } from "../../../src/base/limits.ts";
import { ContentionError, Rejection } from "../../../src/base/outcome.ts";
import { findViolations } from "../../../src/invariants/invariants.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import { formatAddress } from "../../../src/net/address.ts";
import { formatSet } from "../../../src/net/address-set.ts";
import { putPool } from "../../../src/nouns/pool/operations/administration.ts";
import type { PoolSpec } from "../../../src/nouns/pool/pool.ts";
import type { Table } from "../../../src/table/table.ts";
import { intervals } from "../../builders.ts";
import { from, put, RED, remove, setIn, twoSets } from "../../operations/ranged-pools.ts";
import { work } from "../../scheduled-runs.ts";
import { answerOf, callsOf, stoppedBefore, withMishap } from "../../simulation/crash-points.ts";
import {
  addressOf,
  assigned,
  COOLDOWN_SECONDS,
  contentsIn,
  contextOver,
  makeWorld,
  poolNamed,
  poolOf,
  releaseAll,
  SPACE,
  scheduledRuns,
  type World,
} from "../../world.ts";

async function sharedWorld(): Promise<World> {
  const world = await makeWorld();
  await twoSets(world);
  return world;
}

const read = async (world: World, name: string) => poolNamed(world, name);
const setsOf = (world: World) =>
  Promise.all(
    ["red", "blue"].map(async (name) => formatSet((await read(world, name)).ranges ?? [])),
  );

/** Lets a change of a pool pause before a write, carries out another act meanwhile, and returns both answers. */
async function overtaken(
  { table, clock }: World,
  step: string,
  slow: (context: Context) => Promise<unknown>,
  act: (context: Context) => Promise<unknown>,
) {
  const paused = stoppedBefore(table, (name) => name === step);
  const first = answerOf(slow(contextOver(paused.table, clock, 2)));
  await paused.stops;
  const second = await act(contextOver(table, clock, 3));
  paused.goOn();
  return [await first, second] as const;
}

const WIDE: PoolSpec = setIn("10.9.0.0-10.9.0.5", "10.9.0.12");

describe("two changes of ranged pools at once", () => {
  it("keep the change that came between reading a pool and adding addresses to it", async () => {
    const world = await sharedWorld();
    const { revision } = await read(world, "red");
    const [widened] = await overtaken(
      world,
      "add-addresses",
      (context) => putPool(context, SPACE, "red", WIDE, revision),
      (context) => put(context, "red", { ...RED, cooldownSeconds: 7 }),
    );
    expect(widened).toMatchObject({ code: "precondition_failed" });
    expect(await read(world, "red")).toMatchObject({ cooldownSeconds: 7 });
  });

  it("keep the change that came before what was about to be added was given up", async () => {
    const world = await sharedWorld();
    const taken = setIn("10.9.0.0-10.9.0.6");
    const [widened] = await overtaken(
      world,
      "add-undo",
      (context) => put(context, "red", taken),
      (context) => put(context, "red", { ...RED, cooldownSeconds: 7 }),
    );
    expect(widened).toMatchObject({ code: "pool_overlap" });
    expect(await read(world, "red")).toMatchObject({ cooldownSeconds: 7 });
  });

  it("leave a pool active that another request created before the first joined the subnet late", async () => {
    const world = await sharedWorld();
    const { table, clock } = world;
    const walk = (own: Table) => put(contextOver(own, clock, 2), "green", setIn("10.9.0.12"));
    const joining = (await callsOf((await sharedWorld()).table, walk)).indexOf("join-subnet");
    const late = "the request lands after everything else";
    const { landLate } = await withMishap(table, joining, late, walk);
    await walk(table);
    await landLate();
    expect(await read(world, "green")).toMatchObject({ state: "active" });
  });

  it.each(["add-addresses", "put-pool"])(
    "give an address that both want to one of them or to none, when one pauses before %s",
    async (step) => {
      const world = await sharedWorld();
      const red = setIn("10.9.0.0-10.9.0.5", "10.9.0.12-10.9.0.13");
      const blue = setIn("10.9.0.6-10.9.0.9", "10.9.0.13-10.9.0.14");
      await overtaken(
        world,
        step,
        (context) => put(context, "red", red),
        (context) => put(context, "blue", blue),
      );
      const having = (await setsOf(world)).filter((runs) => runs.length > 1);
      expect(having.length).toBeLessThan(2);
      expect(findViolations(contentsIn(world))).toEqual([]);
    },
  );

  it("give an address to one of two new pools, or to none", async () => {
    const world = await sharedWorld();
    const answers = await overtaken(
      world,
      "change-plan",
      (context) => put(context, "green", setIn("10.9.0.12-10.9.0.13")),
      (context) => put(context, "gold", setIn("10.9.0.13")),
    );
    expect(answers.filter((answer) => answer instanceof Rejection)).toHaveLength(1);
    expect(findViolations(contentsIn(world))).toEqual([]);
  });
});

describe("a subnet", () => {
  it("is joined only while a pool of it is in the plan", async () => {
    const world = await makeWorld();
    await put(world.calm, "red", RED);
    await remove(world.calm, "red");
    await overtaken(
      world,
      "change-plan",
      (context) => put(context, "blue", setIn("10.9.0.8")),
      async (context) => work(context, world.clock, 4),
    );
    await put(world.calm, "blue", setIn("10.9.0.8"));
    await assigned(contextOver(world.table, world.clock, 4), from("new", 1, "blue"));
    await scheduledRuns(world, 3);
    expect(findViolations(contentsIn(world), { quiet: true })).toEqual([]);
  });
});

it("a slot write that is late finds the addresses of its pool given to another, and takes none", async () => {
  const world = await sharedWorld();
  const { table, calm, clock } = world;
  await assigned(calm, { ...from("stays", 1, "blue"), addresses: [addressOf("10.9.0.7")] });
  const slow = stoppedBefore(table, (step) => step === "take-slots");
  const request = { ...from("late", 1, "red"), addresses: [addressOf("10.9.0.4")] };
  const late = answerOf(assign(contextOver(slow.table, clock, 8), request));
  await slow.stops;
  await remove(calm, "red");
  await work(calm, clock, 6);
  expect(await put(calm, "heir", RED)).toMatchObject({ created: true });
  slow.goOn();
  await late;
  expect(findViolations(contentsIn(world))).toEqual([]);
});

/** Returns the first address of a group of 64 blocks, each of one address. */
const inGroup = (n: number) => addressOf(`10.9.${n >> 2}.${(n & 3) << 6}`);

/** A pool with one address in each of some block groups. */
const sparse = (groups: number): PoolSpec => ({
  ...poolOf("10.9.0.0/16", 32),
  ranges: intervals(...Array.from({ length: groups }, (_, n) => formatAddress(inGroup(n)))),
});

describe("an assign from a ranged pool", () => {
  it("of a warm function is two writes, and reads nothing", async () => {
    const world = await makeWorld();
    await put(world.calm, "all", setIn("10.9.0.0-10.9.0.15"));
    const calls = await callsOf(world.table, async (own) => {
      const context = contextOver(own, world.clock);
      await assigned(context, from("cold", 1, "all"));
      await assigned(context, from("warm", 1, "all"));
    });
    expect(calls.slice(-3)).toEqual(["take-slots", "create-allocation", "take-slots"]);
  });

  it("of a warm function is two writes for each of two pools that share a CIDR, by turns", async () => {
    const world = await makeWorld();
    await put(world.calm, "low", setIn("10.9.0.0-10.9.0.3"));
    await put(world.calm, "high", setIn("10.9.0.4-10.9.0.7"));
    const calls = await callsOf(world.table, async (own) => {
      const context = contextOver(own, world.clock);
      for (const pool of ["low", "high", "low", "high"])
        await assigned(context, from(pool, 1, pool));
    });
    const warm = ["create-allocation", "take-slots"];
    expect(calls.slice(-4)).toEqual([...warm, ...warm]);
  });

  it("finds in a function that knew the block full what was released since", async () => {
    const world = await makeWorld();
    await put(world.calm, "four", setIn("10.9.0.0-10.9.0.3"));
    const knowing = contextOver(world.table, world.clock);
    const told = await assigned(knowing, from("first", 4, "four"));
    await releaseAll(world.calm, told);
    world.clock.nowMs += 10 * COOLDOWN_SECONDS * 1_000;
    expect((await assigned(knowing, from("second", 4, "four"))).addresses).toHaveLength(4);
  });

  it("reads all groups of a set, some at a time", async () => {
    const world = await makeWorld();
    await put(world.calm, "sparse", sparse(4));
    const { addresses } = await assigned(world.calm, from("all", 4, "sparse"));
    expect(addresses).toHaveLength(4);
  });

  it("does not say that a set is full as long as it has not read every group", async () => {
    const world = await makeWorld();
    const { calm } = world;
    const groups = GROUPS_SEARCHED_MAX + 1;
    await put(calm, "sparse", sparse(groups));
    for (let n = 0; n < groups; n++)
      await assigned(calm, { ...from(`n${n}`, 1, "sparse"), addresses: [inGroup(n)] });
    await expect(assign(calm, from("late", 1, "sparse"))).rejects.toThrow(ContentionError);
  });

  it("stays in its pool until every group of the set is without room", async () => {
    const world = await makeWorld();
    const { calm } = world;
    await put(calm, "near", setIn("10.9.0.0-10.9.0.1", "10.9.0.15"));
    await put(calm, "next", setIn("10.9.0.8-10.9.0.9"));
    const { addresses } = await assigned(calm, from("all", 4, "near", "next"));
    expect(addresses.map(({ pool }) => pool)).toEqual(["near", "near", "next", "near"]);
  });

  it("finds its way in a set of more blocks than anyone could list", async () => {
    const world = await makeWorld();
    const wide = { ...RED, cidr: { family: 6, base: 0xfd00n << 112n, prefix: 48 }, blockSize: 122 };
    const first = wide.cidr.base + 77n;
    const ranges = [{ family: 6, first, last: first + 2n ** 70n }] as const;
    await put(world.calm, "wide", { ...wide, ranges } as PoolSpec);
    const request = { ...from("six", 3, "wide"), wanted: [{ family: 6, count: 3 }] } as const;
    const { addresses } = await assigned(world.calm, request);
    expect(new Set(addresses.map(({ block }) => block)).size).toBe(1);
  });
});
