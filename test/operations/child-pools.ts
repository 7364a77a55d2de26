import { expect } from "vitest";
import { runJobs } from "../../src/maintenance/run-jobs.ts";
import { makeChild, releaseVpc, removeChild, VPC, withVpc } from "../child-pools.ts";
import { freeNetworks } from "../prefixes.ts";
import { repairAll, work } from "../scheduled-runs.ts";
import { callsOf, withMishap } from "../simulation/crash-points.ts";
import { contextOver, makeWorld, SPACE, type World } from "../world.ts";
import type { Operation } from "./operation.ts";

/** A prefix that is held for a pool whose creation was cut off, and which was deleted then by a process that died too. */
async function withoutChild(world: World) {
  const told = await withVpc(world);
  const other = await makeWorld();
  await withVpc(other);
  const calls = await callsOf(other.table, (own) => makeChild(contextOver(own, other.clock, 9)));
  await withMishap(world.table, calls.lastIndexOf("put-pool"), "killed before the call", (own) =>
    makeChild(contextOver(own, world.clock, 9)),
  );
  const { pools } = await world.calm.store.readSpace(SPACE);
  const child = pools.find(({ name }) => name === "child");
  expect(child?.state).toBe("pending");
  if (child) await world.calm.store.deletePool(child);
  world.clock.nowMs += 100_000;
  return told;
}

/** The operations on pools that are made of prefixes. */
export const CHILD_POOLS: readonly Operation[] = [
  {
    name: "a pool that is made of a prefix",
    step: "hold-prefix",
    prepare: withVpc,
    walk: makeChild,
    again: async (context) => {
      expect(await makeChild(context)).toMatchObject({ value: { state: "active" } });
    },
    meets: [
      { with: "a release of the prefix", walk: releaseVpc },
      {
        with: "its deletion, and a release of the prefix",
        walk: async (context) => {
          await removeChild(context);
          return releaseVpc(context);
        },
      },
    ],
  },
  {
    name: "a pool that is made of a prefix which is held for one that is gone",
    step: "hold-prefix",
    prepare: withoutChild,
    walk: makeChild,
    again: async (context) => {
      expect(await makeChild(context)).toMatchObject({ value: { state: "active" } });
    },
  },
  {
    name: "a worker that lets the prefix of a deleted pool go",
    step: "leave-prefix",
    prepare: async (world) => {
      const told = await withVpc(world);
      await makeChild(world.calm);
      await removeChild(world.calm);
      await work(world.calm, world.clock, 1);
      world.clock.nowMs += 60_000;
      return told;
    },
    walk: (context) => runJobs(context),
    again: async (context, _, clock) => {
      await work(context, clock, 8);
      expect(await freeNetworks(context, "vpc")).toEqual([VPC]);
    },
  },
  {
    name: "a release of a prefix",
    step: "end",
    prepare: withVpc,
    walk: releaseVpc,
    again: "the same",
    meets: [{ with: "a pool that is made of it", walk: makeChild }],
  },
  {
    name: "a release of a prefix that is held for a pool that is gone",
    step: "leave-prefix",
    prepare: withoutChild,
    walk: releaseVpc,
    again: async (context) => {
      await freeNetworks(context, "vpc");
      await freeNetworks(context, "vpc");
    },
    meets: [{ with: "a pool that is made of it", walk: makeChild }],
  },
  {
    name: "repair of a prefix that is held for a pool that is gone",
    step: "leave-prefix",
    prepare: withoutChild,
    walk: (context) => repairAll(context),
    again: (context) => makeChild(context),
  },
];
