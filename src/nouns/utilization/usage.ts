import {
  type Block,
  capacityOf,
  isCooled,
  reservedOrdinals,
  type SlotRules,
} from "../../kernel/values/block.ts";
import { isHostReserved } from "../../kernel/values/host.ts";
import { type CountedSlot, isReleased } from "../../kernel/values/slot.ts";
import { type AddressSet, countOf, sharedBy } from "../../net/address-set.ts";
import type { Interval } from "../../net/cidr.ts";

/**
 * The counts of addresses of a block or a pool by state, or of prefixes. Each address counts once, so the five add up to the capacity.
 * A taken address is in use, reserved or not. A host-reserved one is host-reserved. Any other reserved one is reserved,
 * cooling or not. (Calico counts an address that is in use and reserved under both, and host-reserved ones as in use.)
 */
export interface Usage {
  readonly capacity: bigint;
  readonly inUse: bigint;
  /** Reserved by hosts for themselves. */
  readonly hostReserved: bigint;
  readonly reserved: bigint;
  /** Released, and not to be assigned yet: in its cooldown or in quarantine. */
  readonly cooling: bigint;
  /** Can be assigned now, automatically. */
  readonly available: bigint;
}

export const NO_USAGE: Usage = {
  capacity: 0n,
  inUse: 0n,
  hostReserved: 0n,
  reserved: 0n,
  cooling: 0n,
  available: 0n,
};

/** Returns what a function makes of each count, and nothing else that the value has. */
export const eachCount = <T>(usage: Usage, of: (count: bigint) => T) =>
  Object.fromEntries(
    Object.keys(NO_USAGE).map((name) => [name, of(usage[name as keyof Usage])]),
  ) as Record<keyof Usage, T>;

/** The part of a block that a count needs. */
export interface CountedBlock
  extends Pick<Block, "cidr" | "whole" | "hostReserved" | "unreadable"> {
  readonly slots: { get(ordinal: number): CountedSlot | undefined };
}

/**
 * Counts the addresses of a block by state. Unreadable slots and blocks are never assigned, and count as in use.
 *
 * @param within counts only the addresses of this set; absent: all
 */
export function usageOf(block: CountedBlock, rules: SlotRules, within?: AddressSet): Usage {
  const isReserved = reservedOrdinals(block, rules.reserved);
  const isCounted = within ? reservedOrdinals(block, within) : () => true;
  const slots = capacityOf(block);
  let [capacity, inUse, hostReserved, reserved, cooling] = [0, 0, 0, 0, 0];
  for (let ordinal = 0; ordinal < slots; ordinal++) {
    if (!isCounted(ordinal)) continue;
    capacity++;
    const slot = block.slots.get(ordinal);
    if (block.unreadable || (slot && !isReleased(slot))) inUse++;
    else if (isHostReserved(block, ordinal)) hostReserved++;
    else if (isReserved(ordinal)) reserved++;
    else if (slot && !isCooled(slot, rules)) cooling++;
  }
  return {
    capacity: BigInt(capacity),
    inUse: BigInt(inUse),
    hostReserved: BigInt(hostReserved),
    reserved: BigInt(reserved),
    cooling: BigInt(cooling),
    available: BigInt(capacity - inUse - hostReserved - reserved - cooling),
  };
}

/**
 * Counts the addresses of a pool outside of blocks. Reservations and the set may have changed since the blocks were counted. Then the
 * pool has none outside if more are in blocks than in the set, and the reserved ones are at most as many as are left. So the sums
 * always hold.
 *
 * @param set the addresses of the pool
 * @param inBlocks how many addresses lie in blocks, and how many of these are in a reservation; of prefixes, how many prefixes
 * @param slotSize the number of addresses that count as one
 */
export function usageOutsideBlocks(
  set: AddressSet,
  reserved: readonly Interval[],
  inBlocks: { readonly capacity: bigint; readonly reserved: bigint },
  slotSize = 1n,
): Usage {
  const rest = countOf(set) / slotSize - inBlocks.capacity;
  const capacity = rest < 0n ? 0n : rest;
  const left = countOf(sharedBy(set, reserved)) / slotSize - inBlocks.reserved;
  const kept = left < 0n ? 0n : left > capacity ? capacity : left;
  return { ...NO_USAGE, capacity, reserved: kept, available: capacity - kept };
}

export function sumOf(a: Usage, b: Usage): Usage {
  return {
    capacity: a.capacity + b.capacity,
    inUse: a.inUse + b.inUse,
    hostReserved: a.hostReserved + b.hostReserved,
    reserved: a.reserved + b.reserved,
    cooling: a.cooling + b.cooling,
    available: a.available + b.available,
  };
}

/** A block as a map shows it: its place, its host, and the states of its addresses. */
export type MappedBlock = Pick<Block, "space" | "poolId" | "host"> & CountedBlock;
