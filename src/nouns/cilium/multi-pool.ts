import { FAMILIES, type Family } from "../../net/address.ts";
import { type Cidr, compareCidrs, formatCidr, parseNetwork, sizeOf } from "../../net/cidr.ts";
import type { CiliumObject } from "./object.ts";
import type { CiliumEntry, CiliumMemory } from "./report.ts";

/** A prefix that a node has, or says it has, of one of Cilium's pools. */
export interface PoolPrefix {
  /** The name of Cilium's pool. */
  readonly pool: string;
  readonly cidr: Cidr;
}

/** The number of addresses of a family that a node needs of one of Cilium's pools. */
export interface PoolDemand {
  readonly pool: string;
  readonly family: Family;
  readonly needed: number;
}

/** A CiliumNode of mode `multi-pool` as a PUT shows it, and what is known of it. */
export interface MultiPoolStatement<Held extends PoolPrefix> {
  readonly object: CiliumObject;
  /** The families that the node needs; absent: those that it requests. */
  readonly families?: readonly Family[];
  /** The memory of an earlier PUT. */
  readonly earlier: CiliumMemory;
  readonly held: readonly Held[];
}

/** The changes of the prefixes of a node in mode `multi-pool`. */
export interface MultiPoolDecision<Held extends PoolPrefix> extends CiliumMemory {
  /** The prefixes that are freed. */
  readonly giveBack: readonly Held[];
  /** The prefixes that the node says it has, and that it does not hold. */
  readonly take: readonly PoolPrefix[];
  /** The needs of the node, in the order of its object. */
  readonly demands: readonly PoolDemand[];
}

/**
 * Decides about the prefixes of a node in mode `multi-pool`. The node gives back a prefix that an earlier object listed and that its
 * list lacks now. Cilium's agent leaves out an empty list, so an object that requests has one. An object that does not request either
 * is new, and its agent may still use what an earlier one listed. The rules are those of Cilium's operator: pkg/ipam/multipool.
 */
export function decideMultiPool<Held extends PoolPrefix>({
  object,
  families = FAMILIES,
  earlier,
  held,
}: MultiPoolStatement<Held>): MultiPoolDecision<Held> {
  const { requested, allocated } = object.ipam.pools ?? {};
  const isNew = requested === undefined && allocated === undefined;
  const listed = byText(listedIn(allocated));
  const has = byText(held);
  const before = earlier.entries.filter(({ state }) => state === "listed").map(textOfEntry);
  const shown = new Set([...listed.values()].map(({ cidr }) => formatCidr(cidr)));
  const earlierListed = before.flatMap((text) => has.get(text) ?? []);
  // One that the object lists under another pool is in use.
  const isGone = ({ cidr }: PoolPrefix) => !isNew && !shown.has(formatCidr(cidr));
  const giveBack = earlierListed.filter(isGone);
  const stays = earlierListed.filter((each) => !isGone(each) && !listed.has(textOf(each)));
  const entry = (prefix: PoolPrefix, state: CiliumEntry["state"]): CiliumEntry => ({
    text: formatCidr(prefix.cidr),
    pool: prefix.pool,
    state,
    isHeld: has.has(textOf(prefix)),
  });
  return {
    entries: [
      ...[...listed.values(), ...stays].map((prefix) => entry(prefix, "listed")),
      ...giveBack.map((prefix) => entry(prefix, "givenBack")),
    ],
    excessSinceMs: {},
    giveBack,
    take: [...listed].flatMap(([text, prefix]) => (has.has(text) ? [] : [prefix])),
    demands: (requested ?? []).flatMap(({ pool, needed = {} }) =>
      families.map((family) => ({ pool, family, needed: needed[`ipv${family}-addrs`] ?? 0 })),
    ),
  };
}

/** Returns how many more addresses a node needs beside those in the prefixes that it has of a pool; 0 or less for none. */
export function missingOf(
  { pool, family, needed }: PoolDemand,
  has: readonly PoolPrefix[],
): bigint {
  const mine = has.filter((each) => each.pool === pool && each.cidr.family === family);
  return BigInt(needed) - mine.reduce((sum, { cidr }) => sum + usableIn(cidr), 0n);
}

/** Returns `spec.ipam.pools.allocated` for the prefixes of a node: pools by name, IPv4 first. */
export function allocatedOf(
  has: readonly PoolPrefix[],
): readonly { readonly pool: string; readonly cidrs: readonly string[] }[] {
  const pools = [...new Set(has.map(({ pool }) => pool))].toSorted();
  return pools.map((pool) => ({
    pool,
    cidrs: has
      .filter((each) => each.pool === pool)
      .map(({ cidr }) => cidr)
      .toSorted(compareCidrs)
      .map(formatCidr),
  }));
}

/** Returns the names of Cilium's pools in an object. */
export function poolsIn({ ipam: { pools } }: CiliumObject): readonly string[] {
  const { requested = [], allocated = [] } = pools ?? {};
  return [...requested, ...allocated].map(({ pool }) => pool);
}

/** Returns the number of addresses of a prefix that pods can have: all but the first and the last, if there are more than two. */
function usableIn(cidr: Cidr): bigint {
  const size = sizeOf(cidr);
  return size <= 2n ? size : size - 2n;
}

type Allocated = NonNullable<CiliumObject["ipam"]["pools"]>["allocated"];

/** Returns the prefixes that an object lists, each of a pool once. */
export const listedPrefixes = ({ ipam: { pools } }: CiliumObject): readonly PoolPrefix[] => [
  ...byText(listedIn(pools?.allocated)).values(),
];

const listedIn = (allocated: Allocated = []): readonly PoolPrefix[] =>
  allocated.flatMap(({ pool, cidrs = [] }) =>
    cidrs.map(parseNetwork).flatMap((read) => (read.ok ? [{ pool, cidr: read.value }] : [])),
  );

const byText = <T extends PoolPrefix>(prefixes: readonly T[]): ReadonlyMap<string, T> =>
  new Map(prefixes.map((prefix) => [textOf(prefix), prefix]));

const textOf = ({ pool, cidr }: PoolPrefix): string => `${formatCidr(cidr)} ${pool}`;

const textOfEntry = ({ text, pool = "" }: CiliumEntry): string => `${text} ${pool}`;
