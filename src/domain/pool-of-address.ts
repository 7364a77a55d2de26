import type { Address } from "./address.ts";
import { isForApplications } from "./application-pools.ts";
import { contains } from "./cidr.ts";
import type { Pool, SpaceConfiguration } from "./pool.ts";
import { hasAddress } from "./pool-set.ts";

/**
 * Returns the readable pool that has an address. A serving pool comes before one whose range was given to it. A creation that
 * was cut off never had its range.
 */
export const poolOf = (
  { pools }: Pick<SpaceConfiguration, "pools">,
  address: Address,
): Pool | undefined => servingFirst(pools.filter((pool) => hasAddress(pool, address)));

/**
 * Returns the pool that has an address, or else any one around it. All pools around an address have blocks of one size, also if
 * the address is in the set of none.
 */
export const poolOver = (
  configuration: Pick<SpaceConfiguration, "pools">,
  address: Address,
): Pool | undefined =>
  poolOf(configuration, address) ??
  servingFirst(configuration.pools.filter(({ cidr }) => contains(cidr, address)));

/** An Applications pool has only what the other pools around an address do not have. */
const servingFirst = (pools: readonly Pool[]): Pool | undefined =>
  inOrder(pools.filter((pool) => !isForApplications(pool))) ??
  inOrder(pools.filter(isForApplications));

const inOrder = (pools: readonly Pool[]): Pool | undefined =>
  pools.find(({ state }) => state === "active") ?? pools.find(({ state }) => state === "deleting");
