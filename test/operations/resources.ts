import { expect } from "vitest";
import type { Rejection } from "../../src/base/outcome.ts";
import { notFound } from "../../src/kernel/core/bounded-work.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import type { Precondition, Written } from "../../src/kernel/core/written.ts";
import { parseInterval } from "../../src/net/cidr.ts";
import {
  deleteReservation,
  putPool,
  putReservation,
  putSettings,
  readPool,
  readReservation,
  readSettings,
} from "../../src/nouns/pool/operations/administration.ts";
import { type Accepted, deletePool, drainPool } from "../../src/nouns/pool/operations/pool-jobs.ts";
import { deleteQuota, putQuota, readQuota } from "../../src/nouns/quota/operations/quotas.ts";
import {
  deleteNamespace,
  putNamespace,
  readNamespace,
} from "../../src/nouns/registry/operations/namespaces.ts";
import { deleteNode, putNode } from "../../src/nouns/registry/operations/nodes.ts";
import { reserve } from "../../src/nouns/reservation/operations/reserve.ts";
import { SETTINGS_DEFAULT } from "../../src/nouns/settings/settings.ts";
import { poolOf, SPACE } from "../world.ts";
import { type Operation, withOld } from "./operation.ts";

/** A resource that operators change as they saw it, and their changes. */
export interface Resource {
  readonly name: string;
  /** Creates the resource, if it must exist before the changes. */
  make?(context: Context): Promise<unknown>;
  read(context: Context): Promise<unknown>;
  readonly changes: readonly Change[];
}

export type Answer = Written<unknown> | Accepted | Rejection;

/** A change by an operator who has read the resource. */
interface Change {
  readonly name: string;
  /** The write that it makes. */
  readonly step: string;
  make(context: Context, seen: Precondition): Promise<Answer>;
  /** The state after the change. */
  readonly leaves: unknown;
}

/** Returns what an operator must have seen to change the resource: its revision, or nothing. A pending pool is created anew. */
export async function seenBy({ read }: Resource, context: Context): Promise<Precondition> {
  const seen = (await read(context)) as { readonly revision?: string; readonly state?: string };
  return seen.state === "pending" ? undefined : seen.revision;
}

/** A space without items. */
const NEW = "new";

const GONE = { code: "not_found" };
const range = poolOf("10.0.0.0/24", 28);
const router = parseInterval("10.0.0.0-10.0.0.1");
export const routers = { cidrs: ["10.0.0.0-10.0.0.1"], intervals: router.ok ? [router.value] : [] };

const pool = (cooldownSeconds: number, step: string): Change => ({
  name: `a PUT with a cooldown of ${cooldownSeconds} s`,
  step,
  make: (context, seen) => putPool(context, NEW, "one", { ...range, cooldownSeconds }, seen),
  leaves: { state: "active", disabled: false, cooldownSeconds },
});

const quota = (requestsPerSecond: number): Change => ({
  name: `a PUT with ${requestsPerSecond} requests a second`,
  step: "put-quota",
  make: (context, seen) => putQuota(context, SPACE, "all", { requestsPerSecond }, seen),
  leaves: { requestsPerSecond },
});

const reservation = (reason: string): Change => ({
  name: `a PUT ${reason}`,
  step: "put-reservation",
  make: (context, seen) => reserve(context, SPACE, "routers", { ...routers, reason }, seen),
  leaves: { reason },
});

const settings = (space: string, cooldownSeconds: number): Change => ({
  name: `a PUT with a cooldown of ${cooldownSeconds} s`,
  step: "put-settings",
  make: (context, seen) =>
    putSettings(context, space, { ...SETTINGS_DEFAULT, cooldownSeconds }, seen),
  leaves: { settings: { cooldownSeconds } },
});

const servedBy = (name: string, cidr: string): Change => ({
  name: `a PUT of pool ${name} for ${cidr}`,
  step: "change-plan",
  make: (context) => putPool(context, NEW, name, poolOf(cidr, 28), undefined),
  leaves: [name],
});

const node = (zone: string, step: string): Change => ({
  name: `a PUT with zone ${zone}`,
  step,
  make: (context, seen) => putNode(context, SPACE, "n1", { labels: { zone } }, seen),
  leaves: { labels: { zone } },
});

const namespace = (team: string, step: string): Change => ({
  name: `a PUT with team ${team}`,
  step,
  make: (context, seen) => putNamespace(context, SPACE, "shop", { labels: { team } }, seen),
  leaves: { labels: { team } },
});

export const RESOURCES: readonly Resource[] = [
  {
    name: "a reservation that is not there",
    read: (context) => readReservation(context, SPACE, "routers"),
    changes: [reservation("for the routers"), reservation("for the gateways")],
  },
  {
    name: "a reservation",
    make: (context) => putReservation(context, SPACE, "routers", routers, undefined),
    read: (context) => readReservation(context, SPACE, "routers"),
    changes: [
      reservation("for the routers"),
      reservation("for the gateways"),
      {
        name: "a DELETE",
        step: "delete-reservation",
        make: (context, seen) => deleteReservation(context, SPACE, "routers", seen),
        leaves: GONE,
      },
    ],
  },
  {
    name: "a quota that is not there",
    read: (context) => readQuota(context, SPACE, "all"),
    changes: [quota(5), quota(7)],
  },
  {
    name: "a quota",
    make: (context) => putQuota(context, SPACE, "all", { requestsPerSecond: 1 }, undefined),
    read: (context) => readQuota(context, SPACE, "all"),
    changes: [
      quota(5),
      quota(7),
      {
        name: "a DELETE",
        step: "delete-quota",
        make: (context, seen) => deleteQuota(context, SPACE, "all", seen),
        leaves: GONE,
      },
    ],
  },
  {
    name: "settings that nobody has written",
    read: (context) => readSettings(context, NEW),
    changes: [settings(NEW, 7), settings(NEW, 9)],
  },
  {
    name: "settings",
    read: (context) => readSettings(context, SPACE),
    changes: [settings(SPACE, 7), settings(SPACE, 9)],
  },
  {
    name: "a node that is not registered",
    read: readNode,
    changes: [node("a", "create-node"), node("b", "create-node")],
  },
  {
    name: "a node",
    make: (context) => putNode(context, SPACE, "n1", { labels: {} }, undefined),
    read: readNode,
    changes: [
      node("a", "change-node"),
      node("b", "change-node"),
      {
        name: "a DELETE",
        step: "leave-node",
        make: (context, seen) => deleteNode(context, SPACE, "n1", seen),
        leaves: GONE,
      },
    ],
  },
  {
    name: "a namespace that is not there",
    read: (context) => readNamespace(context, SPACE, "shop"),
    changes: [namespace("a", "create-namespace"), namespace("b", "create-namespace")],
  },
  {
    name: "a namespace",
    make: (context) => putNamespace(context, SPACE, "shop", { labels: {} }, undefined),
    read: (context) => readNamespace(context, SPACE, "shop"),
    changes: [
      namespace("a", "change-namespace"),
      namespace("b", "change-namespace"),
      {
        name: "a DELETE",
        step: "delete-namespace",
        make: (context, seen) => deleteNamespace(context, SPACE, "shop", seen),
        leaves: GONE,
      },
    ],
  },
  {
    name: "a pool that is not there",
    read: (context) => readPool(context, NEW, "one"),
    changes: [pool(7, "change-plan"), pool(9, "change-plan")],
  },
  {
    name: "a range that nobody has",
    read: async ({ store }) => {
      const { pools } = await store.readSpace(NEW);
      return pools.filter(({ state }) => state === "active").map(({ name }) => name);
    },
    changes: [servedBy("one", "10.0.0.0/24"), servedBy("two", "10.0.0.0/25")],
  },
  {
    name: "a pool",
    make: (context) => putPool(context, NEW, "one", range, undefined),
    read: (context) => readPool(context, NEW, "one"),
    changes: [
      pool(7, "put-pool"),
      pool(9, "put-pool"),
      {
        name: "a drain",
        step: "drain-mark",
        make: (context, seen) => drainPool(context, NEW, "one", seen),
        leaves: { state: "active", disabled: true },
      },
      {
        name: "a DELETE",
        step: "delete-mark",
        make: (context, seen) => deletePool(context, NEW, "one", seen),
        leaves: { state: "deleting" },
      },
    ],
  },
];

/** The writes of operators: of the changes that differ in their values alone, the first. */
export const WRITES_OF_OPERATORS: readonly Operation[] = RESOURCES.flatMap((resource) =>
  resource.changes
    .filter(({ step }, at, all) => all.findIndex((other) => other.step === step) === at)
    .map((change) => operationOf(resource, change)),
);

/** Returns the operation of an operator who reads the resource, and then changes it. */
function operationOf(resource: Resource, { name, step, make, leaves }: Change): Operation {
  const change = async (context: Context) => make(context, await seenBy(resource, context));
  return {
    name: `${resource.name}: ${name}`,
    step,
    prepare: async (world) => {
      await resource.make?.(world.calm);
      return withOld(world);
    },
    walk: change,
    again: async (context) => {
      await change(context);
      expect(await resource.read(context)).toMatchObject(leaves as object);
    },
  };
}

/** Returns a node as operators see it. */
async function readNode({ store }: Context) {
  return (await store.readNode(SPACE, "n1")) ?? notFound(SPACE, "node", "n1");
}
