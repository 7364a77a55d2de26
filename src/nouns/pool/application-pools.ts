import { type AddressSet, subtract } from "../../net/address-set.ts";
import { sameCidr } from "../../net/cidr.ts";
import type { Application, Target } from "../application/application.ts";
import type { SpaceConfiguration } from "./configuration.ts";
import { type NetworkOfAddress, networkFor } from "./network.ts";
import { assignsPrefixes, isRanged, type Pool } from "./pool.ts";
import { addressSetOf, extentOf, servedSetOf } from "./set.ts";

/** Returns true if a pool serves applications only, with what no other pool of its CIDR has. */
export const isForApplications = ({ assignmentMode }: Pick<Pool, "assignmentMode">): boolean =>
  assignmentMode === "Applications";

/** Returns true if another pool has addresses of the same CIDR, or is about to have them. */
export const isBeside = (pool: Pool, other: Pool): boolean =>
  other.id !== pool.id && isRanged(other) && sameCidr(other.cidr, pool.cidr);

/** Returns the pool for applications that a pool lies inside of, if there is one. */
export const applicationPoolAround = (pool: Pool, pools: readonly Pool[]): Pool | undefined =>
  pools.find((other) => isBeside(pool, other) && isForApplications(other));

/**
 * Returns the addresses that a pool assigns. An Applications pool has what the others of its CIDR leave, pending ones included.
 */
export const ownSetOf = (pool: Pool, pools: readonly Pool[]): AddressSet =>
  leftBy(pools, pool, addressSetOf(pool));

/** Returns the addresses that can be assigned in the name of a pool. */
export const ownServedSetOf = (pool: Pool, pools: readonly Pool[]): AddressSet =>
  leftBy(pools, pool, servedSetOf(pool));

/**
 * Returns those of some addresses of a pool that no pool inside of it serves. What another pool is only about to get stays: an
 * application may have it, so that the other pool does not get it.
 */
export const withoutInner = (set: AddressSet, pool: Pool, pools: readonly Pool[]): AddressSet =>
  isForApplications(pool)
    ? subtract(
        set,
        ...pools
          .filter((other) => isBeside(pool, other) && other.state !== "pending")
          .map(servedSetOf),
      )
    : set;

/** Returns the addresses of a pool that applications may get: its own without reserved ones. */
export const applicationSetOf = (
  pool: Pool,
  { pools, reserved }: Pick<SpaceConfiguration, "pools" | "reserved">,
): AddressSet => subtract(ownSetOf(pool, pools), reserved);

const leftBy = (pools: readonly Pool[], pool: Pool, set: AddressSet): AddressSet =>
  isForApplications(pool)
    ? subtract(set, ...pools.filter((other) => isBeside(pool, other)).map(extentOf))
    : set;

/** An interface as a request names it. */
export interface InterfaceAsked {
  /** Absent if the request names no interfaces: then it asks for one. */
  readonly interface?: string;
  /** True if it is the only one that the request names. */
  readonly isOnly?: boolean;
}

/**
 * Returns the interface of an application whose addresses an interface of its instance gets: the one of the same name. A name that
 * one side leaves out stands for the only interface of the other. If the other has several, the answer is an interface without pools,
 * so that the request is rejected: nobody knows which one is meant.
 *
 * @returns nothing if the application has no addresses, or those of interfaces with other names
 */
export function interfaceOfApplication(
  application: Application | undefined,
  { interface: asked, isOnly = asked === undefined }: InterfaceAsked,
): string | undefined {
  const names = application?.addresses?.interfaces.map(({ name }) => name) ?? [];
  const [only, ...others] = names;
  if (only === undefined) return undefined;
  if (asked !== undefined && (names.includes(asked) || only !== ""))
    return names.find((name) => name === asked);
  return isOnly && others.length === 0 ? only : (asked ?? "");
}

/** Returns the ids of the pools of an application's addresses for an interface and family, in the order in which they are tried. */
export const poolsOfTarget = (
  { targets }: Application,
  { interface: of, family }: Pick<Target, "interface" | "family">,
): readonly string[] =>
  targets.find((each) => each.interface === of && each.family === family)?.poolIds ?? [];

/**
 * Returns a function that finds the network of a pool by its name, once for each pool. What the pool does not say is as the Applications
 * pool around it says. There is none for a pool that cannot be read, and for one of prefixes.
 */
export function networkFinder(
  pools: readonly Pool[],
): (name: string) => { readonly network?: NetworkOfAddress } {
  const known = new Map<string, { readonly network?: NetworkOfAddress }>();
  return (name) => {
    const found = known.get(name) ?? lookUp(name, pools);
    known.set(name, found);
    return found;
  };
}

/** Returns the pools with the networks of their addresses: what one of a subnet inherits says what it keeps out. */
export function inNetworks(pools: readonly Pool[]): readonly Pool[] {
  const outer = pools.filter(isForApplications);
  return pools.map((pool) => {
    const around = pool.kind && applicationPoolAround(pool, outer);
    return around ? { ...pool, ...networkFor(pool, around) } : pool;
  });
}

function lookUp(name: string, pools: readonly Pool[]) {
  const pool = pools.find((each) => each.name === name);
  return pool && !assignsPrefixes(pool)
    ? { network: networkFor(pool, applicationPoolAround(pool, pools)) }
    : {};
}
