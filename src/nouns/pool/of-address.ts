import type { Address } from "../../net/address.ts";
import { addressAt, type Cidr, contains } from "../../net/cidr.ts";
import { isForApplications } from "./application-pools.ts";
import type { SpaceConfiguration } from "./configuration.ts";
import { innermost } from "./hierarchy.ts";
import type { Pool } from "./pool.ts";
import { hasAddress } from "./set.ts";

/**
 * Returns the readable pool that has an address. A pool comes before the one that it is made of, and a serving pool before one
 * whose range was given to it. A creation that was cut off never had its range.
 */
export const poolWithAddress = (
  { pools }: Pick<SpaceConfiguration, "pools">,
  address: Address,
): Pool | undefined => servingFirst(pools.filter((pool) => hasAddress(pool, address)));

/**
 * Returns the pool that has an address, or else any one around it. All of these have blocks of one size, also if the address is in
 * the set of none, but for those that others are made of.
 */
export const poolOver = (
  configuration: Pick<SpaceConfiguration, "pools">,
  address: Address,
): Pool | undefined =>
  poolWithAddress(configuration, address) ??
  servingFirst(configuration.pools.filter(({ cidr }) => contains(cidr, address)));

/**
 * Returns the pool of a block, as it is around an address of it. A block is a prefix of a pool, or lies in the pool that was made of
 * that prefix; its length tells which. If no pool has blocks of this length, it returns any one around the address.
 */
export const poolOverBlock = (
  configuration: Pick<SpaceConfiguration, "pools">,
  block: Cidr,
  address: Address = addressAt(block, 0),
): Pool | undefined => {
  const alike = configuration.pools.filter(({ blockSize }) => blockSize === block.prefix);
  return poolOver({ pools: alike }, address) ?? poolOver(configuration, address);
};

/** An Applications pool has only what the other pools around an address do not have. */
function servingFirst(pools: readonly Pool[]): Pool | undefined {
  const made = innermost(pools.filter(({ state }) => state !== "pending"));
  return (
    inOrder(made.filter((pool) => !isForApplications(pool))) ??
    inOrder(made.filter(isForApplications))
  );
}

const inOrder = (pools: readonly Pool[]): Pool | undefined =>
  pools.find(({ state }) => state === "active") ?? pools[0];
