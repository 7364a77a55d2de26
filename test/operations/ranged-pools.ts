import { expect } from "vitest";
import { Rejection } from "../../src/base/outcome.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { runJobs } from "../../src/maintenance/run-jobs.ts";
import { putPool } from "../../src/nouns/pool/operations/administration.ts";
import { deletePool, drainPool } from "../../src/nouns/pool/operations/pool-jobs.ts";
import type { PoolSpec } from "../../src/nouns/pool/pool.ts";
import { intervals } from "../builders.ts";
import { work } from "../scheduled-runs.ts";
import {
  addressOf,
  assigned,
  type Clock,
  COOLDOWN_SECONDS,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  type World,
} from "../world.ts";
import { cutOffBefore } from "./cut-off.ts";
import { type Operation, UNKEYED } from "./operation.ts";

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
  const request = { ...from("old", 1, "red"), addresses: [addressOf("10.9.0.3")] };
  return { old: await assigned(world.calm, request) };
};

/** Gives the job that begins with a change of the pool its time, and another pool what it freed. */
async function inherits(context: Context, clock: Clock): Promise<void> {
  await work(context, clock, 5);
  expect(await put(context, "heir", HEIR)).toMatchObject({ created: true });
  await assigned(context, from("heir", 2, "heir"));
}

/** Prepares a narrowed pool, so that the next run of the worker frees what left it. */
const narrowedAgo = async (world: World) => {
  const told = await heldInRed(world);
  await put(world.calm, "red", NARROW_RED);
  await work(world.calm, world.clock, 1);
  world.clock.nowMs += 120_000;
  return told;
};

/** A request for an address that leaves the first pool when it is narrowed. */
const leaving = () => ({ ...from("new", 1, "red"), addresses: [addressOf("10.9.0.5")] });

/** Operations on pools with ranges, which share blocks. */
export const RANGED_POOLS: readonly Operation[] = [
  {
    name: "assign from a ranged pool that makes a block",
    step: "create-block",
    prepare: async (world) => {
      await twoSets(world);
      return {};
    },
    walk: (context) => assign(context, from("new", 1, "red")),
    kept: [],
    again: UNKEYED,
  },
  {
    name: "assign from a block that ranged pools share",
    step: "borrowed",
    prepare: async (world) => {
      await twoSets(world);
      const request = { ...from("old", 1, "blue"), addresses: [addressOf("10.9.0.7")] };
      return { old: await assigned(world.calm, request) };
    },
    walk: (context) =>
      assign(context, { ...from("new", 1, "red"), addresses: [addressOf("10.9.0.4")] }),
    again: UNKEYED,
  },
  {
    name: "assign with an Idempotency-Key that spills over into the next ranged pool",
    step: "pending-live",
    prepare: async (world) => {
      await twoSets(world);
      return { old: await assigned(world.calm, from("old", 5, "red")) };
    },
    walk: (context) => assign(context, SPILLING),
    again: "the same answer",
  },
  {
    name: "assign of an address that is about to leave its ranged pool",
    step: "take-slots",
    prepare: heldInRed,
    walk: (context) => assign(context, leaving()),
    again: UNKEYED,
    meets: [{ with: "the change that narrows the pool, with its job", walk: narrowsWhole }],
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
    again: "the same",
  },
  {
    name: "a new ranged pool beside others",
    step: "join-subnet",
    prepare: async (world) => {
      await twoSets(world);
      return { old: await assigned(world.calm, from("old", 1, "red")) };
    },
    walk: (context) => put(context, "green", GREEN),
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
    again: async (context) => {
      await put(context, "red", WIDER_RED);
      await assigned(context, from("heir", 7, "red"));
    },
    late: [
      {
        step: "put-pool",
        why: "its item keeps the addresses from other pools; a job that frees them changes the revision",
      },
    ],
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
    again: async (context, _, clock) => {
      await put(context, "red", NARROW_RED);
      await inherits(context, clock);
    },
    meets: [
      { with: "an assign of what leaves it", walk: (context) => assign(context, leaving()) },
      { with: "another that wants what leaves it", walk: (context) => put(context, "heir", HEIR) },
    ],
    late: [
      {
        step: "put-pool",
        why: "the time of the job begins when a worker has read the change, however late it came",
      },
    ],
  },
  {
    name: "a ranged pool that is narrowed and widened at once",
    step: "add-addresses",
    prepare: heldInRed,
    walk: (context) => put(context, "red", MOVED_RED),
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
    again: async (context) => {
      await put(context, "red", RED);
      await assigned(context, from("more", 5, "red"));
    },
  },
  {
    name: "a worker that frees what left a ranged pool",
    step: "shrink-pool",
    prepare: narrowedAgo,
    walk: (context) => runJobs(context),
    again: (context, _, clock) => inherits(context, clock),
    meets: [
      { with: "another pool that wants it", walk: (context) => put(context, "heir", HEIR) },
      { with: "the pool takes it back", walk: (context) => put(context, "red", RED) },
    ],
    late: [
      {
        step: "shrink-pool",
        why: "nobody assigns from what left; a pool that takes it back changes the revision",
      },
    ],
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
    again: async (context, _, clock) => {
      expect(await put(context, "heir", HEIR)).toBeInstanceOf(Rejection);
      await inherits(context, clock);
    },
    meets: [
      {
        with: "the worker that frees it",
        walk: (context) => runJobs(context),
        prepare: narrowedAgo,
      },
    ],
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
    again: "the same",
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

const SPILLING = { ...from("keyed", 2, "red", "blue"), keyId: "0123456789abcdef" };

/** Narrows a pool, and gives the job its time before another pool wants what left. */
async function narrowsWhole(context: Context, _: unknown, { clock }: World): Promise<void> {
  await put(context, "red", NARROW_RED);
  await work(context, clock, 4);
  await put(context, "heir", HEIR);
}
