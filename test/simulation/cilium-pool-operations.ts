import { endCilium, putPools, tryEndCilium } from "../cilium.ts";
import { type Pools, poolsRequested, tryPutCilium } from "../cilium-requests.ts";
import { putMars } from "../prefixes.ts";
import { assigned, requestOf, type World } from "../world.ts";
import type { Operation } from "./operations.ts";

const NODE = "node-8";

/** Adds the pools of Cilium's pool mars, beside an address of another handle. */
const withMars = async ({ calm }: World) => {
  await putMars(calm);
  return { old: await assigned(calm, requestOf("old", 1)) };
};

const listing = (...cidrs: readonly string[]): Pools => ({ allocated: [{ pool: "mars", cidrs }] });

/** A CiliumNode that has prefixes of mars, and lists them. */
const listed = async (world: World) => {
  const told = await withMars(world);
  await putPools(world.calm, NODE, 1, listing("10.65.0.0/27", "10.65.0.32/27"));
  return told;
};

/** The needs of the node in these operations: two prefixes of IPv4, and one of IPv6. */
const NEEDED: Pools = {
  requested: [{ pool: "mars", needed: { "ipv4-addrs": 31, "ipv6-addrs": 1 } }],
};

/** Returns the operation and the repeat of a PUT with these pools. */
const showing = (version: number, pools: Pools): Pick<Operation, "walk" | "kept" | "again"> => ({
  walk: (context) => tryPutCilium(context, NODE, poolsRequested(version, pools)),
  kept: ["old"],
  again: (context) => putPools(context, NODE, version, pools),
});

/** The operations on CiliumNodes that have prefixes of pools by name. */
export const POOL_OPERATIONS: readonly Operation[] = [
  {
    name: "a CiliumNode that gets prefixes of a pool by name",
    step: "pending-live",
    prepare: withMars,
    ...showing(1, NEEDED),
  },
  {
    name: "a CiliumNode that gives a prefix of a pool back, and takes another one",
    step: "free-slots",
    prepare: listed,
    ...showing(2, listing("10.65.0.0/27", "10.65.1.0/27")),
  },
  {
    name: "a release of what a CiliumNode has of pools by name",
    step: "delete-cilium",
    prepare: listed,
    walk: (context) => tryEndCilium(context, NODE),
    kept: ["old"],
    again: (context) => endCilium(context, NODE),
  },
];
