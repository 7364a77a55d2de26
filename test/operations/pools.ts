import { expect } from "vitest";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { runJobs } from "../../src/maintenance/run-jobs.ts";
import { putPool } from "../../src/nouns/pool/operations/administration.ts";
import { deletePool, drainPool } from "../../src/nouns/pool/operations/pool-jobs.ts";
import type { PoolSpec } from "../../src/nouns/pool/pool.ts";
import type { Table } from "../../src/table/table.ts";
import { selector } from "../builders.ts";
import { work } from "../scheduled-runs.ts";
import { callsOf, withMishap } from "../simulation/crash-points.ts";
import {
  assigned,
  type Clock,
  contextOver,
  makeWorld,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  type World,
} from "../world.ts";
import { nothing, type Operation, withOld } from "./operation.ts";

/** Pools from their creation to their deletion, and the jobs on them. */
export const POOLS: readonly Operation[] = [
  {
    name: "a PUT of the first pool of a space",
    step: "register-space",
    prepare: nothing,
    walk: firstPool,
    kept: [],
    again: "the same",
  },
  {
    name: "a new pool",
    step: "change-plan",
    prepare: nothing,
    walk: (context) => putPool(context, SPACE, "second", poolOf("10.9.0.0/24", 28), undefined),
    kept: [],
    again: "the same",
  },
  {
    name: "a pool that is changed",
    step: "put-pool",
    walk: selectByLabels,
    again: async (context) => {
      expect(await selectByLabels(context)).toMatchObject({ created: false });
    },
  },
  {
    name: "a drain",
    step: "drain-mark",
    walk: drain,
    again: "the same",
  },
  {
    name: "a worker in a pool that is drained",
    step: "delete-block",
    prepare: async (world) => {
      const told = { old: await assigned(world.calm, requestOf("old", 2)) };
      await releaseAll(world.calm, await assigned(world.calm, requestOf("gone", 2)));
      await drain(world.calm);
      world.clock.nowMs += 100_000;
      return told;
    },
    walk: (context) => runJobs(context),
    again: "the same",
    late: [
      { step: "delete-block", rejectedBy: "delete-rev", why: "another run deleted the block" },
    ],
  },
  {
    name: "a delete of a pool that is drained",
    step: "delete-mark",
    prepare: async ({ calm }) => {
      const told = { old: await assigned(calm, requestOf("old", 1)) };
      await drain(calm);
      return told;
    },
    walk: remove,
    again: "the same",
  },
  {
    name: "a worker that gives the range of a deleted pool back",
    step: "delete-pool",
    prepare: async ({ calm, clock }) => {
      await releaseAll(calm, await assigned(calm, requestOf("gone", 2)));
      await remove(calm);
      await work(calm, clock, 1);
      clock.nowMs += 60_000;
      return {};
    },
    walk: (context) => runJobs(context),
    kept: [],
    again: succeed,
  },
  {
    name: "a delete of a pool whose creation was cut off",
    step: "delete-pool",
    prepare: async (world) => {
      await cutOffCreation(world);
      return withOld(world);
    },
    walk: removeHalf,
    again: async (context, _, clock) => {
      await removeHalf(context);
      await work(context, clock, 4);
      expect(await createHalf(context)).toMatchObject({ created: true });
      await assigned(context, { ...requestOf("heir", 1), pools: ["half"] });
    },
  },
  {
    name: "a worker that finds a delete of a pool whose creation was cut off",
    step: "delete-pool",
    prepare: async (world) => {
      await cutOffCreation(world);
      const { table, clock } = world;
      const walk = (own: Table) => removeHalf(contextOver(own, clock, 5));
      const dryRunContext = await makeWorld();
      await cutOffCreation(dryRunContext);
      const calls = await callsOf(dryRunContext.table, walk);
      await withMishap(table, calls.indexOf("create-job"), "killed after the call", walk);
      return {};
    },
    walk: (context) => runJobs(context),
    kept: [],
    again: async (context, _, clock) => {
      await work(context, clock, 4);
      expect(await createHalf(context)).toMatchObject({ created: true });
    },
  },
  {
    name: "an assign whose pool is deleted and has a successor with other blocks when it lands",
    step: "create-block",
    prepare: nothing,
    walk: (context) => assign(context, requestOf("new", 3)),
    kept: [],
    again: async (context, _, clock) => {
      await releaseHandle(context, SPACE, "new");
      await remove(context);
      await succeed(context, {}, clock);
    },
  },
];

/** Returns the revision of a pool, unless the pool is gone. */
export async function revision({ store }: Context, of = "pool"): Promise<string | undefined> {
  return (await store.readSpace(SPACE)).pools.find(({ name }) => name === of)?.revision;
}

/** A space without a pool. */
export const BESIDE = "beside";

export async function firstPool(context: Context): Promise<unknown> {
  return putPool(context, BESIDE, "pool", poolOf("10.0.0.0/29", 31), undefined);
}

export async function drain(context: Context) {
  return drainPool(context, SPACE, "pool", await revision(context));
}

export async function remove(context: Context) {
  return deletePool(context, SPACE, "pool", await revision(context));
}

/** The pool with selectors: it serves only the hosts and namespaces that these select. */
export const selectivePool: PoolSpec = {
  ...poolOf("10.0.0.0/29", 31),
  nodeSelector: { text: "zone == 'west'", selector: selector("zone == 'west'") },
  namespaceSelector: { text: "has(team)", selector: selector("has(team)") },
};

async function selectByLabels(context: Context) {
  return putPool(context, SPACE, "pool", selectivePool, await revision(context));
}

/** Creates a second pool by a process that dies before the pool is active. */
async function cutOffCreation({ table, clock }: World): Promise<void> {
  const walk = (own: Table) => createHalf(contextOver(own, clock, 9));
  const calls = await callsOf((await makeWorld()).table, walk);
  const activation = calls.lastIndexOf("put-pool");
  await withMishap(table, activation, "killed before the call", walk);
}

const createHalf = (context: Context) =>
  putPool(context, SPACE, "half", poolOf("10.9.0.0/29", 31), undefined);

async function removeHalf(context: Context) {
  return deletePool(context, SPACE, "half", await revision(context, "half"));
}

/**
 * Completes the deletion of the pool, and creates a pool of the same name and range with larger
 * blocks.
 */
async function succeed(context: Context, _: unknown, clock: Clock): Promise<void> {
  await work(context, clock, 8);
  const put = await putPool(context, SPACE, "pool", poolOf("10.0.0.0/29", 30), undefined);
  expect(put).toMatchObject({ created: true });
  const { addresses } = await assigned(context, requestOf("heir", 5));
  for (const { block } of addresses) expect(block).toMatch(/\/30$/);
}
