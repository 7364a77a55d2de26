import type { Address } from "../../net/address.ts";
import { type AddressSet, sharedBy } from "../../net/address-set.ts";
import { type Cidr, contains, intervalOf } from "../../net/cidr.ts";
import { type Pool, subnetIdOf } from "../../nouns/pool/pool.ts";
import { addressSetOf } from "../../nouns/pool/set.ts";
import type { Context } from "../core/context.ts";
import type { Block } from "../values/block.ts";
import { groupAt } from "../values/block-group.ts";

/** Returns true if a block belongs to this pool or to its subnet, or may do so because it cannot be read. */
export const mayBeOf = (
  pool: Pool,
  { poolId, unreadable, cidr }: Pick<Block, "poolId" | "unreadable" | "cidr">,
): boolean => poolId === subnetIdOf(pool) || (unreadable !== undefined && isWithin(pool, cidr));

/** Returns true if a network has an address of the set. */
export const touches = (set: AddressSet, network: Cidr): boolean =>
  sharedBy([intervalOf(network)], set).length > 0;

const isWithin = ({ cidr }: Pool, block: Cidr): boolean =>
  contains(cidr, { family: block.family, value: block.base });

/** A stretch of a pool that a walk has read. */
interface Stretch {
  /** The blocks in it, in order of address, also those that cannot be read. */
  readonly blocks: readonly Block[];
  /** The last address of the step; a walk that stops here continues after it. */
  readonly last: Address;
}

/**
 * Walks the blocks of a pool in order of address, or those that a ranged pool has addresses in, one block group of its index at a
 * time, with consistent reads. The index is a superset of the groups that hold blocks, so the walk sees every block that exists all
 * the time.
 *
 * @param after the address after which the walk begins
 * @param isWanted returns true for networks that the walk reads; by default those with an address of the pool
 */
export async function* walkPool(
  context: Context,
  pool: Pool,
  after: Address | undefined,
  isWanted: (network: Cidr) => boolean = (network) => touches(addressSetOf(pool), network),
): AsyncGenerator<Stretch> {
  const { store } = context;
  const past = pastOf(pool, after);
  const { groups } = await store.readBlockGroupIndex(pool.space, subnetIdOf(pool), {
    consistent: true,
  });
  for (const group of groupsAfter(pool, groups, after, isWanted)) {
    const { family, last } = intervalOf(group);
    const blocks = (await store.scanGroup(pool.space, group, { consistent: true }))
      .filter((block) => mayBeOf(pool, block) && isWanted(block.cidr) && block.cidr.base > past)
      .sort((a, b) => (a.cidr.base < b.cidr.base ? -1 : 1));
    yield { blocks, last: { family, value: last } };
  }
}

/** Returns the block groups of an index that end after an address, in order of address. */
export const groupsAfter = (
  pool: Pool,
  indexes: ReadonlySet<bigint>,
  after: Address | undefined,
  isWanted: (group: Cidr) => boolean,
): readonly Cidr[] =>
  [...indexes]
    .sort((a, b) => (a < b ? -1 : 1))
    .map((index) => groupAt(pool, index))
    .filter((group) => intervalOf(group).last > pastOf(pool, after) && isWanted(group));

const pastOf = ({ cidr }: Pool, after: Address | undefined): bigint =>
  after?.family === cidr.family ? after.value : -1n;
