import type { Cidr } from "../../net/cidr.ts";
import type { BlockAffinity } from "./affinity.ts";
import type { Block } from "./block.ts";
import type { HostId } from "./host.ts";

/**
 * A hint that a block of a host is full. It saves the host a read of the block. It may be wrong at
 * any time, and decides nothing.
 */
export interface FullBlock {
  readonly space: string;
  readonly host: HostId;
  readonly block: Cidr;
  /** The revision of the host's affinity of the block. The hint has no meaning under another revision. */
  readonly affinity: string;
  /** The time when a slot may have cooled, in milliseconds since the epoch; absent if all slots are taken. */
  readonly untilMs?: number;
  /** The time when the first slot has cooled, in milliseconds since the epoch; absent if none cools. */
  readonly freeAtMs?: number;
  /** True if an address of the block may have a lease. */
  readonly leased?: true;
}

/** The affinities of a host, and the hints of its full blocks. */
export interface Places {
  readonly affinities: readonly BlockAffinity[];
  readonly full: readonly FullBlock[];
}

/** Returns true if the hint says that the affinity's block is full. */
export function saysFull(
  { affinity, untilMs }: FullBlock,
  { revision }: BlockAffinity,
  nowMs: number,
) {
  return affinity === revision && (untilMs === undefined || nowMs < untilMs);
}

/** Returns the place of a block's full hint; a block without a host has none. */
export function hintOf({ space, host, cidr }: Block) {
  return host === undefined ? undefined : { space, host, block: cidr };
}
