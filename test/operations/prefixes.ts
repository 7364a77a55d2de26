import { assign } from "../../src/kernel/assign/assign.ts";
import { network } from "../builders.ts";
import { networkRequest } from "../network-request.ts";
import {
  assignNetwork,
  ensure,
  free,
  freeNetworks,
  putPrefixPools,
  tryEnsure,
} from "../prefixes.ts";
import { repairAll } from "../scheduled-runs.ts";
import type { World } from "../world.ts";
import { GRACE_MS, type Operation, withOld } from "./operation.ts";

/** The prefixes that nodes state in these operations. */
const STATED = ["10.64.1.0/24", "fd00:64:0:1::/64"];
const OTHERS = ["10.64.2.0/24", "fd00:64:0:2::/64"];

/** Networks that are no prefixes of the pools, and touch one and two of them. */
const HALF = "10.64.1.128/25";
const DOUBLE = "10.64.2.0/23";

/** Adds pools of prefixes, beside an address of another handle. */
const withPools = async (world: World) => {
  await putPrefixPools(world.calm);
  return withOld(world);
};

/** A node that has one unconfirmed prefix of each family. */
const reserved = async (world: World) => {
  const told = await withPools(world);
  await ensure(world.calm, "node-1");
  return told;
};

/** A node that has one confirmed prefix of each family. */
const stated = async (world: World) => {
  const told = await withPools(world);
  await ensure(world.calm, "node-1", { podCidrs: STATED });
  return told;
};

const specificNetwork = networkRequest("vpc", {
  specific: network(STATED[0] as string),
  key: "key",
});

/** A node whose unconfirmed prefixes have no lease any more. */
const expired = async (world: World) => {
  const told = await reserved(world);
  world.clock.nowMs += GRACE_MS;
  return told;
};

/** The operations on prefixes of nodes and of handles. */
export const PREFIXES: readonly Operation[] = [
  {
    name: "a node that gets a prefix of each family",
    step: "pending-live",
    prepare: withPools,
    walk: (context) => tryEnsure(context, "node-1"),
    again: (context) => ensure(context, "node-1"),
    meets: [{ with: "a release of what the node has", walk: (context) => free(context, "node-1") }],
  },
  {
    name: "a node that confirms the prefixes that it got",
    step: "confirm",
    prepare: reserved,
    walk: async (context) => {
      const podCidrs = await ensure(context, "node-1");
      return tryEnsure(context, "node-1", { podCidrs });
    },
    again: (context) => ensure(context, "node-1"),
  },
  {
    name: "a node that states prefixes which it did not get",
    step: "mark-due",
    prepare: reserved,
    walk: (context) => tryEnsure(context, "node-1", { podCidrs: STATED }),
    again: (context) => ensure(context, "node-1", { podCidrs: STATED }),
    meets: [
      {
        with: "another node that states them",
        walk: (context) => tryEnsure(context, "node-2", { podCidrs: STATED }),
        prepare: withPools,
      },
      {
        with: "the repair run, when the lease of what it got is over",
        walk: (context) => repairAll(context),
        prepare: expired,
        waitMs: GRACE_MS,
      },
    ],
  },
  {
    name: "a node whose provider has other prefixes",
    step: "mark-due",
    prepare: stated,
    walk: (context) =>
      tryEnsure(context, "node-1", { allocator: "CloudAllocator", aliases: OTHERS }),
    again: (context) => ensure(context, "node-1", { allocator: "CloudAllocator", aliases: OTHERS }),
  },
  {
    name: "a release of the prefixes of a node",
    step: "end-whole",
    prepare: stated,
    walk: (context) => free(context, "node-1"),
    again: "the same",
    meets: [
      { with: "a request for them", walk: (context) => tryEnsure(context, "node-1") },
      {
        with: "another node that states them",
        walk: (context) => tryEnsure(context, "node-2", { podCidrs: STATED }),
      },
    ],
  },
  {
    name: "a release of one of two prefixes of a node",
    step: "mark-due",
    prepare: stated,
    walk: (context) => free(context, "node-1", { cidr: STATED[0] as string }),
    again: "the same",
  },
  {
    name: "a node that states a network of another size",
    step: "state",
    prepare: withPools,
    walk: (context) => tryEnsure(context, "node-1", { podCidrs: [HALF] }),
    again: "the same",
  },
  {
    name: "a node that states another network of another size",
    step: "state-over",
    prepare: async (world) => {
      const told = await withPools(world);
      await tryEnsure(world.calm, "node-1", { podCidrs: [HALF] });
      return told;
    },
    walk: (context) => tryEnsure(context, "node-1", { podCidrs: [DOUBLE] }),
    again: "the same",
  },
  {
    name: "a release of what a node states",
    step: "unstate",
    prepare: async (world) => {
      const told = await withPools(world);
      await tryEnsure(world.calm, "node-1", { podCidrs: [HALF] });
      return told;
    },
    walk: (context) => free(context, "node-1"),
    again: "the same",
  },
  {
    name: "a prefix for a handle, with an Idempotency-Key",
    step: "create-block",
    prepare: withPools,
    walk: (context) => assign(context, networkRequest("vpc", { key: "key" })),
    again: "the same answer",
  },
  {
    name: "a specific prefix for a handle, with an Idempotency-Key",
    step: "take-slots",
    prepare: withPools,
    walk: (context) => assign(context, specificNetwork),
    again: "the same answer",
  },
  {
    name: "a prefix for a handle with a limit",
    step: "quota-slot",
    prepare: withPools,
    walk: (context) => assign(context, networkRequest("vpc", { limit: 1 })),
    again: (context) => assignNetwork(context, "vpc", { limit: 1 }),
  },
  {
    name: "a release of the prefixes of a handle",
    step: "end",
    prepare: async (world) => {
      const told = await withPools(world);
      await assignNetwork(world.calm, "vpc", { key: "key" });
      await assignNetwork(world.calm, "vpc", { key: "other" });
      return told;
    },
    walk: (context) => freeNetworks(context, "vpc"),
    again: "the same",
  },
  {
    name: "repair of prefixes that their node never stated",
    step: "expire",
    prepare: expired,
    walk: (context) => repairAll(context),
    again: (context) => ensure(context, "node-1"),
    meets: [{ with: "a request of its node", walk: (context) => tryEnsure(context, "node-1") }],
  },
];
