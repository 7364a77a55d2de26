import { NO_USAGE, sumOf, type Usage } from "../utilization/usage.ts";

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
