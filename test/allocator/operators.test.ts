import { describe, expect, it } from "vitest";
import {
  deleteReservation,
  listReservations,
  putPool,
  putReservation,
  putSettings,
  readPool,
  readReservation,
  readSettings,
} from "../../src/allocator/admin/administration.ts";
import {
  deleteNamespace,
  putNamespace,
  readNamespace,
} from "../../src/allocator/admin/namespaces.ts";
import { deleteNode, putNode } from "../../src/allocator/admin/nodes.ts";
import type { Precondition } from "../../src/allocator/admin/precondition.ts";
import { deleteQuota, listQuotas, putQuota, readQuota } from "../../src/allocator/admin/quotas.ts";
import type { Written } from "../../src/allocator/admin/written.ts";
import type { Context } from "../../src/allocator/core/context.ts";
import { notFound } from "../../src/allocator/core/not-found.ts";
import { type Accepted, deletePool, drainPool } from "../../src/allocator/jobs/pool-jobs.ts";
import { runJobs } from "../../src/allocator/jobs/run-jobs.ts";
import { findViolations } from "../../src/domain/invariants.ts";
import { Rejection } from "../../src/domain/outcome.ts";
import { SETTINGS_DEFAULT } from "../../src/domain/settings.ts";
import { callsOf, withIntruder } from "../simulation/crash-points.ts";
import { routers } from "../simulation/operations.ts";
import { callsToTry, oneIn } from "../simulation/sampled-calls.ts";
import { contentsIn, contextOver, makeWorld, poolOf, SPACE } from "../world.ts";

/** A space without items. */
const NEW = "new";

type Answer = Written<unknown> | Accepted | Rejection;

/** A change by an operator of a resource that both operators have read. */
interface Act {
  readonly name: string;
  act(context: Context, seen: Precondition): Promise<Answer>;
  /** The state after the change. */
  readonly leaves: unknown;
}

interface Resource {
  readonly name: string;
  /** Creates the resource if it must exist before the changes, and returns the precondition that both operators have read. */
  made(context: Context): Promise<Precondition>;
  read(context: Context): Promise<unknown>;
  readonly acts: readonly Act[];
}

const GONE = { code: "not_found" };
const range = poolOf("10.0.0.0/24", 28);

const pool = (space: string, cooldownSeconds: number): Act => ({
  name: `a PUT with a cooldown of ${cooldownSeconds} s`,
  act: (context, seen) => putPool(context, space, "one", { ...range, cooldownSeconds }, seen),
  leaves: { state: "active", disabled: false, cooldownSeconds },
});

const quota = (requestsPerSecond: number): Act => ({
  name: `a PUT with ${requestsPerSecond} requests a second`,
  act: (context, seen) => putQuota(context, SPACE, "all", { requestsPerSecond }, seen),
  leaves: { requestsPerSecond },
});

const reservation = (reason: string): Act => ({
  name: `a PUT ${reason}`,
  act: (context, seen) => putReservation(context, SPACE, "routers", { ...routers, reason }, seen),
  leaves: { reason },
});

const settings = (space: string, cooldownSeconds: number): Act => ({
  name: `a PUT with a cooldown of ${cooldownSeconds} s`,
  act: (context, seen) =>
    putSettings(context, space, { ...SETTINGS_DEFAULT, cooldownSeconds }, seen),
  leaves: { settings: { cooldownSeconds } },
});

const servedBy = (name: string, cidr: string): Act => ({
  name: `a PUT of pool ${name} for ${cidr}`,
  act: (context) => putPool(context, NEW, name, poolOf(cidr, 28), undefined),
  leaves: [name],
});

const node = (zone: string): Act => ({
  name: `a PUT with zone ${zone}`,
  act: (context, seen) => putNode(context, SPACE, "n1", { zone }, seen),
  leaves: { labels: { zone } },
});

const namespace = (team: string): Act => ({
  name: `a PUT with team ${team}`,
  act: (context, seen) => putNamespace(context, SPACE, "shop", { labels: { team } }, seen),
  leaves: { labels: { team } },
});

const RESOURCES: readonly Resource[] = [
  {
    name: "a reservation that is not there",
    made: async () => undefined,
    read: (context) => readReservation(context, SPACE, "routers"),
    acts: [reservation("for the routers"), reservation("for the gateways")],
  },
  {
    name: "a reservation",
    made: async (context) => {
      await putReservation(context, SPACE, "routers", routers, undefined);
      return (await listReservations(context, SPACE)).items[0]?.revision;
    },
    read: (context) => readReservation(context, SPACE, "routers"),
    acts: [
      reservation("for the routers"),
      reservation("for the gateways"),
      {
        name: "a DELETE",
        act: (context, seen) => deleteReservation(context, SPACE, "routers", seen),
        leaves: GONE,
      },
    ],
  },
  {
    name: "a quota that is not there",
    made: async () => undefined,
    read: (context) => readQuota(context, SPACE, "all"),
    acts: [quota(5), quota(7)],
  },
  {
    name: "a quota",
    made: async (context) => {
      await putQuota(context, SPACE, "all", { requestsPerSecond: 1 }, undefined);
      return (await listQuotas(context, SPACE)).items[0]?.revision;
    },
    read: (context) => readQuota(context, SPACE, "all"),
    acts: [
      quota(5),
      quota(7),
      {
        name: "a DELETE",
        act: (context, seen) => deleteQuota(context, SPACE, "all", seen),
        leaves: GONE,
      },
    ],
  },
  {
    name: "settings that nobody has written",
    made: async () => undefined,
    read: (context) => readSettings(context, NEW),
    acts: [settings(NEW, 7), settings(NEW, 9)],
  },
  {
    name: "settings",
    made: async (context) => (await readSettings(context, SPACE)).revision,
    read: (context) => readSettings(context, SPACE),
    acts: [settings(SPACE, 7), settings(SPACE, 9)],
  },
  {
    name: "a node that is not registered",
    made: async () => undefined,
    read: readNode,
    acts: [node("a"), node("b")],
  },
  {
    name: "a node",
    made: async (context) => revisionOf(await putNode(context, SPACE, "n1", {}, undefined)),
    read: readNode,
    acts: [
      node("a"),
      node("b"),
      {
        name: "a DELETE",
        act: (context, seen) => deleteNode(context, SPACE, "n1", seen),
        leaves: GONE,
      },
    ],
  },
  {
    name: "a namespace that is not there",
    made: async () => undefined,
    read: (context) => readNamespace(context, SPACE, "shop"),
    acts: [namespace("a"), namespace("b")],
  },
  {
    name: "a namespace",
    made: async (context) =>
      revisionOf(await putNamespace(context, SPACE, "shop", { labels: {} }, undefined)),
    read: (context) => readNamespace(context, SPACE, "shop"),
    acts: [
      namespace("a"),
      namespace("b"),
      {
        name: "a DELETE",
        act: (context, seen) => deleteNamespace(context, SPACE, "shop", seen),
        leaves: GONE,
      },
    ],
  },
  {
    name: "a pool that is not there",
    made: async () => undefined,
    read: (context) => readPool(context, NEW, "one"),
    acts: [pool(NEW, 7), pool(NEW, 9)],
  },
  {
    name: "a range that nobody has",
    made: async () => undefined,
    read: async ({ store }) => {
      const { pools } = await store.readSpace(NEW);
      return pools.filter(({ state }) => state === "active").map(({ name }) => name);
    },
    acts: [servedBy("one", "10.0.0.0/24"), servedBy("two", "10.0.0.0/25")],
  },
  {
    name: "a pool",
    made: async (context) => {
      await putPool(context, NEW, "one", range, undefined);
      const made = await readPool(context, NEW, "one");
      return made instanceof Rejection ? undefined : made.revision;
    },
    read: (context) => readPool(context, NEW, "one"),
    acts: [
      pool(NEW, 7),
      pool(NEW, 9),
      {
        name: "a drain",
        act: (context, seen) => drainPool(context, NEW, "one", seen),
        leaves: { state: "active", disabled: true },
      },
      {
        name: "a DELETE",
        act: (context, seen) => deletePool(context, NEW, "one", seen),
        leaves: { state: "deleting" },
      },
    ],
  },
];

const PAIRS = RESOURCES.flatMap((resource) =>
  resource.acts.flatMap((slow) =>
    resource.acts.map(
      (quick) =>
        [
          `${resource.name}: ${slow.name}, and in the middle of it ${quick.name}`,
          { resource, slow, quick },
        ] as const,
    ),
  ),
);

describe("of two operators who act on what they saw, one is told that it changed meanwhile", () => {
  it.each(PAIRS)("%s", async (_, { resource, slow, quick }) => {
    const dryRunContext = await sceneOf(resource);
    const calls = await callsOf(dryRunContext.world.table, (own) =>
      slow.act(contextOver(own, dryRunContext.world.clock, 2), dryRunContext.seen),
    );
    for (const at of callsToTry(calls, 0, oneIn(3))) {
      const { world, seen } = await sceneOf(resource);
      const where = `before ${calls[at]} (call ${at})`;
      let theirs: Answer | undefined;
      const own = withIntruder(world.table, at, async () => {
        theirs = await quick.act(contextOver(world.table, world.clock, 3), seen);
      });
      const ours = await slow.act(contextOver(own, world.clock, 2), seen);
      const told = [
        ...(isDone(theirs) ? [{ answer: theirs, act: quick }] : []),
        ...(isDone(ours) ? [{ answer: ours, act: slow }] : []),
      ];
      // A repeated request gets the one job, or the existing state.
      expect(new Set(told.map(({ answer }) => writeOf(answer))).size, where).toBe(1);
      const leaves = told[0]?.act.leaves;
      expect(await resource.read(world.calm), where).toMatchObject(leaves as object);

      world.clock.nowMs += 60_000;
      expect(await runJobs(contextOver(world.table, world.clock, 4))).toMatchObject({
        failures: [],
      });
      expect(await resource.read(world.calm), `${where}, later`).toMatchObject(leaves as object);
      expect(findViolations(contentsIn(world)), where).toEqual([]);
    }
  });
});

/** Identifies a write: by its job, or by the revision that it left. */
const writeOf = (answer: Written<unknown> | Accepted): unknown =>
  "job" in answer ? answer.job.id : ((answer.value as Revised | undefined)?.revision ?? answer);

interface Revised {
  readonly revision: string;
}

const revisionOf = (written: Written<{ readonly revision: string }> | Rejection): Precondition =>
  written instanceof Rejection ? undefined : written.value.revision;

async function sceneOf(resource: Resource) {
  const world = await makeWorld();
  return { world, seen: await resource.made(world.calm) };
}

function isDone(answer: Answer | undefined): answer is Written<unknown> | Accepted {
  if (answer === undefined || answer instanceof Rejection) return false;
  return !("job" in answer) || answer.job.state === "running" || answer.job.state === "done";
}

/** Returns a node as operators see it. */
async function readNode({ store }: Context) {
  return (await store.readNode(SPACE, "n1")) ?? notFound(SPACE, "node", "n1");
}
