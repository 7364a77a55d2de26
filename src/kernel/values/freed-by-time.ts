import {
  type Block,
  coolingTimesMs,
  emptyAndOldAtMs,
  roomIn,
  type SlotRules,
  takenIn,
} from "./block.ts";
import type { HostReserved } from "./host.ts";

/** The time from when a block is empty until `reclaim` has marked it idle: two of its runs. A space of more than 4,000 block groups can take longer. */
const IDLE_MARK_MS_MAX = 120_000;

/**
 * The addresses that time alone frees for a request: cooldowns, quarantines and minimum ages end, and nobody renews a lease. A rejection is
 * retryable if they suffice (docs/decisions/125).
 */
export interface FreedByTime {
  /** The times at which an address can be assigned, in milliseconds since the epoch: one for each address, in any order. */
  readonly atMs: readonly number[];
  /** The number of addresses that cool. */
  readonly cooling: number;
  /** True if more may come free, at times that are not known. */
  readonly more: boolean;
}

export const NOTHING_FREED: FreedByTime = { atMs: [], cooling: 0, more: false };

/** The rules by which a pool gives addresses to hosts that have no block there. */
export interface LendingRules {
  readonly rules: SlotRules;
  /** True if hosts may borrow from blocks of others. */
  readonly lends: boolean;
  readonly blockMinAgeMs: number;
}

/** The rules by which a request uses a block that it has read. */
export interface UseRules extends LendingRules {
  /** True if the block is the host's own. */
  readonly isOwn: boolean;
  /** True if the host may claim blocks. */
  readonly claiming: boolean;
  /** The addresses that the host would reserve for itself in a block that it claims. */
  readonly hostReserved?: HostReserved | undefined;
}

/** Returns what time alone frees in a block without room for a request. */
export function freedIn(block: Block, by: UseRules): FreedByTime {
  if (block.unreadable) return NOTHING_FREED;
  const { rules, lends, isOwn, claiming, blockMinAgeMs, hostReserved } = by;
  const times = coolingTimesMs(block, rules);
  const isEmpty = takenIn(block) === 0;
  const isLeased = block.leased === true && !isEmpty;
  if (isOwn || lends) return { atMs: times, cooling: times.length, more: isLeased };
  if (!claiming) return NOTHING_FREED;
  const emptyAtMs = emptyAndOldAtMs(block, rules.cooldownMs, blockMinAgeMs);
  if (emptyAtMs === undefined) return { ...NOTHING_FREED, more: isLeased };
  // A host seizes a block that `reclaim` has marked idle, which it does once the block is empty.
  const emptiedMs = Math.max(rules.nowMs, ...times) + IDLE_MARK_MS_MAX;
  const atMs = Math.max(emptyAtMs, block.idleSinceMs ?? emptiedMs);
  const left = roomAnew(block, rules, hostReserved);
  return { atMs: Array<number>(left).fill(atMs), cooling: times.length, more: false };
}

/** Counts the addresses of a block that can be assigned once it is empty and claimed anew. */
function roomAnew(block: Block, rules: SlotRules, hostReserved: HostReserved | undefined): number {
  const { hostReserved: _, ...others } = block;
  return roomIn({ ...others, slots: new Map(), ...(hostReserved && { hostReserved }) }, rules);
}

/** The block that a host can have in place of one that it loses. */
export interface Replacement {
  /** The addresses that it would reserve for itself there. */
  readonly hostReserved: HostReserved | undefined;
  /** The addresses of the largest block that it may claim then, and may not before; 0 if it may claim one all the same. */
  readonly addressesMax: number;
}

/** Returns true if an empty block of a host, which goes with time, makes room for one with more addresses. */
export function givesRoom(block: Block, rules: SlotRules, replacement: Replacement): boolean {
  if (block.unreadable || takenIn(block) > 0) return false;
  const { hostReserved, addressesMax } = replacement;
  const anew = Math.max(addressesMax, roomAnew(block, rules, hostReserved));
  return anew > roomAnew(block, rules, block.hostReserved);
}

export const sumOfFreed = (all: readonly FreedByTime[]): FreedByTime => ({
  atMs: all.flatMap(({ atMs }) => atMs),
  cooling: all.reduce((sum, { cooling }) => sum + cooling, 0),
  more: all.some(({ more }) => more),
});

/**
 * Returns what time frees of blocks that a host has to claim or seize first, if it may have only so many more. Whichever it gets, they
 * have at least the room of the smallest: so a time that these give is kept. Larger ones may give more.
 *
 * @param blocks what each of the blocks has, in any order
 */
export function freedWithin(
  claimsMax: number,
  blocks: readonly FreedByTime[],
): readonly FreedByTime[] {
  const roomy = blocks.filter(({ atMs }) => atMs.length > 0);
  if (roomy.length <= claimsMax) return blocks;
  const sorted = roomy.toSorted(
    (a, b) => a.atMs.length - b.atMs.length || Math.min(...a.atMs) - Math.min(...b.atMs),
  );
  const kept = new Set(sorted.slice(0, claimsMax));
  const largest = sorted.at(-1)?.atMs.length ?? 0;
  return blocks.map((block) =>
    kept.has(block) || block.atMs.length === 0
      ? block
      : {
          ...block,
          atMs: [],
          more: block.more || [...kept].some(({ atMs }) => atMs.length < largest),
        },
  );
}

/** Returns when so many addresses are free, in milliseconds since the epoch; nothing if no time is known. */
export const freedAtMs = ({ atMs }: FreedByTime, count: number): number | undefined =>
  atMs.toSorted((a, b) => a - b)[count - 1];
