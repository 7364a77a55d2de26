import type { Address } from "../../domain/address.ts";
import { countOf, sharedBy } from "../../domain/address-set.ts";
import { ownSetOf } from "../../domain/application-pools.ts";
import type { Block } from "../../domain/block.ts";
import { addressAt, formatCidr, intervalOf } from "../../domain/cidr.ts";
import {
  assignsPrefixes,
  isRanged,
  type Pool,
  type SpaceConfiguration,
  slotSizeOf,
} from "../../domain/pool.ts";
import { reservedFor } from "../../domain/pool-set.ts";
import { NO_USAGE, sumOf, type Usage, usageOf, usageOutsideBlocks } from "../../domain/usage.ts";
import { coolingRules } from "../blocks/slot-rules.ts";
import { walkPool } from "../blocks/walk-pool.ts";
import type { Context } from "../core/context.ts";
import type { PageBudget } from "../core/page-budget.ts";

/** The counts so far, and the position of the next page. */
export interface UtilizationPosition {
  /** The id of the pool. A new pool of the same name is counted from its beginning. */
  readonly poolId: string;
  readonly after: Address;
  /** The sum of the blocks before the position, without the space between them. */
  readonly sum: Usage;
  /** The number of reserved addresses in these blocks, whatever their state. */
  readonly reservedInBlocks: bigint;
}

/** The counts of a pool so far. */
export interface Counted {
  /** The sum of the blocks so far; of the whole pool as soon as `outside` is present. */
  readonly usage: Usage;
  /** The blocks that this page counted, in the order of addresses. */
  readonly blocks: readonly ({ readonly cidr: string } & Usage)[];
  /** The part of the pool without blocks; known when every block is counted. */
  readonly outside?: Usage;
  /** The position of the next page; absent when every block is counted. */
  readonly next?: UtilizationPosition;
}

/** The blocks to count, and the budget. */
interface Counting {
  readonly pool: Pool;
  /** The position to continue from; absent at the start. */
  readonly position: UtilizationPosition | undefined;
  readonly budget: PageBudget;
  readonly blocksMax?: number | undefined;
}

/** Counts the blocks of a pool from a position on, as long as the budget lasts, but at least one stretch of them. */
export async function countPool(
  context: Context,
  configuration: SpaceConfiguration,
  { pool, position, budget, blocksMax }: Counting,
): Promise<Counted> {
  const isOfPrefixes = assignsPrefixes(pool);
  const slotSize = slotSizeOf(pool);
  const reserved = isOfPrefixes ? reservedFor(pool, configuration) : configuration.reserved;
  const rules = { ...coolingRules(context, configuration, pool), reserved };
  const set = ownSetOf(pool, configuration.pools);
  const blocks: ({ cidr: string } & Usage)[] = [];
  let sum = position?.sum ?? NO_USAGE;
  let reservedInBlocks = position?.reservedInBlocks ?? 0n;
  let next: UtilizationPosition | undefined;
  for await (const stretch of walkPool(context, pool, position?.after)) {
    for (const each of stretch.blocks) {
      // A block that cannot be read is as large as any other of its pool.
      const block: Block = isOfPrefixes ? { ...each, whole: true } : each;
      if (next && blocks.length === blocksMax) return { usage: sum, blocks, next };
      const inBlock = sharedBy([intervalOf(block.cidr)], set);
      const usage = usageOf(block, rules, isRanged(pool) ? inBlock : undefined);
      sum = sumOf(sum, usage);
      reservedInBlocks += countOf(sharedBy(inBlock, reserved)) / slotSize;
      blocks.push({ cidr: formatCidr(block.cidr), ...usage });
      next = { poolId: pool.id, after: addressAt(block.cidr, 0), sum, reservedInBlocks };
    }
    budget.look();
    next = { poolId: pool.id, after: stretch.last, sum, reservedInBlocks };
    if (budget.isSpent) return { usage: sum, blocks, next };
  }
  const inBlocks = { capacity: sum.capacity, reserved: reservedInBlocks };
  const outside = usageOutsideBlocks(set, reserved, inBlocks, slotSize);
  return { usage: sumOf(sum, outside), blocks, outside };
}
