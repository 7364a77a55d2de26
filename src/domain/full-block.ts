import type { BlockAffinity } from "./affinity.ts";
import type { Block } from "./block.ts";
import type { Cidr } from "./cidr.ts";
import type { HostId } from "./host.ts";

/**
 * A block of a host that is called full. It is a hint, which may be wrong at any time: it saves the host the reading of the
 * block, and decides nothing.
 */
export interface FullBlock {
  readonly space: string;
  readonly host: HostId;
  readonly block: Cidr;
  /** The revision of the host's affinity of the block. The hint has no meaning under another revision. */
  readonly affinity: string;
  /** The time when a slot may have cooled, in milliseconds since the epoch; absent if all slots are taken. */
  readonly untilMs?: number;
}

/** The places of a host, and which of the blocks there are called full. */
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
