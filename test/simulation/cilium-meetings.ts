import type { Assignment } from "../../src/allocator/assign/assignment.ts";
import type { Context } from "../../src/allocator/core/context.ts";
import { putPools, showAddresses, showPrefixes, tryEndCilium } from "../cilium.ts";
import {
  addressesShown,
  type Pools,
  poolsRequested,
  type Said,
  tryPutCilium,
} from "../cilium-requests.ts";
import { putMars, putPrefixPools } from "../prefixes.ts";
import { assigned, requestOf, type World } from "../world.ts";

type Told = Readonly<Record<string, Assignment>>;

/** Two operations on one CiliumNode, or on what two of them list. */
interface CiliumMeeting {
  readonly first: string;
  readonly second: string;
  prepare(world: World): Promise<Told>;
  readonly walks: readonly [
    first: (context: Context) => Promise<unknown>,
    second: (context: Context) => Promise<unknown>,
  ];
  readonly waitMs: number;
}

const NODE = "node-8";
const OTHER = "node-9";
const ADDRESSES = ["10.0.0.6", "10.0.0.7"];
const PREFIXES = ["10.64.1.0/24", "fd00:64:0:1::/64"];

const puts =
  (said: Said, node = NODE) =>
  (context: Context) =>
    tryPutCilium(context, node, said);
const ends = (context: Context) => tryEndCilium(context, NODE);

const listing = (...cidrs: readonly string[]): Pools => ({ allocated: [{ pool: "mars", cidrs }] });
const NEEDS_ONE: Pools = { requested: [{ pool: "mars", needed: { "ipv4-addrs": 1 } }] };
const MINE = "10.65.0.0/27";
const LEFT = "10.65.0.32/27";

/** Adds an address of another handle, and prepares the node. */
const beside =
  (prepare: (context: Context) => Promise<unknown>) =>
  async ({ calm }: World): Promise<Told> => {
    const told = { old: await assigned(calm, requestOf("old", 1)) };
    await prepare(calm);
    return told;
  };

const withPrefixes = beside(async (calm) => {
  await putPrefixPools(calm);
  await showPrefixes(calm, NODE, PREFIXES);
});
const withMars = beside(putMars);
const withListed = beside(async (calm) => {
  await putMars(calm);
  await putPools(calm, NODE, 1, listing(MINE, LEFT));
});
const withAddresses = beside(async (calm) => {
  await showAddresses(calm, NODE, 1, { pool: ADDRESSES, spare: 2 });
  await showAddresses(calm, NODE, 2, { pool: ADDRESSES, spare: 2 });
});

/** Two requests about CiliumNodes. */
export const CILIUM_MEETINGS: readonly CiliumMeeting[] = [
  {
    first: "a CiliumNode that gets a prefix",
    second: "the same CiliumNode",
    prepare: beside(putPrefixPools),
    walks: [puts({ families: [4] }), puts({ families: [4] })],
    waitMs: 0,
  },
  {
    first: "a CiliumNode that shows its prefixes",
    second: "a release of what it has",
    prepare: withPrefixes,
    walks: [puts({ resourceVersion: "2" }), ends],
    waitMs: 0,
  },
  {
    first: "a CiliumNode that gets a prefix of a pool by name",
    second: "the same CiliumNode",
    prepare: withMars,
    walks: [puts(poolsRequested(1, NEEDS_ONE)), puts(poolsRequested(1, NEEDS_ONE))],
    waitMs: 0,
  },
  {
    first: "a CiliumNode that gives a prefix back",
    second: "another CiliumNode that lists it",
    prepare: withListed,
    walks: [puts(poolsRequested(2, listing(LEFT))), puts(poolsRequested(1, listing(MINE)), OTHER)],
    waitMs: 0,
  },
  {
    first: "a CiliumNode that gives a prefix back",
    second: "the later CiliumNode that lists it again",
    prepare: withListed,
    walks: [puts(poolsRequested(2, listing(LEFT))), puts(poolsRequested(3, listing(MINE, LEFT)))],
    waitMs: 0,
  },
  {
    first: "a CiliumNode that lacks an address which it listed",
    second: "the later CiliumNode that lists it again",
    prepare: withAddresses,
    walks: [
      puts(addressesShown(3, { pool: ADDRESSES.slice(1) })),
      puts(addressesShown(4, { pool: ADDRESSES })),
    ],
    waitMs: 0,
  },
  {
    first: "a CiliumNode that lacks an address which it listed",
    second: "another CiliumNode that uses it",
    prepare: withAddresses,
    walks: [
      puts(addressesShown(3, { pool: ADDRESSES.slice(1) })),
      puts(addressesShown(1, { used: ADDRESSES.slice(0, 1), spare: 0 }), OTHER),
    ],
    waitMs: 0,
  },
  {
    first: "a release of the addresses of a CiliumNode",
    second: "the CiliumNode that lists them",
    prepare: withAddresses,
    walks: [ends, puts(addressesShown(3, { pool: ADDRESSES }))],
    waitMs: 0,
  },
];
