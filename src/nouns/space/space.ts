import { NO_USAGE, sumOf, type Usage } from "../utilization/usage.ts";

/** The position of a walk over the block groups of a space; pools come in the order of their names. */
export interface SpacePosition {
  /** The name of the pool it is in. */
  readonly pool: string;
  /** The last page of the pool's block-group index that the walk has completed. */
  readonly page?: string;
  /** The last block-group index of the next page that the walk has completed. */
  readonly group?: bigint;
  /** The counts of that pool's subnet so far; absent if a part of it was not counted. */
  readonly count?: SubnetCount;
}

/** An entry of the register of spaces that scheduled runs go through. */
export interface SpaceEntry {
  readonly space: string;
  /** New with every registration; absent in an entry from before there were revisions. */
  readonly revision?: string;
  /** The revision that the last job gave it which deletes the space. */
  readonly deleting?: string;
  /** True while a job deletes the space: its revision is the one that the job gave it. */
  readonly isBeingDeleted: boolean;
  /** The position where `reclaim` stopped; absent at the start. A hint. */
  readonly position?: SpacePosition;
}

/** The counts of a pool in the blocks that a pass has seen so far. */
export interface PoolCount {
  readonly poolId: string;
  readonly usage: Usage;
  /** The number of addresses of these blocks in a reservation, whatever their state. */
  readonly reserved: bigint;
}

/** The counts of the subnet in which a pass is, with one entry for each of its pools that has addresses in these blocks. */
export interface SubnetCount {
  readonly subnetId: string;
  /** The time when the pass reached the subnet. */
  readonly fromMs: number;
  readonly pools: readonly PoolCount[];
}

/** Returns the sums of two lists of counts, pool by pool. */
export function countsTogether(
  one: readonly PoolCount[],
  other: readonly PoolCount[],
): readonly PoolCount[] {
  const sums = new Map(one.map((count) => [count.poolId, count]));
  for (const { poolId, usage, reserved } of other) {
    const before = sums.get(poolId) ?? { usage: NO_USAGE, reserved: 0n };
    sums.set(poolId, {
      poolId,
      usage: sumOf(before.usage, usage),
      reserved: before.reserved + reserved,
    });
  }
  return [...sums.values()];
}
