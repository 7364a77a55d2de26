import { poolCounter } from "../../../kernel/blocks/pool-counter.ts";
import { walkPool } from "../../../kernel/blocks/walk-pool.ts";
import type { PageBudget } from "../../../kernel/core/bounded-work.ts";
import type { Context } from "../../../kernel/core/context.ts";
import type { Address } from "../../../net/address.ts";
import { addressAt, formatCidr } from "../../../net/cidr.ts";
import type { SpaceConfiguration } from "../../pool/configuration.ts";
import type { Pool } from "../../pool/pool.ts";
import { NO_USAGE, sumOf, type Usage } from "../usage.ts";

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
export interface PoolCountSoFar {
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
): Promise<PoolCountSoFar> {
  const counter = poolCounter(context, configuration, pool);
  const blocks: ({ cidr: string } & Usage)[] = [];
  let sum = position?.sum ?? NO_USAGE;
  let reservedInBlocks = position?.reservedInBlocks ?? 0n;
  let next: UtilizationPosition | undefined;
  for await (const stretch of walkPool(context, pool, position?.after)) {
    for (const block of stretch.blocks) {
      if (next && blocks.length === blocksMax) return { usage: sum, blocks, next };
      const { usage, reserved } = counter.inBlock(block) ?? { usage: NO_USAGE, reserved: 0n };
      sum = sumOf(sum, usage);
      reservedInBlocks += reserved;
      blocks.push({ cidr: formatCidr(block.cidr), ...usage });
      next = { poolId: pool.id, after: addressAt(block.cidr, 0), sum, reservedInBlocks };
    }
    budget.look();
    next = { poolId: pool.id, after: stretch.last, sum, reservedInBlocks };
    if (budget.isSpent) return { usage: sum, blocks, next };
  }
  const outside = counter.outside({ capacity: sum.capacity, reserved: reservedInBlocks });
  return { usage: sumOf(sum, outside), blocks, outside };
}
