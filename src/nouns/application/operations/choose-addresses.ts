import { GROUPS_SEARCHED_MAX } from "../../../base/limits.ts";
import { makeBlock, someGroups } from "../../../kernel/blocks/shared-block.ts";
import { coolingRules } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { type Block, chooseOrdinals } from "../../../kernel/values/block.ts";
import { blocksOfGroup, GROUP_BITS } from "../../../kernel/values/block-group.ts";
import { type Random, shuffled } from "../../../kernel/values/fresh.ts";
import {
  type AddressSet,
  type Networks,
  networkAt,
  networksOfLength,
  sharedBy,
  subtract,
  unionOf,
} from "../../../net/address-set.ts";
import { addressAt, type Cidr, formatCidr, intervalOf } from "../../../net/cidr.ts";
import { applicationSetOf } from "../../pool/application-pools.ts";
import type { SpaceConfiguration } from "../../pool/configuration.ts";
import { type Pool, serves, subnetIdOf } from "../../pool/pool.ts";
import {
  type Application,
  applicationHash,
  type ListedAddress,
  type Target,
} from "../application.ts";

/** An address to hold, and its block as it was before the address is named. */
export interface ChosenAddress extends ListedAddress {
  readonly block: Block;
}

/** The addresses that were chosen, and whether no group that could have more was left unread. */
interface Choice {
  readonly chosen: readonly ChosenAddress[];
  readonly isWhole: boolean;
}

/**
 * Chooses free addresses for an application, from the pools of a target in their order: group by group, from existing blocks first.
 * Absent blocks are made. Each application begins at a group of its own, so that two that grow at once rarely meet. A request reads
 * some groups of a large pool and goes on in the next pool, and the next request reads others.
 *
 * @param wanted.listed the addresses that the application lists, or is about to list: they are left out
 * @returns up to `count` addresses; fewer if no more are free in the groups that were read
 */
export async function chooseAddresses(
  context: Context,
  configuration: SpaceConfiguration,
  wanted: {
    readonly application: Application;
    readonly target: Target;
    readonly count: number;
    readonly listed: AddressSet;
  },
): Promise<Choice> {
  const chosen: ChosenAddress[] = [];
  const open = openPools(configuration, wanted.target, wanted.listed);
  const pools = somePools(open, context.random);
  let isWhole = pools.length === open.length;
  let left = GROUPS_SEARCHED_MAX;
  for (const [n, { pool, set, groups }] of pools.entries()) {
    const countMax = groupsFor(pools.slice(n + 1), left);
    const next = BigInt(`0x${applicationHash(wanted.application)}`) % groups.count;
    const from = { first: networkAt(groups, next), next };
    const some = someGroups(groups, from, countMax, context.random);
    isWhole &&= BigInt(some.length) === groups.count;
    for (const group of some) {
      const count = wanted.count - chosen.length;
      if (count === 0) return { chosen, isWhole };
      left--;
      const { interface: of } = wanted.target;
      const found = await chooseInGroup(context, configuration, { pool, open: set, group, count });
      chosen.push(...found.map((each) => ({ ...each, interface: of })));
    }
  }
  return { chosen, isWhole };
}

/** A pool, and the addresses of it that the application may get. */
interface OpenPool {
  readonly pool: Pool;
  readonly set: AddressSet;
  /** The block groups that have one of them. */
  readonly groups: Networks;
}

/**
 * Returns how many of the groups that are left to read a pool may have. Those behind it have their turn, also behind a pool that is
 * large and full.
 */
function groupsFor(behind: readonly OpenPool[], left: number): number {
  const wanted = behind.reduce((sum, { groups }) => sum + Number(groups.count), 0);
  return Math.max(left - wanted, Math.min(Math.ceil(left / 2), left - behind.length));
}

/** Returns the pools of a target that have addresses for applications, in their order. */
function openPools(
  configuration: SpaceConfiguration,
  { poolIds }: Target,
  listed: AddressSet,
): readonly OpenPool[] {
  return poolIds.flatMap((poolId): OpenPool[] => {
    const pool = configuration.pools.find(({ id }) => id === poolId);
    if (!pool || !serves(pool)) return [];
    const set = subtract(applicationSetOf(pool, configuration), listed);
    const groups = networksOfLength(set, pool.blockSize - GROUP_BITS);
    return groups.count > 0n ? [{ pool, set, groups }] : [];
  });
}

/** Returns the pools of which a request reads a group at least: if there are too many, the first ones and others at random. */
function somePools(pools: readonly OpenPool[], random: Random): readonly OpenPool[] {
  if (pools.length <= GROUPS_SEARCHED_MAX) return pools;
  const first = GROUPS_SEARCHED_MAX / 2;
  const others = shuffled(pools.slice(first), random).slice(0, GROUPS_SEARCHED_MAX - first);
  return [...pools.slice(0, first), ...others];
}

/** Chooses up to `count` addresses of a set in the blocks of one group. */
async function chooseInGroup(
  context: Context,
  configuration: SpaceConfiguration,
  {
    pool,
    open,
    group,
    count,
  }: {
    readonly pool: Pool;
    readonly open: AddressSet;
    readonly group: Cidr;
    readonly count: number;
  },
): Promise<readonly Omit<ChosenAddress, "interface">[]> {
  const { store, random } = context;
  const rules = {
    ...coolingRules(context, configuration, pool),
    reserved: subtract([intervalOf(pool.cidr)], open),
  };
  const read = await store.scanGroup(pool.space, group, { consistent: true });
  const existing = new Map(read.map((block) => [formatCidr(block.cidr), block]));
  const places = blocksOfGroup(pool, group)
    .filter((cidr) => sharedBy([intervalOf(cidr)], open).length > 0)
    .map((cidr) => ({ cidr, there: existing.get(formatCidr(cidr)) }))
    .toSorted((a, b) => Number(!a.there) - Number(!b.there));
  const chosen: Omit<ChosenAddress, "interface">[] = [];
  for (const { cidr, there } of places) {
    if (chosen.length === count) return chosen;
    const block = there ?? (await makeBlock(context, pool, cidr));
    if (!block || block.unreadable || block.poolId !== subnetIdOf(pool)) continue;
    const ordinals = chooseOrdinals(block, count - chosen.length, rules, random);
    for (const ordinal of ordinals)
      chosen.push({
        address: addressAt(cidr, ordinal),
        poolId: pool.id,
        blockSize: pool.blockSize,
        state: "named",
        block,
      });
  }
  return chosen;
}

/** Returns the addresses that an application lists, or is about to list, as a set. */
export const listedSet = (listed: readonly ListedAddress[]): AddressSet =>
  unionOf(listed.map(({ address: { family, value } }) => ({ family, first: value, last: value })));
