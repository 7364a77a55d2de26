import type { Context } from "../../src/kernel/core/context.ts";
import { endCilium, putPools, showAddresses, showPrefixes, tryEndCilium } from "../cilium.ts";
import {
  addressesShown,
  type Pools,
  poolsRequested,
  type Said,
  tryPutCilium,
} from "../cilium-requests.ts";
import { putMars, putPrefixPools } from "../prefixes.ts";
import type { World } from "../world.ts";
import { type Operation, withOld } from "./operation.ts";

const NODE = "node-8";
const OTHER = "node-9";

/** The prefixes that the node shows in these operations. */
const SHOWN = ["10.64.1.0/24", "fd00:64:0:1::/64"];

/** Adds pools of prefixes, beside an address of another handle. */
const withPools = async (world: World) => {
  await putPrefixPools(world.calm);
  return withOld(world);
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
const listed = async (world: World) => {
  const { calm } = world;
  const told = await withOld(world);
  await showAddresses(calm, NODE, 1, { pool: LISTED, spare: 2 });
  await showAddresses(calm, NODE, 2, { pool: LISTED, spare: 2 });
  return told;
};

/** Adds the pools of Cilium's pool mars, beside an address of another handle. */
const withMars = async (world: World) => {
  await putMars(world.calm);
  return withOld(world);
};

const listing = (...cidrs: readonly string[]): Pools => ({ allocated: [{ pool: "mars", cidrs }] });
const MINE = "10.65.0.0/27";
const LEFT = "10.65.0.32/27";

/** A CiliumNode that has prefixes of mars, and lists them. */
const withListed = async (world: World) => {
  const told = await withMars(world);
  await putPools(world.calm, NODE, 1, listing(MINE, LEFT));
  return told;
};

/** Two prefixes of IPv4, and one of IPv6. */
const NEEDED: Pools = {
  requested: [{ pool: "mars", needed: { "ipv4-addrs": 31, "ipv6-addrs": 1 } }],
};

const puts =
  (said: Said, node = NODE) =>
  (context: Context) =>
    tryPutCilium(context, node, said);

/** Returns the operation and the repeat of a PUT that shows these addresses. */
const showing = (
  ...said: Parameters<typeof addressesShown>
): Pick<Operation, "walk" | "again"> => ({
  walk: (context) => tryPutCilium(context, NODE, addressesShown(...said)),
  again: (context) => showAddresses(context, NODE, ...said),
});

/** Returns the operation and the repeat of a PUT with these pools. */
const requesting = (version: number, pools: Pools): Pick<Operation, "walk" | "again"> => ({
  walk: (context) => tryPutCilium(context, NODE, poolsRequested(version, pools)),
  again: (context) => putPools(context, NODE, version, pools),
});

/** The operations on CiliumNodes, by the three modes: prefixes, single addresses, prefixes of pools by name. */
export const CILIUM_NODES: readonly Operation[] = [
  {
    name: "a CiliumNode that gets a prefix of each family",
    step: "create-cilium",
    prepare: withPools,
    walk: (context) => tryPutCilium(context, NODE),
    again: (context) => showPrefixes(context, NODE),
    meets: [{ with: "the same CiliumNode, which needs IPv4 alone", walk: puts({ families: [4] }) }],
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
    again: (context) => showPrefixes(context, NODE, [], { resourceVersion: "2" }),
  },
  {
    name: "a CiliumNode that shows no prefixes any more",
    step: "cilium",
    prepare: shown,
    walk: puts({ resourceVersion: "2" }),
    again: "the same",
    meets: [{ with: "a release of what it has", walk: (context) => tryEndCilium(context, NODE) }],
  },
  {
    name: "a later CiliumNode",
    step: "cilium",
    prepare: shown,
    walk: (context) => showPrefixes(context, NODE, SHOWN, { resourceVersion: "2" }),
    again: "the same",
  },
  {
    name: "a release of what a CiliumNode has",
    step: "delete-cilium",
    prepare: shown,
    walk: (context) => endCilium(context, NODE),
    again: "the same",
  },
  {
    name: "a CiliumNode that gets addresses",
    step: "pending-live",
    ...showing(1, { spare: 2 }),
  },
  {
    name: "a CiliumNode that uses addresses which it does not hold",
    step: "take-slots",
    ...showing(1, { used: LISTED, spare: 0 }),
  },
  {
    name: "a CiliumNode that lacks an address which it listed",
    step: "free-slots",
    prepare: listed,
    ...showing(3, { pool: LISTED.slice(1) }),
    meets: [
      {
        with: "the later CiliumNode that lists it again",
        walk: puts(addressesShown(4, { pool: LISTED })),
      },
      {
        with: "another CiliumNode that uses it",
        walk: puts(addressesShown(1, { used: LISTED.slice(0, 1), spare: 0 }), OTHER),
      },
    ],
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
    again: (context) => endCilium(context, NODE),
    meets: [
      { with: "the CiliumNode that lists them", walk: puts(addressesShown(3, { pool: LISTED })) },
    ],
  },
  {
    name: "a CiliumNode that gets prefixes of a pool by name",
    step: "pending-live",
    prepare: withMars,
    ...requesting(1, NEEDED),
  },
  {
    name: "a CiliumNode that gives a prefix of a pool back",
    step: "free-slots",
    prepare: withListed,
    ...requesting(2, listing(LEFT)),
    meets: [
      {
        with: "another CiliumNode that lists it",
        walk: puts(poolsRequested(1, listing(MINE)), OTHER),
      },
      {
        with: "the later CiliumNode that lists it again",
        walk: puts(poolsRequested(3, listing(MINE, LEFT))),
      },
    ],
  },
  {
    name: "a CiliumNode that gives a prefix of a pool back, and takes another one",
    step: "free-slots",
    prepare: withListed,
    ...requesting(2, listing(MINE, "10.65.1.0/27")),
  },
  {
    name: "a release of what a CiliumNode has of pools by name",
    step: "delete-cilium",
    prepare: withListed,
    walk: (context) => tryEndCilium(context, NODE),
    again: (context) => endCilium(context, NODE),
  },
];
