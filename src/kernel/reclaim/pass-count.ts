import type { SpaceConfiguration } from "../../nouns/pool/configuration.ts";
import { type Pool, subnetIdOf } from "../../nouns/pool/pool.ts";
import { onePerSubnet, poolsOfSubnet } from "../../nouns/pool/subnet.ts";
import {
  countsTogether,
  type PoolCount,
  type SpacePosition,
  type SubnetCount,
} from "../../nouns/space/space.ts";
import type { PoolCounted } from "../../nouns/utilization/pool-usage.ts";
import { NO_USAGE, sumOf } from "../../nouns/utilization/usage.ts";
import { poolCounter } from "../blocks/pool-counter.ts";
import type { Context } from "../core/context.ts";

/** A block group that the pass went through. Its counts are absent if it could not be read, or the page that names it. */
interface GroupCounted {
  readonly pool: Pool;
  readonly counts: readonly PoolCount[] | undefined;
}

/**
 * Adds up the counts of a pass over the pools of a space, subnet by subnet, in the order of the walk. A pass can take
 * more than one run. Then the sums of the subnet that it is in are stored with its position, by the same write, so that
 * each block group counts once. A subnet with a block group that could not be read is not counted in this pass, nor is a pool of which
 * its blocks have more addresses than its set: the set changed meanwhile.
 */
export class PassCount {
  readonly #context: Context;
  readonly #configuration: SpaceConfiguration;
  /** One pool of each subnet, in the order of the walk. */
  readonly #order: readonly Pool[];
  /** The place in the order. */
  #at: number;
  /** The sums of the subnet at this place; absent if a part of it was not counted. */
  #sums: SubnetCount | undefined;

  /**
   * @param configuration the pools and the reservations by which it counts
   * @param from the position at which the run begins
   */
  constructor(
    context: Context,
    configuration: SpaceConfiguration,
    from: SpacePosition | undefined,
  ) {
    this.#context = context;
    this.#configuration = configuration;
    this.#order = onePerSubnet(configuration.pools);
    const place = this.#order.findIndex(({ name }) => !from || name >= from.pool);
    this.#at = place < 0 ? this.#order.length : place;
    this.#begin();
    const pool = this.#order[this.#at];
    if (from && pool?.name === from.pool)
      this.#sums = from.count?.subnetId === subnetIdOf(pool) ? from.count : undefined;
  }

  /** The sums to store with the position. */
  get sums(): SubnetCount | undefined {
    return this.#sums;
  }

  /**
   * Adds block groups in the order of the walk, and returns the counts of the pools that are complete.
   *
   * @param isAtEnd true if no block group follows
   */
  add(groups: readonly GroupCounted[], isAtEnd: boolean): readonly PoolCounted[] {
    const complete: PoolCounted[] = [];
    const completeUntil = (end: number) => {
      while (this.#at < end) {
        complete.push(...this.#complete());
        this.#at++;
        this.#begin();
      }
    };
    for (const { pool, counts } of groups) {
      const subnetId = subnetIdOf(pool);
      completeUntil(this.#order.findIndex((each) => subnetIdOf(each) === subnetId));
      this.#sums = counts &&
        this.#sums && { ...this.#sums, pools: countsTogether(this.#sums.pools, counts) };
    }
    if (isAtEnd) completeUntil(this.#order.length);
    return complete;
  }

  #begin(): void {
    const pool = this.#order[this.#at];
    const fromMs = this.#context.now();
    this.#sums = pool && { subnetId: subnetIdOf(pool), fromMs, pools: [] };
  }

  /** Returns the counts of each pool of the subnet at this place, with the addresses outside of blocks. */
  #complete(): readonly PoolCounted[] {
    const sums = this.#sums;
    if (!sums) return [];
    const countedAtMs = this.#context.now();
    return poolsOfSubnet(this.#configuration, sums.subnetId).flatMap((pool) => {
      const { usage: inBlocks, reserved } = sums.pools.find(({ poolId }) => poolId === pool.id) ?? {
        usage: NO_USAGE,
        reserved: 0n,
      };
      const { capacity, outside } = poolCounter(this.#context, this.#configuration, pool);
      if (inBlocks.capacity > capacity) return [];
      return {
        space: pool.space,
        poolId: pool.id,
        pool: pool.name,
        family: pool.cidr.family,
        countedFromMs: sums.fromMs,
        countedAtMs,
        usage: sumOf(inBlocks, outside({ capacity: inBlocks.capacity, reserved })),
      };
    });
  }
}
