import type { Actor } from "../../../base/actor.ts";
import { PAGE_READS_AT_ONCE } from "../../../base/limits.ts";
import type { ListedPage } from "../../../base/listed.ts";
import { CorruptItemError, orCorrupt, type Rejection } from "../../../base/outcome.ts";
import { namedBlocks } from "../../../kernel/blocks/blocks-by-name.ts";
import { walkPool } from "../../../kernel/blocks/walk-pool.ts";
import { notFound, pageBudget } from "../../../kernel/core/bounded-work.ts";
import { blockRules } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import type { BlockAffinity } from "../../../kernel/values/affinity.ts";
import type { Block } from "../../../kernel/values/block.ts";
import type { BorrowedBlock } from "../../../kernel/values/borrowed-block.ts";
import {
  type AffinityType,
  affinityTypeOf,
  type HostId,
  type HostReserved,
  hostName,
} from "../../../kernel/values/host.ts";
import { type Address, compareAddresses } from "../../../net/address.ts";
import {
  addressAt,
  type Cidr,
  contains,
  formatCidr,
  intervalOf,
  sameCidr,
} from "../../../net/cidr.ts";
import { poolNamed, type SpaceConfiguration } from "../../pool/configuration.ts";
import { isShared, walkOrder } from "../../pool/subnet.ts";
import { type Usage, usageOf } from "../../utilization/usage.ts";

/** The current state of a block. */
export interface BlockState extends Usage {
  readonly cidr: string;
  /** Present if the block is a prefix. Then it counts as one. */
  readonly unit?: "prefixes";
  readonly pool: string;
  /** The owner; both fields are absent without one. */
  readonly host?: string;
  readonly affinityType?: AffinityType;
  /** The host-reserved addresses of the host that claimed it. */
  readonly hostReservation?: HostReserved;
  readonly claimedAtMs: number;
  readonly idleSinceMs?: number;
  /** The actor of its last change; absent if it was unknown. */
  readonly changedBy?: Actor;
  /** In a list by host: true if the block does not belong to this host, but the host may hold addresses in it. */
  readonly borrowed?: boolean;
}

/** The position in a list of blocks: an address to start after, and its place in the walk if the list goes through pools. */
export interface BlocksPosition {
  readonly place?: string | undefined;
  readonly after: Address;
}

export interface BlocksWanted {
  readonly space: string;
  readonly pool?: string | undefined;
  readonly host?: HostId | undefined;
  readonly limit: number;
  readonly position?: BlocksPosition | undefined;
}

/**
 * Returns a page of the blocks of a host, of a pool, or of all pools, strongly consistent. It is no snapshot: a block
 * that is claimed or deleted between the pages may be missing, or listed though it is gone.
 */
export async function listBlocks(
  context: Context,
  wanted: BlocksWanted,
): Promise<ListedPage<BlockState, BlocksPosition> | Rejection> {
  const { space, pool, host } = wanted;
  const configuration = await context.store.readSpace(space);
  if (pool !== undefined && !poolNamed(configuration, pool)) return notFound(space, "pool", pool);
  if (host !== undefined) return blocksOfHost(context, configuration, { ...wanted, host });
  const { items, ...page } = await pageOfBlocks(context, configuration, wanted);
  return { items: items.map((block) => blockState(context, configuration, block)), ...page };
}

/** Returns a page of all or selected blocks: pool by pool in the order of a walk, each in the order of addresses. */
export async function pageOfBlocks(
  context: Context,
  configuration: SpaceConfiguration,
  { pool: only, limit, position }: Omit<BlocksWanted, "space" | "host">,
  isWanted: (block: Block) => boolean = () => true,
): Promise<ListedPage<Block, BlocksPosition>> {
  const items: Block[] = [];
  // Blocks of an unreadable pool are not found, so the list names the pool.
  const unread = only === undefined ? configuration.unreadablePools : [];
  const unreadable = unread.map((pool) => pool.unreadable);
  const budget = pageBudget(context);
  // A block that pools share is listed once, unless one pool is asked for.
  const pools = walkOrder(configuration.pools, { only, from: position?.place });
  const isWholly = only === undefined ? () => true : undefined;
  let next = position;
  for (const { pool, place } of pools) {
    if (next && budget.isSpent) return { items, unreadable, next };
    const after = place === position?.place ? position.after : undefined;
    for await (const { blocks, last } of walkPool(context, pool, after, isWholly)) {
      for (const block of blocks) {
        if (next && items.length === limit) return { items, unreadable, next };
        if (block.unreadable) unreadable.push(block.unreadable);
        else if (isWanted(block)) items.push(block);
        next = { place, after: addressAt(block.cidr, 0) };
      }
      next = { place, after: last };
      budget.look();
      if (budget.isSpent) return { items, unreadable, next };
    }
    const { family, last } = intervalOf(pool.cidr);
    next = { place, after: { family, value: last } };
  }
  return { items, unreadable };
}

/** Lists the blocks of a host's affinities and its borrowed blocks, in the order of addresses. */
async function blocksOfHost(
  context: Context,
  configuration: SpaceConfiguration,
  { pool, ...wanted }: BlocksWanted & { readonly host: HostId },
): Promise<ListedPage<BlockState, BlocksPosition>> {
  const within = configuration.pools.find(({ name }) => name === pool)?.cidr;
  const { items, unreadable, next } = await holdingsOfHost(context, { ...wanted, within });
  // An affinity may be newer or older than its block. The block decides.
  const states = items.flatMap(({ block, borrowedBlock }) => {
    if (!block) return [];
    const borrowed = block.host !== wanted.host && !isShared(configuration, block);
    return borrowedBlock || !borrowed
      ? [{ ...blockState(context, configuration, block), borrowed }]
      : [];
  });
  return {
    items: states,
    ...(unreadable && { unreadable }),
    ...(next && { next: { after: next } }),
  };
}

/** A block that a host's affinities or borrowed-block entries name, in its current state. */
export interface HostHolding {
  readonly cidr: Cidr;
  /** The first of its affinities, if a crash left several. */
  readonly affinity: BlockAffinity | undefined;
  readonly borrowedBlock: BorrowedBlock | undefined;
  /** Absent if no block exists, or if it cannot be read. */
  readonly block: Block | undefined;
}

/**
 * Returns a page of the blocks that a host's affinities and borrowed-block entries name, in the order of addresses. An
 * unreadable affinity, entry or block does not keep the others back.
 */
export async function holdingsOfHost(
  context: Context,
  {
    space,
    host,
    limit,
    position,
    within,
  }: {
    readonly space: string;
    readonly host: HostId;
    readonly limit: number;
    readonly position?: { readonly after: Address } | undefined;
    /** Returns only blocks in this range. */
    readonly within?: Cidr | undefined;
  },
): Promise<ListedPage<HostHolding, Address>> {
  const { affinities, borrowedBlocks, ...named } = await namedBlocks(context, space, host);
  const unreadable = [...named.unreadable];
  const cidrs = [...named.cidrs]
    .filter((cidr) => !within || contains(within, base(cidr)))
    .filter((cidr) => !position || compareAddresses(base(cidr), position.after) > 0)
    .sort((a, b) => compareAddresses(base(a), base(b)));
  const some = cidrs.slice(0, limit);
  const items = await inParallel(some, PAGE_READS_AT_ONCE, async (cidr): Promise<HostHolding> => {
    const named = {
      cidr,
      affinity: affinities.find(({ block }) => sameCidr(block, cidr)),
      borrowedBlock: borrowedBlocks.find(({ block }) => sameCidr(block, cidr)),
    };
    const block = await orCorrupt(context.store.readBlock(space, cidr));
    if (!(block instanceof CorruptItemError)) return { ...named, block };
    unreadable.push(block);
    return { ...named, block: undefined };
  });
  const last = some.at(-1);
  return { items, unreadable, ...(last && some.length < cidrs.length && { next: base(last) }) };
}

/** Returns the state of a block by the rules of its pool. */
export function blockState(
  context: Context,
  configuration: SpaceConfiguration,
  block: Block,
): BlockState {
  return {
    cidr: formatCidr(block.cidr),
    ...(block.whole && { unit: "prefixes" }),
    pool: block.pool,
    ...(block.host !== undefined && {
      host: hostName(block.host),
      affinityType: affinityTypeOf(block.host),
    }),
    ...(block.hostReserved && { hostReservation: block.hostReserved }),
    ...usageOf(block, blockRules(context, configuration, block.poolId)),
    claimedAtMs: block.claimedAtMs,
    ...(block.idleSinceMs !== undefined && { idleSinceMs: block.idleSinceMs }),
    ...(block.changedBy && { changedBy: block.changedBy }),
  };
}

const base = (cidr: Cidr): Address => addressAt(cidr, 0);
