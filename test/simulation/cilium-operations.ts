import { endCilium, showAddresses, showPrefixes, tryEndCilium } from "../cilium.ts";
import { addressesShown, tryPutCilium } from "../cilium-requests.ts";
import { putPrefixPools } from "../prefixes.ts";
import { assigned, requestOf, type World } from "../world.ts";
import { POOL_OPERATIONS } from "./cilium-pool-operations.ts";
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

/** The addresses that the node shows in these operations. Nobody else takes those of this block. */
const LISTED = ["10.0.0.6", "10.0.0.7"];

/** A CiliumNode that has two addresses and shows them, beside an address of another handle. */
const listed = async ({ calm }: World) => {
  const told = { old: await assigned(calm, requestOf("old", 1)) };
  await showAddresses(calm, NODE, 1, { pool: LISTED, spare: 2 });
  await showAddresses(calm, NODE, 2, { pool: LISTED, spare: 2 });
  return told;
};

/** Returns the operation and the repeat of a PUT that shows these addresses. */
const showing = (
  ...said: Parameters<typeof addressesShown>
): Pick<Operation, "walk" | "kept" | "again"> => ({
  walk: (context) => tryPutCilium(context, NODE, addressesShown(...said)),
  kept: ["old"],
  again: (context) => showAddresses(context, NODE, ...said),
});

/** The operations on CiliumNodes that have single addresses. */
const CRD_OPERATIONS: readonly Operation[] = [
  {
    name: "a CiliumNode that gets addresses",
    step: "pending-live",
    prepare: async ({ calm }) => ({ old: await assigned(calm, requestOf("old", 1)) }),
    ...showing(1, { spare: 2 }),
  },
  {
    name: "a CiliumNode that uses addresses which it does not hold",
    step: "take-slots",
    prepare: async ({ calm }) => ({ old: await assigned(calm, requestOf("old", 1)) }),
    ...showing(1, { used: LISTED, spare: 0 }),
  },
  {
    name: "a CiliumNode that lacks an address which it listed",
    step: "free-slots",
    prepare: listed,
    ...showing(3, { pool: LISTED.slice(1) }),
  },
  {
    name: "a CiliumNode with an excess",
    step: "cilium",
    prepare: listed,
    ...showing(3, { pool: LISTED }),
  },
  {
    name: "a CiliumNode whose agent is ready to release an address",
    step: "free-slots",
    prepare: async (world) => {
      const told = await listed(world);
      await showAddresses(world.calm, NODE, 3, { pool: LISTED });
      return told;
    },
    ...showing(4, { pool: LISTED, releaseIps: { "10.0.0.6": "ready-for-release" } }),
  },
  {
    name: "a release of the addresses of a CiliumNode",
    step: "delete-cilium",
    prepare: listed,
    walk: (context) => tryEndCilium(context, NODE),
    kept: ["old"],
    again: (context) => endCilium(context, NODE),
  },
];

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
  ...CRD_OPERATIONS,
  ...POOL_OPERATIONS,
];
