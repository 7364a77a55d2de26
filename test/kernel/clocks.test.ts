import { describe, expect, it } from "vitest";
import { RELEASED_ALLOCATION_KEPT_MS } from "../../src/base/limits.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import { reclaimAll, repairAll } from "../scheduled-runs.ts";
import {
  assigned,
  type Clock,
  COOLDOWN_SECONDS,
  contentsIn,
  contextOver,
  makeWorld,
  poolOf,
  releaseAll,
  requestOf,
  scheduledRuns,
} from "../world.ts";

const COOLDOWN_MS = COOLDOWN_SECONDS * 1000;
const HOUR_MS = 3_600_000;

describe("a clock that is moved back by an hour", () => {
  it("makes what cools cool for an hour longer, and never shorter", async () => {
    const { calm, clock } = await tinyWorld();
    await releaseAll(calm, await assigned(calm, requestOf("old", 2)));
    clock.nowMs -= HOUR_MS;
    expect(await assign(calm, requestOf("new", 2))).toMatchObject({ code: "pool_exhausted" });
    clock.nowMs += HOUR_MS + COOLDOWN_MS + 2_000;
    expect(await assigned(calm, requestOf("new", 2))).toMatchObject({ requested: 2 });
  });

  it("keeps an empty block for an hour longer", async () => {
    const world = await makeWorld();
    await releaseAll(world.calm, await assigned(world.calm, requestOf("old", 1)));
    world.clock.nowMs -= HOUR_MS;
    await scheduledRuns(world, 5);
    expect(contentsIn(world).blocks).toHaveLength(1);
    world.clock.nowMs += HOUR_MS;
    await scheduledRuns(world, 5);
    expect(contentsIn(world).blocks).toHaveLength(0);
  });

  it("ends no lease before its time", async () => {
    const world = await makeWorld();
    await assigned(world.calm, { ...requestOf("vm", 1), leaseSeconds: 600 });
    world.clock.nowMs -= HOUR_MS;
    await scheduledRuns(world, 5);
    expect(contentsIn(world).allocations).toHaveLength(1);
    world.clock.nowMs += 2 * HOUR_MS;
    await scheduledRuns(world, 1);
    expect(contentsIn(world).allocations).toHaveLength(0);
  });
});

describe("a clock that leaps ahead", () => {
  it("by the whole cooldown: the address may be given out, and a late release of it frees nothing", async () => {
    const { calm, clock } = await tinyWorld();
    const old = await assigned(calm, requestOf("old", 2));
    await releaseAll(calm, old);
    clock.nowMs += HOUR_MS;
    const heir = await assigned(calm, requestOf("heir", 2));
    const late = await releaseAll(calm, old);
    expect(late.map(({ status }) => status)).not.toContain("released");
    expect(await assign(calm, requestOf("third", 1))).toMatchObject({ code: "pool_exhausted" });
    expect(await releaseAll(calm, heir)).toMatchObject([
      { status: "released" },
      { status: "released" },
    ]);
  });

  it("while a request is under way: it holds nothing, and says that it is too late", async () => {
    const world = await makeWorld();
    const { table, clock } = world;
    const leaping = contextOver(table, clock);
    const late = assign(
      {
        ...leaping,
        // The clock moves 6 s ahead with every reading.
        now: () => (clock.nowMs += 6_000),
      },
      requestOf("late", 1),
    );
    await expect(late).rejects.toMatchObject({ name: "ContentionError" });
    expect(contentsIn(world).allocations).toEqual([]);
  });

  it("by a day: a key is forgotten as if the day had passed, and what is assigned stays", async () => {
    const world = await makeWorld();
    const keyed = requestOf("pod", 1, "once");
    const told = await assigned(world.calm, keyed);
    world.clock.nowMs += RELEASED_ALLOCATION_KEPT_MS + HOUR_MS;
    await scheduledRuns(world, 2);
    expect(await assigned(world.calm, keyed)).toEqual(told);
  });
});

describe("one function whose clock is an hour off", () => {
  it.each([
    ["behind", -HOUR_MS],
    ["ahead", HOUR_MS],
  ])("%s: its scheduled runs free no address that somebody has", async (_, offMs) => {
    const world = await makeWorld();
    const { table, clock, calm } = world;
    const off = contextOver(table, clockOff(clock, offMs), 9);
    const told = [
      await assigned(calm, requestOf("one", 1)),
      await assigned(off, requestOf("two", 3)),
    ];
    for (let round = 0; round < 5; round++) {
      clock.nowMs += 100_000;
      await reclaimAll(off);
      await repairAll(off);
    }
    for (const answer of told)
      expect(await releaseAll(calm, answer)).toEqual(
        answer.addresses.map(() => expect.objectContaining({ status: "released" })),
      );
  });

  it("behind: what it releases may be reused at once, which is why clocks are taken to differ by 2 s", async () => {
    const { table, clock, calm } = await tinyWorld();
    const behind = contextOver(table, clockOff(clock, -HOUR_MS), 9);
    const old = await assigned(calm, requestOf("old", 2));
    await releaseAll(behind, old);
    await assigned(calm, requestOf("heir", 2));
    // The reuse comes too soon, but no assignment is lost: the old generation frees none of the new ones.
    const late = await releaseAll(calm, old);
    expect(late.map(({ status }) => status)).not.toContain("released");
  });
});

const clockOff = (clock: Clock, offMs: number): Clock => ({
  get nowMs() {
    return clock.nowMs + offMs;
  },
});

/** Returns a world of one block of two addresses, so that a request for two takes them all. */
const tinyWorld = () => makeWorld(poolOf("10.0.0.0/31", 31));
