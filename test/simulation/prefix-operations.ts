import { assign } from "../../src/allocator/assign/assign.ts";
import { network } from "../domain/builders.ts";
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
import { assigned, requestOf, type World } from "../world.ts";
import type { Operation } from "./operations.ts";

/** The prefixes that nodes state in these operations. */
const STATED = ["10.64.1.0/24", "fd00:64:0:1::/64"];
const OTHERS = ["10.64.2.0/24", "fd00:64:0:2::/64"];

/** Networks that are no prefixes of the pools, and touch one and two of them. */
const HALF = "10.64.1.128/25";
const DOUBLE = "10.64.2.0/23";

/** Adds pools of prefixes, beside an address of another handle. */
const withPools = async ({ calm }: World) => {
  await putPrefixPools(calm);
  return { old: await assigned(calm, requestOf("old", 1)) };
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

/** The operations on prefixes of nodes and of handles. */
export const PREFIX_OPERATIONS: readonly Operation[] = [
  {
    name: "a node that gets a prefix of each family",
    step: "pending-live",
    prepare: withPools,
    walk: (context) => tryEnsure(context, "node-1"),
    kept: ["old"],
    again: (context) => ensure(context, "node-1"),
  },
  {
    name: "a node that confirms the prefixes that it got",
    step: "confirm",
    prepare: reserved,
    walk: async (context) => {
      const podCidrs = await ensure(context, "node-1");
      return tryEnsure(context, "node-1", { podCidrs });
    },
    kept: ["old"],
    again: (context) => ensure(context, "node-1"),
  },
  {
    name: "a node that states prefixes which it did not get",
    step: "mark-due",
    prepare: reserved,
    walk: (context) => tryEnsure(context, "node-1", { podCidrs: STATED }),
    kept: ["old"],
    again: (context) => ensure(context, "node-1", { podCidrs: STATED }),
  },
  {
    name: "a node whose provider has other prefixes",
    step: "mark-due",
    prepare: stated,
    walk: (context) =>
      tryEnsure(context, "node-1", { allocator: "CloudAllocator", aliases: OTHERS }),
    kept: ["old"],
    again: (context) => ensure(context, "node-1", { allocator: "CloudAllocator", aliases: OTHERS }),
  },
  {
    name: "a release of the prefixes of a node",
    step: "end-whole",
    prepare: stated,
    walk: (context) => free(context, "node-1"),
    kept: ["old"],
    again: (context) => free(context, "node-1"),
  },
  {
    name: "a release of one of two prefixes of a node",
    step: "mark-due",
    prepare: stated,
    walk: (context) => free(context, "node-1", { cidr: STATED[0] as string }),
    kept: ["old"],
    again: (context) => free(context, "node-1", { cidr: STATED[0] as string }),
  },
  {
    name: "a node that states a network of another size",
    step: "state",
    prepare: withPools,
    walk: (context) => tryEnsure(context, "node-1", { podCidrs: [HALF] }),
    kept: ["old"],
    again: (context) => tryEnsure(context, "node-1", { podCidrs: [HALF] }),
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
    kept: ["old"],
    again: (context) => tryEnsure(context, "node-1", { podCidrs: [DOUBLE] }),
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
    kept: ["old"],
    again: (context) => free(context, "node-1"),
  },
  {
    name: "a prefix for a handle, with an Idempotency-Key",
    step: "create-block",
    prepare: withPools,
    walk: (context) => assign(context, networkRequest("vpc", { key: "key" })),
    kept: ["old"],
    again: (context) => assignNetwork(context, "vpc", { key: "key" }),
  },
  {
    name: "a specific prefix for a handle, with an Idempotency-Key",
    step: "take-slots",
    prepare: withPools,
    walk: (context) => assign(context, specificNetwork),
    kept: ["old"],
    again: (context) => assign(context, specificNetwork),
  },
  {
    name: "a prefix for a handle with a limit",
    step: "quota-slot",
    prepare: withPools,
    walk: (context) => assign(context, networkRequest("vpc", { limit: 1 })),
    kept: ["old"],
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
    kept: ["old"],
    again: (context) => freeNetworks(context, "vpc"),
  },
  {
    name: "repair of prefixes that their node never stated",
    step: "expire",
    prepare: async (world) => {
      const told = await reserved(world);
      world.clock.nowMs += 100_000;
      return told;
    },
    walk: (context) => repairAll(context),
    kept: ["old"],
    again: (context) => ensure(context, "node-1"),
  },
];
