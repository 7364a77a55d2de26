import { type Address, BITS } from "../../net/address.ts";
import { includesAddress } from "../../net/address-set.ts";
import { type Cidr, cidrOf, contains, type Interval, intervalOf } from "../../net/cidr.ts";
import type { Labels } from "../../net/labels.ts";

/** A pool of pods assigns all that it has, as Calico does. One of a subnet leaves out what no host of the network can have. */
export const POOL_KINDS = ["pods", "subnet"] as const;
export type PoolKind = (typeof POOL_KINDS)[number];

/** A route that the workloads of a pool need, as CNI has it. */
export interface NetworkRoute {
  readonly dst: Cidr;
  readonly gw: Address;
}

/** The fields of a pool that a workload needs beside its address to configure its interface. */
export interface NetworkSettings {
  /** The prefix length of the network that the addresses are used in; absent: that of the pool's CIDR. */
  readonly prefixLength?: number;
  /** The gateway of the workloads. The pool does not assign it automatically. */
  readonly gateway?: Address;
  readonly routes?: readonly NetworkRoute[];
  readonly dns?: readonly Address[];
  readonly domain?: string;
  readonly vlan?: number;
  readonly mtu?: number;
  readonly labels?: Labels;
}

/** The part of a pool that says where its addresses are used. */
interface NetworkOfPool extends NetworkSettings {
  readonly cidr: Cidr;
  /** Absent: `pods`. */
  readonly kind?: "subnet";
}

/** Returns the addresses that automatic assignment leaves out because of the network of a pool, as runs that may touch. */
export function keptOutOf(pool: NetworkOfPool): readonly Interval[] {
  if (pool.kind !== "subnet") return [];
  const { family } = pool.cidr;
  const { gateway } = pool;
  const values = [
    ...boundsOf(networkAround(pool)),
    ...(gateway?.family === family ? [gateway.value] : []),
  ];
  return values.map((value) => ({ family, first: value, last: value }));
}

/**
 * Returns the addresses of a network that none of its hosts can have. Both addresses of a /31 and of a /127 are those of hosts
 * (RFC 3021, section 2.1; RFC 6164, section 4). Any larger network has its own address and a broadcast address (RFC 919, section
 * 7), or, for IPv6, the anycast address of its routers (RFC 4291, section 2.6.1).
 */
function boundsOf(network: Cidr): readonly bigint[] {
  const { family, first, last } = intervalOf(network);
  if (BITS[family] - network.prefix <= 1) return [];
  return family === 4 ? [first, last] : [first];
}

/** The parts that an address can have in a network, for which no host gets it automatically. */
export const NETWORK_PARTS = ["gateway", "network", "broadcast"] as const;
export type NetworkPart = (typeof NETWORK_PARTS)[number];

/** Returns the part for which one of these pools keeps an address out; nothing if none does. */
export function partInNetworks(
  pools: readonly NetworkOfPool[],
  address: Address,
): NetworkPart | undefined {
  const keeping = pools.find((pool) => includesAddress(keptOutOf(pool), address));
  if (!keeping) return undefined;
  if (!isBound(keeping, address)) return "gateway";
  return address.value === networkAround(keeping).base ? "network" : "broadcast";
}

/** Returns true for an address of a network that no host of it can have. */
export const isBound = (pool: NetworkOfPool, { family, value }: Address): boolean =>
  family === pool.cidr.family && boundsOf(networkAround(pool)).includes(value);

/** Returns the network that the addresses of a pool are used in. Where each address has a network of its own, returns the CIDR. */
export const networkAround = ({ cidr, prefixLength = cidr.prefix }: NetworkOfPool): Cidr =>
  prefixLength >= cidr.prefix ? cidr : cidrOf({ ...cidr, value: cidr.base }, prefixLength);

/**
 * Returns true if a host of the pool's network reaches the address without a router: it lies in the network, it is link-local (RFC
 * 4291, section 2.5.6), or each host has a network of its own and is told the way.
 */
export function isReached(pool: NetworkOfPool, address: Address): boolean {
  if (address.family !== pool.cidr.family) return false;
  return (
    isAlone(pool) || contains(networkAround(pool), address) || contains(IPV6_LINK_LOCAL, address)
  );
}

/** Returns true if each address of the pool has a network of its own: a /32, or a /128. */
const isAlone = ({ cidr: { family }, prefixLength }: NetworkOfPool): boolean =>
  prefixLength === BITS[family];

const IPV6_LINK_LOCAL: Cidr = { family: 6, base: 0xfe80n << 112n, prefix: 10 };

/** The network of an assigned address: the settings of its pool, always with a prefix length. */
export interface NetworkOfAddress extends NetworkSettings {
  readonly prefixLength: number;
}

/**
 * Returns what an address of the pool needs. A field that the pool does not have is that of the pool around it. Empty routes, servers or
 * labels of the pool are none, whatever is around it.
 */
export function networkFor(pool: NetworkOfPool, around: NetworkSettings = {}): NetworkOfAddress {
  const { routes, dns, labels, ...settings } = { ...settingsOf(around), ...settingsOf(pool) };
  return {
    ...settings,
    ...(routes?.length && { routes }),
    ...(dns?.length && { dns }),
    ...(labels && Object.keys(labels).length > 0 && { labels }),
    prefixLength: settings.prefixLength ?? pool.cidr.prefix,
  };
}

/** Returns how many characters an answer has of the routes and the labels of an address: at most, because texts are shorter. */
export const longCharactersOf = ({ routes = [], labels = {} }: NetworkSettings): number =>
  routes.length * ROUTE_CHARACTERS_MAX + JSON.stringify(labels).length;

/** Two IPv6 addresses, a prefix length and their names in JSON. */
const ROUTE_CHARACTERS_MAX = 100;

const SETTINGS = {
  prefixLength: true,
  gateway: true,
  routes: true,
  dns: true,
  domain: true,
  vlan: true,
  mtu: true,
  labels: true,
} satisfies Readonly<Record<keyof NetworkSettings, true>>;

/** Returns these fields of a pool alone. */
const settingsOf = (pool: NetworkSettings): NetworkSettings =>
  Object.fromEntries(
    Object.entries(pool).filter(([name, value]) => name in SETTINGS && value !== undefined),
  );
