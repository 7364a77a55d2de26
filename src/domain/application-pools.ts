import { type AddressSet, subtract } from "./address-set.ts";
import { sameCidr } from "./cidr.ts";
import { isRanged, type Pool, type SpaceConfiguration } from "./pool.ts";
import { extentOf, servedSetOf, setOf } from "./pool-set.ts";

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
  leftBy(pools, pool, setOf(pool));

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
