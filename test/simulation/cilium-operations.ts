import { endCilium, showPrefixes, tryPutCilium } from "../cilium.ts";
import { putPrefixPools } from "../prefixes.ts";
import { assigned, requestOf, type World } from "../world.ts";
import type { Operation } from "./operations.ts";

const NODE = "node-8";

/** The prefixes that the node shows in these operations. */
const SHOWN = ["10.64.1.0/24", "fd00:64:0:1::/64"];

/** Adds pools of prefixes, beside an address of another handle. */
const withPools = async ({ calm }: World) => {
  await putPrefixPools(calm);
  return { old: await assigned(calm, requestOf("old", 1)) };
};

/** A CiliumNode that has one prefix of each family, and shows them. */
const shown = async (world: World) => {
  const told = await withPools(world);
  await showPrefixes(world.calm, NODE, SHOWN);
  return told;
};

/** The operations on CiliumNodes. */
export const CILIUM_OPERATIONS: readonly Operation[] = [
  {
    name: "a CiliumNode that gets a prefix of each family",
    step: "create-cilium",
    prepare: withPools,
    walk: (context) => tryPutCilium(context, NODE),
    kept: ["old"],
    again: (context) => showPrefixes(context, NODE),
  },
  {
    name: "a CiliumNode that shows the prefixes that it got",
    step: "confirm",
    prepare: async (world) => {
      const told = await withPools(world);
      await showPrefixes(world.calm, NODE);
      return told;
    },
    walk: async (context) => {
      const podCIDRs = await showPrefixes(context, NODE, [], { resourceVersion: "2" });
      const object = { ipam: { podCIDRs }, status: {} };
      return tryPutCilium(context, NODE, { resourceVersion: "2", object });
    },
    kept: ["old"],
    again: (context) => showPrefixes(context, NODE, [], { resourceVersion: "2" }),
  },
  {
    name: "a later CiliumNode",
    step: "cilium",
    prepare: shown,
    walk: (context) => showPrefixes(context, NODE, SHOWN, { resourceVersion: "2" }),
    kept: ["old"],
    again: (context) => showPrefixes(context, NODE, SHOWN, { resourceVersion: "2" }),
  },
  {
    name: "a release of what a CiliumNode has",
    step: "delete-cilium",
    prepare: shown,
    walk: (context) => endCilium(context, NODE),
    kept: ["old"],
    again: (context) => endCilium(context, NODE),
  },
];
