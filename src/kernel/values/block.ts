import type { Actor } from "../../base/actor.ts";
import { assertTexts, assertTimes } from "../../base/assertions.ts";
import { CLOCK_SKEW_MS_MAX } from "../../base/limits.ts";
import type { CorruptItemError } from "../../base/outcome.ts";
import type { Address } from "../../net/address.ts";
import {
  type Cidr,
  type Interval,
  includes,
  intervalOf,
  ordinalOf,
  sizeOf,
} from "../../net/cidr.ts";
import { assertBlockCharge, type BlockCharge } from "../../nouns/quota/block-charge.ts";
import { type Random, shuffled } from "./fresh.ts";
import {
  assertHostReserved,
  type HostId,
  type HostReserved,
  isHostReserved,
  leftBeside,
} from "./host.ts";
import { FULL_KNOWN_MS_MAX } from "./limits.ts";
import { isReleased, type ReleasedSlot, type Slot } from "./slot.ts";

/** A run of addresses with an affinity to one host or to none: the unit of compare-and-swap. */
export interface Block {
  readonly space: string;
  readonly cidr: Cidr;
  /** True if the block is a prefix of a pool of prefixes: it has one slot, 0, which stands for all its addresses. */
  readonly whole?: true;
  readonly pool: string;
  /**
   * The id of its pool, or of the subnet of its ranged pools. A pool and its successor can have the same name and range, but never
   * the same block.
   */
  readonly poolId: string;
  /** Absent if the block was disowned: its assignments stay valid, and the reclaim run deletes it after the last of them. */
  readonly host?: HostId;
  readonly claimedAtMs: number;
  /** The host-reserved addresses of the host that claimed it. */
  readonly hostReserved?: HostReserved;
  /** By ordinal; an ordinal without an entry is unused. */
  readonly slots: ReadonlyMap<number, Slot>;
  /** New at creation and at every fence, which makes all writes in flight fail (rule 1). */
  readonly epoch: string;
  /** New with every write that a deletion must not overlook. */
  readonly revision: string;
  /**
   * True if the host may have a hint that the block is full. The release that frees a slot of such a block removes the
   * hint.
   */
  readonly calledFull?: true;
  /**
   * The number of taken slots with which the block had no room. A release that goes below it tells others that the block can lend
   * again.
   */
  readonly fullWith?: number;
  /** True if an address of the block may have a lease. It stays until the block is empty, or has another host. */
  readonly leased?: true;
  /** The time when `reclaim` first saw the block empty; any assign removes it. */
  readonly idleSinceMs?: number;
  /** The quotas that count it; absent if none does. */
  readonly charge?: BlockCharge;
  /** The actor of the last write; absent if it was unknown. */
  readonly changedBy?: Actor;
  /**
   * The reason why its item cannot be read. The key gives its place. All other fields are made up
   * so that Plat does not claim its range, take its slots or delete it.
   */
  readonly unreadable?: CorruptItemError;
}

/**
 * Checks that a block has an epoch and a revision. Without them it would pass conditions that must fail. @throws
 * {Error}
 */
export function assertBlock(block: Block): void {
  const { cidr, pool, poolId, epoch, revision, claimedAtMs, idleSinceMs, slots } = block;
  assertTexts({ pool, poolId, epoch, revision });
  assertTimes(claimedAtMs, idleSinceMs);
  assertHostReserved(block);
  if (block.charge) assertBlockCharge(block.charge);
  if (block.whole && (block.host ?? block.hostReserved) !== undefined)
    throw new Error("it is a prefix, and it has a host");
  const capacity = capacityOf(block);
  const astray = [...slots.keys()].find((n) => !(Number.isInteger(n) && n >= 0 && n < capacity));
  if (astray !== undefined) throw new Error(`it has a slot ${astray}, of ${capacity}`);
  if (intervalOf(cidr).first !== cidr.base) throw new Error("it does not begin where it should");
}

/** The rules that decide whether a slot can be assigned. */
export interface SlotRules {
  readonly nowMs: number;
  readonly cooldownMs: number;
  /** Runs that automatic assignment leaves out; merged, so that no two of them touch. */
  readonly reserved: readonly Interval[];
}

/**
 * Returns true if a released slot can be assigned again: once its time is over on every clock, or immediately without a
 * cooldown and a quarantine.
 */
export function isCooled(
  slot: ReleasedSlot,
  { nowMs, cooldownMs }: Pick<SlotRules, "nowMs" | "cooldownMs">,
): boolean {
  return untilMs(slot, cooldownMs) === slot.sinceMs || nowMs >= cooledAtMs(slot, cooldownMs);
}

/** Returns when a released slot can be assigned again, on the slowest clock. */
export function cooledAtMs(slot: ReleasedSlot, cooldownMs: number): number {
  return untilMs(slot, cooldownMs) + CLOCK_SKEW_MS_MAX;
}

/**
 * Returns the time before which nobody gets a released slot, on any clock: the end of the cooldown, or that of a
 * quarantine that is longer.
 */
export function untilMs(slot: ReleasedSlot, cooldownMs: number): number {
  const quarantineMs = slot.kind === "quarantined" ? 1000 * slot.seconds : 0;
  return slot.sinceMs + Math.max(quarantineMs, cooldownMs);
}

/**
 * Chooses up to `count` ordinals to assign: first unused ones, then some of the half that cooled longest, so that reuse
 * is late. Both choices are random, because parallel callers that all took the oldest would conflict every time.
 *
 * @param how.isRetry true if another caller took the earlier choice. All parallel callers choose from the older half and
 *   would conflict there again, so any cooled slot will do
 */
export function chooseOrdinals(
  block: Block,
  count: number,
  rules: SlotRules,
  random: Random,
  { isRetry = false }: { readonly isRetry?: boolean } = {},
): number[] {
  const keptOut = keptOutOf(block, rules);
  const capacity = capacityOf(block);
  const unused: number[] = [];
  const cooled: { ordinal: number; sinceMs: number }[] = [];
  for (let ordinal = 0; ordinal < capacity; ordinal++) {
    if (keptOut(ordinal)) continue;
    const slot = block.slots.get(ordinal);
    if (slot === undefined) unused.push(ordinal);
    else if (isReleased(slot) && isCooled(slot, rules))
      cooled.push({ ordinal, sinceMs: slot.sinceMs });
  }
  const oldestFirst = cooled.sort((a, b) => a.sinceMs - b.sinceMs).map(({ ordinal }) => ordinal);
  const late = isRetry ? oldestFirst.length : Math.ceil(oldestFirst.length / 2);
  const oldest = oldestFirst.slice(0, Math.max(late, count - unused.length));
  return [...shuffled(unused, random), ...shuffled(oldest, random)].slice(0, count);
}

/** Returns the block with these slots taken under a token that no allocation has. */
export function withTaken(block: Block, ordinals: readonly number[]): Block {
  const slots = new Map(block.slots);
  for (const ordinal of ordinals) slots.set(ordinal, { kind: "taken", token: "", handleHash: "" });
  return { ...block, slots };
}

/** Counts the addresses that can be assigned now. */
export function roomIn(block: Block, rules: SlotRules): number {
  const keptOut = keptOutOf(block, rules);
  const capacity = capacityOf(block);
  let room = 0;
  for (let ordinal = 0; ordinal < capacity; ordinal++) {
    const slot = block.slots.get(ordinal);
    const free = !slot || (isReleased(slot) && isCooled(slot, rules));
    if (free && !keptOut(ordinal)) room++;
  }
  return room;
}

/**
 * Returns until when a block without room stays so if no address is released: `Infinity` if all is
 * taken. Released slots have a known time. An operator can free reserved ones at any moment, so
 * neither is relied on for long.
 *
 * @returns milliseconds since the epoch; nothing if the block has room
 */
export function roomlessUntilMs(block: Block, rules: SlotRules): number | undefined {
  if (roomIn(block, rules) > 0) return undefined;
  if (isWhollyTaken(block)) return Number.POSITIVE_INFINITY;
  const cooledAt = [...block.slots.values()]
    .map((slot) => (isReleased(slot) ? cooledAtMs(slot, rules.cooldownMs) : 0))
    .filter((atMs) => atMs > rules.nowMs);
  return Math.min(rules.nowMs + FULL_KNOWN_MS_MAX, ...cooledAt);
}

/** Returns when each released address of a block that cools can be assigned, in milliseconds since the epoch. */
export function coolingTimesMs(block: Block, rules: SlotRules): readonly number[] {
  const keptOut = keptOutOf(block, rules);
  return [...block.slots].flatMap(([ordinal, slot]) =>
    isReleased(slot) && !isCooled(slot, rules) && !keptOut(ordinal)
      ? [cooledAtMs(slot, rules.cooldownMs)]
      : [],
  );
}

/** Returns true if every address is taken or host-reserved. Addresses in `freed` count as taken. */
export function isWhollyTaken(block: Block, freed: readonly number[] = []): boolean {
  const kept = block.hostReserved ? block.hostReserved.start + block.hostReserved.end : 0;
  const taken = takenIn(block) + freed.length;
  return taken >= capacityOf(block) - kept;
}

/**
 * Returns the number of slots that are still to be taken until a block is wholly taken, and how many are taken then. A block without
 * a host, and a prefix, are lent by no hint.
 */
export function fillingOf(block: Block): Filling | undefined {
  if (block.host === undefined || block.whole) return undefined;
  const { start, end } = block.hostReserved ?? { start: 0, end: 0 };
  const takenMax = capacityOf(block) - start - end;
  return { takenMax, left: takenMax - takenIn(block) };
}

/** The distance of a block from being wholly taken. */
export interface Filling {
  readonly takenMax: number;
  readonly left: number;
}

/** Returns true if a block was full, as its note says, before these ordinals were freed, and is not any more. */
export const isBelowNote = (block: Block, freed: readonly number[]): boolean => {
  if (block.fullWith === undefined) return false;
  const taken = takenIn(block);
  return taken < block.fullWith && taken + freed.length >= block.fullWith;
};

/** Returns the ordinals that are taken under a token. */
export function takenUnder(block: Block | undefined, token: string): number[] {
  const taken: number[] = [];
  for (const [ordinal, slot] of block?.slots ?? [])
    if (slot.kind === "taken" && slot.token === token) taken.push(ordinal);
  return taken;
}

/** Counts the assigned addresses; a slot that cannot be read counts as assigned. */
export function takenIn({ slots }: Block): number {
  let taken = 0;
  for (const slot of slots.values()) if (!isReleased(slot)) taken++;
  return taken;
}

/** Counts the released addresses that cannot be assigned again yet, quarantined ones too. */
export function coolingIn(block: Block, nowMs: number, cooldownMs: number): number {
  return [...block.slots.values()].filter(
    (slot) => isReleased(slot) && !isCooled(slot, { nowMs, cooldownMs }),
  ).length;
}

/**
 * Returns when a block without taken slots has cooled and reached its minimum age, in milliseconds since the epoch.
 * Returns nothing if a slot is taken.
 */
export function emptyAndOldAtMs(
  block: Block,
  cooldownMs: number,
  minAgeMs: number,
): number | undefined {
  if (takenIn(block) > 0) return undefined;
  const cooledAt = [...block.slots.values()].map((slot) =>
    isReleased(slot) && untilMs(slot, cooldownMs) > slot.sinceMs ? cooledAtMs(slot, cooldownMs) : 0,
  );
  return Math.max(block.claimedAtMs + minAgeMs, ...cooledAt);
}

/** Returns true if a block may go by time alone: reclaim deletes one of which nothing is taken, and a lease that nobody renews ends. */
export const mayGo = (block: Block): boolean => takenIn(block) === 0 || block.leased === true;

/** Returns true if nothing is taken, cools or is quarantined: the block can be deleted, whatever its host reserves in it. */
export function isEmpty(block: Block, rules: Omit<SlotRules, "reserved">): boolean {
  return [...block.slots.values()].every((slot) => isReleased(slot) && isCooled(slot, rules));
}

/** Returns the slot of an address in a block, if it has one: that of the whole prefix for each address of a prefix. */
export const slotAt = (
  block: Pick<Block, "cidr" | "whole" | "slots"> | undefined,
  address: Address,
): Slot | undefined => block?.slots.get(block.whole ? 0 : ordinalOf(block.cidr, address));

/** Returns the number of slots of a block: one for each address, or one for a prefix as a whole. */
export function capacityOf({ cidr, whole }: Pick<Block, "cidr" | "whole">): number {
  return whole ? 1 : Number(sizeOf(cidr));
}

/**
 * Returns true if every address of a network is reserved, not counting those that its host would keep. Such a block is
 * never claimed. It computes with runs and enumerates nothing.
 */
export function isWhollyReserved(
  cidr: Cidr,
  reserved: readonly Interval[],
  hostReserved?: HostReserved,
): boolean {
  const left = leftBeside(cidr, hostReserved);
  return reserved.some((run) => includes(run, left));
}

/** Returns the ordinals that automatic assignment leaves out: reserved by an operator or by the host. */
function keptOutOf(block: Block, rules: SlotRules) {
  const reserved = reservedOrdinals(block, rules.reserved);
  return (ordinal: number) => isHostReserved(block, ordinal) || reserved(ordinal);
}

/** Returns the ordinals of a block that are in a reservation. */
export function reservedOrdinals(block: Pick<Block, "cidr">, reserved: readonly Interval[]) {
  const { family, first, last } = intervalOf(block.cidr);
  const runs = reserved
    .filter((r) => r.family === family && r.first <= last && r.last >= first)
    .map((r) => [Number(r.first - first), Number(r.last - first)] as const);
  return (ordinal: number) => runs.some(([from, to]) => from <= ordinal && ordinal <= to);
}
