import { countOf, sharedBy } from "../../net/address-set.ts";
import { intervalOf } from "../../net/cidr.ts";
import { ownSetOf } from "../../nouns/pool/application-pools.ts";
import type { SpaceConfiguration } from "../../nouns/pool/configuration.ts";
import { assignsPrefixes, isRanged, type Pool, slotSizeOf } from "../../nouns/pool/pool.ts";
import { reservedFor } from "../../nouns/pool/set.ts";
import {
  type CountedBlock,
  type Usage,
  usageOf,
  usageOutsideBlocks,
} from "../../nouns/utilization/usage.ts";
import { coolingRules } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";

/** Counts the addresses of a pool by state, by the time and the configuration at which it was made. */
export interface PoolCounter {
  /** The number of addresses of the pool, or of prefixes. */
  readonly capacity: bigint;
  /**
   * Counts those in a block, and how many of them are in a reservation, whatever their state. Returns nothing if none
   * is of the pool.
   */
  inBlock(block: CountedBlock): { readonly usage: Usage; readonly reserved: bigint } | undefined;
  /** Counts those outside of all blocks, of which the counts are known. */
  outside(inBlocks: { readonly capacity: bigint; readonly reserved: bigint }): Usage;
}

/** Makes the counter of a pool. @throws {CorruptItemError} if a reservation cannot be read */
export function poolCounter(
  context: Context,
  configuration: SpaceConfiguration,
  pool: Pool,
): PoolCounter {
  const isOfPrefixes = assignsPrefixes(pool);
  const slotSize = slotSizeOf(pool);
  const reserved = isOfPrefixes ? reservedFor(pool, configuration) : configuration.reserved;
  const rules = { ...coolingRules(context, configuration, pool), reserved };
  const set = ownSetOf(pool, configuration.pools);
  return {
    capacity: countOf(set) / slotSize,
    inBlock(each) {
      // A block that cannot be read is as large as any other of its pool.
      const block: CountedBlock = isOfPrefixes ? { ...each, whole: true } : each;
      const within = sharedBy([intervalOf(block.cidr)], set);
      if (within.length === 0) return undefined;
      return {
        usage: usageOf(block, rules, isRanged(pool) ? within : undefined),
        reserved: countOf(sharedBy(within, reserved)) / slotSize,
      };
    },
    outside: (inBlocks) => usageOutsideBlocks(set, reserved, inBlocks, slotSize),
  };
}
