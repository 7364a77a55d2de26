import { PAGE_READS_AT_ONCE } from "../../../base/limits.ts";
import { CorruptItemError, orCorrupt } from "../../../base/outcome.ts";
import { namedBlocks } from "../../../kernel/blocks/blocks-by-name.ts";
import { mayBeOf, touches, walkPool } from "../../../kernel/blocks/walk-pool.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import type { Block } from "../../../kernel/values/block.ts";
import { blockOf } from "../../../kernel/values/block-group.ts";
import { type Address, compareAddresses } from "../../../net/address.ts";
import { type Cidr, compareCidrs, intervalOf, overlaps } from "../../../net/cidr.ts";
import type { SpaceConfiguration } from "../../pool/configuration.ts";
import type { Pool } from "../../pool/pool.ts";
import { addressSetOf } from "../../pool/set.ts";
import { walkOrder } from "../../pool/subnet.ts";
import type { AddressFilter } from "./address-filter.ts";

/** The last address that a search has looked at, and its place in the walk if the search goes through pools. */
export interface AddressPosition {
  readonly place?: string | undefined;
  readonly after: Address;
}

/** Blocks that a search reads together. */
export interface Stretch {
  readonly blocks: readonly Block[];
  readonly unreadable: readonly CorruptItemError[];
  /** The position of a search that has looked at all of them; absent if it is where it was. */
  readonly last?: AddressPosition;
  /** True if it only ends a pool, so that no block was read for it. */
  readonly isEnd?: true;
}

interface BlocksWanted extends Pick<AddressFilter, "pool" | "cidr"> {
  readonly space: string;
  readonly position?: AddressPosition | undefined;
}

/**
 * Yields the blocks of pools that a search looks into: pool by pool in the order of a walk, each in the order of addresses. A block
 * that pools share comes once.
 */
export async function* blocksToSearch(
  context: Context,
  { pools }: SpaceConfiguration,
  { pool: only, cidr, position }: BlocksWanted,
): AsyncGenerator<Stretch> {
  const visited = walkOrder(pools, { only, from: position?.place });
  const wanted = visited.filter(({ pool }) => isWithin(cidr, pool.cidr));
  for (const { pool, place } of wanted) {
    const after = place === position?.place ? beforeBlockOf(pool, position.after) : undefined;
    const isWanted = (network: Cidr) =>
      isWithin(cidr, network) && (only === undefined || touches(addressSetOf(pool), network));
    const { family, last } = intervalOf(pool.cidr);
    const end = { place, after: { family, value: last } };
    if (cidr && cidr.prefix >= pool.blockSize) {
      const block = blockOf({ family, value: cidr.base }, pool.blockSize);
      const isDone = after && isPast(block, after);
      yield { ...(isDone ? NOTHING : await oneBlock(context, pool, block)), last: end };
      continue;
    }
    for await (const { blocks, last } of walkPool(context, pool, after, isWanted))
      yield { blocks, unreadable: [], last: { place, after: last } };
    yield { ...NOTHING, last: end, isEnd: true };
  }
}

const NOTHING = { blocks: [], unreadable: [] };

async function oneBlock({ store }: Context, pool: Pool, cidr: Cidr): Promise<Stretch> {
  const block = await orCorrupt(store.readBlock(pool.space, cidr));
  if (block instanceof CorruptItemError) return { blocks: [], unreadable: [block] };
  return { blocks: block && mayBeOf(pool, block) ? [block] : [], unreadable: [] };
}

/** Yields the blocks of a host and its borrowed blocks (I11), in the order of addresses. */
export async function* blocksOfHost(
  context: Context,
  { pools }: SpaceConfiguration,
  { host, ...wanted }: BlocksWanted & { readonly host: NonNullable<AddressFilter["host"]> },
): AsyncGenerator<Stretch> {
  const { space, cidr, position } = wanted;
  const pool = pools.find(({ name }) => name === wanted.pool)?.cidr;
  const named = await namedBlocks(context, space, host);
  const cidrs = named.cidrs
    .filter((block) => isWithin(cidr, block) && isWithin(pool, block))
    .filter((block) => !position || !isPast(block, position.after))
    .toSorted(compareCidrs);
  if (named.unreadable.length > 0) yield { blocks: [], unreadable: named.unreadable };
  for (let from = 0; from < cidrs.length; from += PAGE_READS_AT_ONCE) {
    const some = cidrs.slice(from, from + PAGE_READS_AT_ONCE);
    const read = await inParallel(some, PAGE_READS_AT_ONCE, (block) =>
      orCorrupt(context.store.readBlock(space, block)),
    );
    const { family, last } = intervalOf(some.at(-1) as Cidr);
    yield {
      blocks: read.filter((each): each is Block => !!each && !(each instanceof CorruptItemError)),
      unreadable: read.filter((each) => each instanceof CorruptItemError),
      last: { after: { family, value: last } },
    };
  }
}

/** Returns true if a network is no larger than a block of a pool around it. */
export const isInOneBlock = ({ pools }: SpaceConfiguration, cidr: Cidr): boolean =>
  pools.some((pool) => isWithin(cidr, pool.cidr) && cidr.prefix >= pool.blockSize);

const isWithin = (wanted: Cidr | undefined, network: Cidr): boolean =>
  !wanted || overlaps(intervalOf(wanted), intervalOf(network));

/** Returns true if a search in the order of addresses has looked at the whole network. */
function isPast(network: Cidr, after: Address): boolean {
  const { family, last } = intervalOf(network);
  return compareAddresses({ family, value: last }, after) <= 0;
}

/** Returns the address after which a walk sees the block of an address again, unless the address is the last one in it. */
function beforeBlockOf(pool: Pool, after: Address): Address {
  if (after.family !== pool.cidr.family) return after;
  const { first, last } = intervalOf(blockOf(after, pool.blockSize));
  return last === after.value ? after : { ...after, value: first - 1n };
}
