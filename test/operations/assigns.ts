import { BLOCKS_READ_AT_ONCE } from "../../src/base/limits.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { Assignment, AssignRequest } from "../../src/kernel/assign/assignment.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { putPool } from "../../src/nouns/pool/operations/administration.ts";
import { putNamespace } from "../../src/nouns/registry/operations/namespaces.ts";
import { putNode } from "../../src/nouns/registry/operations/nodes.ts";
import { repairAll } from "../scheduled-runs.ts";
import {
  addressOf,
  assigned,
  interfacesRequest,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  scheduledRuns,
} from "../world.ts";
import { GRACE_MS, nothing, type Operation, UNKEYED } from "./operation.ts";
import { revision, selectivePool } from "./pools.ts";

/** Assigns without a key, by where their addresses come from. */
export const ASSIGNS: readonly Operation[] = [
  {
    name: "assign that claims a block",
    step: "create-block",
    prepare: nothing,
    walk: (context) => assign(context, requestOf("new", 2)),
    kept: [],
    again: UNKEYED,
    late: [
      {
        step: "create-block",
        why: "the place is another's by now; an empty block serves whoever finds it, and gets its affinity back",
      },
    ],
  },
  {
    name: "assign from an own block",
    step: "take-slots",
    walk: (context) => assign(context, requestOf("new", 1)),
    again: UNKEYED,
    meets: [
      {
        with: "a release by its handle",
        walk: (context) => releaseHandle(context, SPACE, "new"),
        givesBack: true,
      },
    ],
    late: [
      {
        step: "create-allocation",
        why: "nobody knew of it; the epoch that it names still stands, or its slot write is rejected",
      },
      {
        step: "take-slots",
        rejectedBy: "take-epoch",
        why: "the repair run fenced the block before it deleted the allocation",
      },
    ],
  },
  {
    name: "assign of a host that has more full blocks than are read at once",
    step: "full-note",
    prepare: async ({ calm }) => ({ old: await manyFull(calm) }),
    walk: (context) => assign(context, requestOf("new", 1)),
    again: UNKEYED,
  },
  {
    name: "assign of a specific address",
    step: "create-block",
    prepare: nothing,
    walk: (context) =>
      assign(context, { ...requestOf("specific", 1), addresses: [addressOf("10.0.0.3")] }),
    kept: [],
    again: UNKEYED,
  },
  {
    name: "assign of a specific address of each family",
    step: "pending-live",
    prepare: async ({ calm }) => {
      await addIpv6(calm);
      return nothing();
    },
    walk: (context) => assign(context, { ...requestOf("specific", 1), ...ONE_OF_EACH_FAMILY }),
    kept: [],
    again: UNKEYED,
    meets: [
      {
        with: "an assign of one of them",
        walk: (context) =>
          assign(context, { ...requestOf("rival", 1), addresses: [addressOf("10.0.0.3")] }),
      },
    ],
  },
  {
    name: "assign over several blocks",
    step: "pending-live",
    walk: (context) => assign(context, requestOf("new", 5)),
    again: UNKEYED,
    meets: [{ with: "the repair run", walk: (context) => repairAll(context), waitMs: GRACE_MS }],
    late: [
      {
        step: "pending-live",
        rejectedBy: "pending-live-rev",
        why: "the repair run aborted the allocation and freed its slots",
      },
    ],
  },
  {
    name: "assign of two interfaces in one block",
    step: "pending-live",
    prepare: async ({ calm }) => {
      const gone = await assigned(calm, requestOf("gone", 2));
      const old = await assigned(calm, requestOf("old", 2));
      await releaseAll(calm, gone);
      return { old };
    },
    walk: (context) => assign(context, interfacesRequest("new")),
    again: UNKEYED,
  },
  {
    name: "assign that borrows",
    step: "borrowed",
    prepare: async ({ calm }) => ({ old: await assigned(calm, requestOf("old", 7)) }),
    walk: (context) => assign(context, { ...requestOf("guest", 1), host: "host:node-2" }),
    again: UNKEYED,
    late: [
      {
        step: "take-slots",
        rejectedBy: "take-epoch",
        why: "the repair run fenced the block before it dropped the borrowed block",
      },
    ],
  },
  {
    name: "assign from a second pool, where the first is found full",
    step: "pool-full",
    prepare: async ({ calm }) => {
      const told = { old: await assigned(calm, requestOf("old", 8)) };
      await putPool(calm, SPACE, "second", poolOf("10.9.0.0/29", 31), undefined);
      return told;
    },
    walk: (context) => assign(context, { ...requestOf("late", 1), host: "host:node-2" }),
    again: UNKEYED,
  },
  {
    name: "assign that seizes an empty block",
    step: "seize",
    prepare: async (world) => {
      const told = { old: await assigned(world.calm, requestOf("old", 6)) };
      const gone = { ...requestOf("gone", 2), host: "host:node-3" } as const;
      await releaseAll(world.calm, await assigned(world.calm, gone));
      await scheduledRuns(world, 1);
      world.clock.nowMs += 70_000;
      return told;
    },
    walk: (context) => assign(context, { ...requestOf("heir", 1), host: "host:node-2" }),
    again: UNKEYED,
    late: [{ step: "seize", rejectedBy: "seize-rev", why: "the reclaimer deleted the block" }],
  },
  {
    name: "assign that claims a block of which its host keeps addresses",
    step: "create-block",
    prepare: nothing,
    walk: (context) => assign(context, keeping(requestOf("new", 2))),
    kept: [],
    again: (context) => assign(context, keeping(requestOf("new", 1))),
  },
  {
    name: "assign that seizes a block of which its host kept addresses, and keeps others",
    step: "seize",
    prepare: async (world) => {
      const told = { old: await assigned(world.calm, requestOf("old", 6)) };
      const gone = { ...keeping(requestOf("gone", 1)), host: "host:node-3" } as const;
      await releaseAll(world.calm, await assigned(world.calm, gone));
      await scheduledRuns(world, 1);
      world.clock.nowMs += 70_000;
      return told;
    },
    walk: (context) =>
      assign(context, {
        ...requestOf("heir", 1),
        host: "host:node-2",
        hostReserved: { start: 0, end: 1 },
      }),
    again: UNKEYED,
  },
  {
    name: "assign from a pool that selects the host and the namespace",
    step: "take-slots",
    prepare: async ({ calm }) => {
      for (const name of ["node-1", "node-2"])
        await putNode(calm, SPACE, name, { labels: { zone: "west" } }, undefined);
      await putNamespace(calm, SPACE, "shop", { labels: { team: "web" } }, undefined);
      await putPool(calm, SPACE, "pool", selectivePool, await revision(calm));
      return { old: await assigned(calm, { ...requestOf("old", 1), namespace: "shop" }) };
    },
    walk: (context) => assign(context, { ...requestOf("new", 1), namespace: "shop" }),
    again: UNKEYED,
  },
];

/** The part of a request that names an address of each family. */
export const ONE_OF_EACH_FAMILY = {
  wanted: [
    { family: 4, count: 1 },
    { family: 6, count: 1 },
  ],
  addresses: [addressOf("10.0.0.3"), addressOf("2001:db8::2")],
} as const;

export const addIpv6 = (context: Context) =>
  putPool(context, SPACE, "six", poolOf("2001:db8::/126", 127), undefined);

/** Fills the blocks of a host that has one block more than it reads at once. */
export async function manyFull(context: Context): Promise<Assignment> {
  await putPool(context, SPACE, "wide", poolOf("10.8.0.0/29", 31), undefined);
  return assigned(context, requestOf("many", 2 * (BLOCKS_READ_AT_ONCE + 1)));
}

const keeping = (request: AssignRequest): AssignRequest => ({
  ...request,
  hostReserved: { start: 1, end: 0, handle: "reserved" },
});
