import { expect } from "vitest";
import { putPool } from "../../src/allocator/admin/administration.ts";
import { assign } from "../../src/allocator/assign/assign.ts";
import type { Context } from "../../src/allocator/core/context.ts";
import { deletePool, drainPool } from "../../src/allocator/jobs/pool-jobs.ts";
import { runJobs } from "../../src/allocator/jobs/run-jobs.ts";
import { Rejection } from "../../src/domain/outcome.ts";
import type { PoolSpec } from "../../src/domain/pool.ts";
import { intervals } from "../domain/builders.ts";
import { work } from "../scheduled-runs.ts";
import {
  addressOf,
  assigned,
  type Clock,
  COOLDOWN_SECONDS,
  contextOver,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  type World,
} from "../world.ts";
import { answerOf, stoppedBefore } from "./crash-points.ts";
import type { Operation } from "./operations.ts";

/** The range of two pools, which split its second block. */
export const setIn = (...ranges: string[]): PoolSpec => ({
  ...poolOf("10.9.0.0/28", 30),
  ranges: intervals(...ranges),
});
export const RED = setIn("10.9.0.0-10.9.0.5");
const BLUE = setIn("10.9.0.6-10.9.0.9");
const GREEN = setIn("10.9.0.10-10.9.0.15");
const WIDER_RED = setIn("10.9.0.0-10.9.0.5", "10.9.0.12-10.9.0.13");
export const NARROW_RED = setIn("10.9.0.0-10.9.0.3");
const MOVED_RED = setIn("10.9.0.0-10.9.0.3", "10.9.0.12");
/** What leaves the first pool when it is narrowed. */
export const HEIR = setIn("10.9.0.4-10.9.0.5");

export async function twoSets({ calm }: World): Promise<void> {
  await put(calm, "red", RED);
  await put(calm, "blue", BLUE);
}

/** Creates a pool, or changes it as it is. */
export const put = async (context: Context, name: string, spec: PoolSpec) =>
  putPool(context, SPACE, name, spec, await revision(context, name));

async function revision({ store }: Context, name: string): Promise<string | undefined> {
  const { pools } = await store.readSpace(SPACE);
  return pools.find((pool) => pool.name === name && pool.state !== "pending")?.revision;
}

export const from = (handle: string, count: number, ...pools: string[]) => ({
  ...requestOf(handle, count),
  pools,
});

export const remove = async (context: Context, name: string) =>
  deletePool(context, SPACE, name, await revision(context, name));

const drain = async (context: Context, name: string) =>
  drainPool(context, SPACE, name, await revision(context, name));

/** Prepares two sets, of which the first keeps an address when it is narrowed. */
export const heldInRed = async (world: World) => {
  await twoSets(world);
  const request = { ...from("old", 1, "red"), address: addressOf("10.9.0.3") };
  return { old: await assigned(world.calm, request) };
};

/** Gives the job that begins with a change of the pool its time, and another pool what it freed. */
async function inherits(context: Context, clock: Clock): Promise<void> {
  await work(context, clock, 5);
  expect(await put(context, "heir", HEIR)).toMatchObject({ created: true });
  await assigned(context, from("heir", 2, "heir"));
}

/** Operations on pools with ranges, which share blocks. */
export const RANGED_OPERATIONS: readonly Operation[] = [
  {
    name: "assign from a ranged pool that makes a block",
    step: "create-block",
    prepare: async (world) => {
      await twoSets(world);
      return {};
    },
    walk: (context) => assign(context, from("new", 1, "red")),
    kept: [],
  },
  {
    name: "assign from a block that ranged pools share",
    step: "borrowed",
    prepare: async (world) => {
      await twoSets(world);
      const request = { ...from("old", 1, "blue"), address: addressOf("10.9.0.7") };
      return { old: await assigned(world.calm, request) };
    },
    walk: (context) =>
      assign(context, { ...from("new", 1, "red"), address: addressOf("10.9.0.4") }),
    kept: ["old"],
  },
  {
    name: "assign with an Idempotency-Key that spills over into the next ranged pool",
    step: "pending-live",
    prepare: async (world) => {
      await twoSets(world);
      return { old: await assigned(world.calm, from("old", 5, "red")) };
    },
    walk: (context) => assign(context, SPILLING),
    kept: ["old"],
    again: (context) => assign(context, SPILLING),
  },
  {
    name: "release by address from a ranged pool",
    step: "release-allocation",
    prepare: async (world) => {
      await twoSets(world);
      const old = await assigned(world.calm, from("old", 1, "blue"));
      return { old, gone: await assigned(world.calm, from("gone", 1, "red")) };
    },
    walk: (context, { gone }) => releaseAll(context, gone),
    kept: ["old"],
    again: (context, { gone }) => releaseAll(context, gone),
  },
  {
    name: "a new ranged pool beside others",
    step: "join-subnet",
    prepare: async (world) => {
      await twoSets(world);
      return { old: await assigned(world.calm, from("old", 1, "red")) };
    },
    walk: (context) => put(context, "green", GREEN),
    kept: ["old"],
    again: async (context) => {
      await put(context, "green", GREEN);
      await assigned(context, from("heir", 6, "green"));
    },
  },
  {
    name: "a ranged pool that is widened",
    step: "add-addresses",
    prepare: async (world) => {
      await twoSets(world);
      return { old: await assigned(world.calm, from("old", 1, "red")) };
    },
    walk: (context) => put(context, "red", WIDER_RED),
    kept: ["old"],
    again: async (context) => {
      await put(context, "red", WIDER_RED);
      await assigned(context, from("heir", 7, "red"));
    },
  },
  {
    name: "a ranged pool that is widened by what another pool has",
    step: "add-undo",
    prepare: async (world) => {
      await twoSets(world);
      await put(world.calm, "green", GREEN);
      return { old: await assigned(world.calm, from("old", 1, "red")) };
    },
    walk: (context) => put(context, "red", WIDER_RED),
    kept: ["old"],
    again: async (context) => {
      expect(await put(context, "red", WIDER_RED)).toBeInstanceOf(Rejection);
      await assigned(context, from("heir", 6, "green"));
    },
  },
  {
    name: "a ranged pool that is narrowed",
    step: "create-job",
    prepare: heldInRed,
    walk: (context) => put(context, "red", NARROW_RED),
    kept: ["old"],
    again: async (context, _, clock) => {
      await put(context, "red", NARROW_RED);
      await inherits(context, clock);
    },
  },
  {
    name: "a ranged pool that is narrowed and widened at once",
    step: "add-addresses",
    prepare: heldInRed,
    walk: (context) => put(context, "red", MOVED_RED),
    kept: ["old"],
    again: async (context, _, clock) => {
      await put(context, "red", MOVED_RED);
      await inherits(context, clock);
      await assigned(context, from("more", 4, "red"));
    },
  },
  {
    name: "a ranged pool that takes back what it gives up",
    step: "begin-job",
    prepare: async (world) => {
      const told = await heldInRed(world);
      await put(world.calm, "red", NARROW_RED);
      return told;
    },
    walk: (context) => put(context, "red", setIn("10.9.0.0-10.9.0.4")),
    kept: ["old"],
    again: async (context) => {
      await put(context, "red", RED);
      await assigned(context, from("more", 5, "red"));
    },
  },
  {
    name: "a worker that frees what left a ranged pool",
    step: "shrink-pool",
    prepare: async (world) => {
      const told = await heldInRed(world);
      await put(world.calm, "red", NARROW_RED);
      await work(world.calm, world.clock, 1);
      world.clock.nowMs += 120_000;
      return told;
    },
    walk: (context) => runJobs(context),
    kept: ["old"],
    again: (context, _, clock) => inherits(context, clock),
  },
  {
    name: "a ranged pool that is widened by what another one has not freed yet",
    step: "create-job",
    prepare: async (world) => {
      const told = await heldInRed(world);
      await cutOffBefore(world, "create-job", (context) => put(context, "red", NARROW_RED));
      return told;
    },
    walk: (context) => put(context, "heir", HEIR),
    kept: ["old"],
    again: async (context, _, clock) => {
      expect(await put(context, "heir", HEIR)).toBeInstanceOf(Rejection);
      await inherits(context, clock);
    },
  },
  {
    name: "a worker in a ranged pool that is drained",
    step: "drain-fence",
    prepare: async (world) => {
      const { calm, clock } = world;
      await twoSets(world);
      const old = await assigned(calm, from("old", 4, "blue"));
      await releaseAll(calm, await assigned(calm, from("gone", 6, "red")));
      await drain(calm, "red");
      clock.nowMs += 100_000;
      return { old };
    },
    walk: (context) => runJobs(context),
    kept: ["old"],
    again: (context) => runJobs(context),
  },
  {
    name: "a worker that gives the addresses of a deleted ranged pool back",
    step: "delete-pool",
    prepare: async (world) => {
      const { calm, clock } = world;
      await twoSets(world);
      const old = await assigned(calm, from("old", 4, "blue"));
      await releaseAll(calm, await assigned(calm, from("gone", 6, "red")));
      await remove(calm, "red");
      await work(calm, clock, 1);
      clock.nowMs += 120_000;
      return { old };
    },
    walk: (context) => runJobs(context),
    kept: ["old"],
    again: async (context, _, clock) => {
      await work(context, clock, 4);
      expect(await put(context, "heir", RED)).toMatchObject({ created: true });
      await assigned(context, from("heir", 6, "heir"));
    },
  },
  {
    name: "a worker that deletes the last ranged pool of its range",
    step: "drop-index",
    prepare: async (world) => {
      const { calm, clock } = world;
      await twoSets(world);
      await releaseAll(calm, await assigned(calm, from("gone", 6, "red")));
      await remove(calm, "red");
      await work(calm, clock, 6);
      await releaseAll(calm, await assigned(calm, from("gone", 4, "blue")));
      await remove(calm, "blue");
      await work(calm, clock, 1);
      clock.nowMs += 1_000 * COOLDOWN_SECONDS + 120_000;
      return {};
    },
    walk: async (context) => {
      await runJobs(context);
      await runJobs(context);
    },
    kept: [],
    again: async (context, _, clock) => {
      await work(context, clock, 6);
      expect(await put(context, "heir", poolOf("10.9.0.0/28", 31))).toMatchObject({
        created: true,
      });
      await assigned(context, from("heir", 16, "heir"));
    },
  },
];

/** Cuts an act off before a write. */
export async function cutOffBefore(
  { table, clock }: World,
  step: string,
  walk: (context: Context) => Promise<unknown>,
): Promise<void> {
  const cut = stoppedBefore(table, (name) => name === step);
  const act = answerOf(walk(contextOver(cut.table, clock, 8)));
  await cut.stops;
  cut.end();
  await act;
}

const SPILLING = { ...from("keyed", 2, "red", "blue"), keyId: "0123456789abcdef" };
