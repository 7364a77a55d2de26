import {
  type AddressSet,
  networkAt,
  networksOf,
  sharedBy,
  subtract,
  unionOf,
} from "../../domain/address-set.ts";
import {
  type Application,
  applicationHash,
  type ListedAddress,
  type Target,
} from "../../domain/application.ts";
import { applicationSetOf } from "../../domain/application-pools.ts";
import { type Block, chooseOrdinals } from "../../domain/block.ts";
import { blocksOfGroup, GROUP_BITS } from "../../domain/block-group.ts";
import { addressAt, type Cidr, formatCidr, intervalOf } from "../../domain/cidr.ts";
import { GROUPS_SEARCHED_MAX } from "../../domain/limits.ts";
import { type Pool, type SpaceConfiguration, subnetIdOf } from "../../domain/pool.ts";
import { makeBlock } from "../blocks/shared-block.ts";
import { coolingRules } from "../blocks/slot-rules.ts";
import type { Context } from "../core/context.ts";

/** An address to hold, and its block as it was before the address is named. */
export interface Chosen extends ListedAddress {
  readonly block: Block;
}

/**
 * Chooses free addresses for an application, from the pools of a target in their order: group by group, from existing blocks first.
 * Absent blocks are made. Each application begins at a group of its own, so that two that grow at once rarely meet.
 *
 * @param wanted.listed the addresses that the application lists, or is about to list: they are left out
 * @returns up to `count` addresses; fewer if no more are free in the groups that one request reads
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
): Promise<readonly Chosen[]> {
  const chosen: Chosen[] = [];
  let groups = 0;
  for (const poolId of wanted.target.poolIds) {
    const pool = configuration.pools.find(({ id }) => id === poolId);
    if (!pool) continue;
    const open = subtract(applicationSetOf(pool, configuration), wanted.listed);
    for (const group of groupsOf(pool, open, applicationHash(wanted.application))) {
      if (chosen.length === wanted.count || groups === GROUPS_SEARCHED_MAX) return chosen;
      groups++;
      const count = wanted.count - chosen.length;
      const { interface: of } = wanted.target;
      const found = await chooseInGroup(context, configuration, { pool, open, group, count });
      chosen.push(...found.map((each) => ({ ...each, interface: of })));
    }
  }
  return chosen;
}

/** Yields the groups of a set, from the one on that a hash leads to. */
function* groupsOf(pool: Pool, open: AddressSet, hash: string): Generator<Cidr> {
  const groups = networksOf(open, pool.blockSize - GROUP_BITS);
  for (let k = 0n; k < groups.count; k++)
    yield networkAt(groups, (BigInt(`0x${hash}`) + k) % groups.count);
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
): Promise<readonly Omit<Chosen, "interface">[]> {
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
  const chosen: Omit<Chosen, "interface">[] = [];
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
