import { type Cidr, sizeOf } from "../../net/cidr.ts";
import { type Block, coolingTimesMs, isWhollyTaken, roomIn, takenIn } from "./block.ts";
import { freedIn, type LendingRules } from "./freed-by-time.ts";
import { FULL_KNOWN_MS_MAX } from "./limits.ts";

/**
 * A hint of what a full block group gives to a host without a block there: an address to borrow, or in a pool that lends none an idle
 * block. It may be wrong at any time, and decides nothing.
 */
export interface LendingHint {
  /** The time at which the group was read, in milliseconds since the epoch. */
  readonly atMs: number;
  /** The time from which on it has something: at once if this is `atMs`. Absent if time alone frees nothing. */
  readonly freeAtMs?: number;
  /** True if time alone may free something at a time that is not known. */
  readonly mayFree?: true;
}

/** Hints of neighbouring block groups of a pool, by the number of the group. `null` removes one. */
export interface LendingPage {
  readonly space: string;
  readonly poolId: string;
  readonly page: bigint;
  readonly hints: ReadonlyMap<bigint, LendingHint | null>;
}

/** The block groups of a page. A hint has about 20 bytes, so a page has about 3 KB. */
export const GROUPS_PER_LENDING_PAGE = 128n;

/** Returns the number of a block group, by which a release finds its hint without knowing the pool. */
export const numberOfGroup = (group: Cidr): bigint => group.base / sizeOf(group);

/** Returns the pages of hints, each of which is one write. */
export function lendingPages(
  { space, id: poolId }: { readonly space: string; readonly id: string },
  hints: ReadonlyMap<bigint, LendingHint | null>,
): readonly LendingPage[] {
  const pages = new Map<bigint, Map<bigint, LendingHint | null>>();
  for (const [number, hint] of hints) {
    const page = number / GROUPS_PER_LENDING_PAGE;
    const onPage = pages.get(page) ?? new Map<bigint, LendingHint | null>();
    pages.set(page, onPage.set(number, hint));
  }
  return [...pages].map(([page, hints]) => ({ space, poolId, page, hints }));
}

/**
 * Returns what a hint says now: that the group has something, that it has nothing, or nothing at all. That it has nothing is believed
 * for a limited time.
 */
export function lendingSaid(
  hint: LendingHint | null | undefined,
  nowMs: number,
): "open" | "unknown" | "shut" {
  if (!hint) return "unknown";
  if (hint.freeAtMs !== undefined && hint.freeAtMs <= Math.max(nowMs, hint.atMs)) return "open";
  return nowMs - hint.atMs < FULL_KNOWN_MS_MAX ? "shut" : "unknown";
}

/**
 * Returns the hint of a block group in which no block can be claimed, by all its blocks. Returns `null` if they do not tell: a block
 * could get room without a change of the hint.
 */
export function lendingIn(
  poolId: string,
  blocks: readonly Block[],
  by: LendingRules,
): LendingHint | null {
  const atMs = by.rules.nowMs;
  const all = blocks.map((block) =>
    block.unreadable || block.poolId !== poolId ? undefined : freedOf(block, by),
  );
  const known = all.filter((each) => each !== undefined);
  const freeAtMs = Math.min(Number.POSITIVE_INFINITY, ...known.map((each) => each.atMs));
  if (freeAtMs <= atMs) return { atMs, freeAtMs: atMs };
  if (known.length < all.length) return null;
  return {
    atMs,
    ...(Number.isFinite(freeAtMs) && { freeAtMs }),
    ...(known.some(({ more }) => more) && { mayFree: true }),
  };
}

/**
 * Returns when a block has something for others, `Infinity` if no time is known, and whether more may come free. Returns nothing if the
 * block does not tell.
 */
function freedOf(
  block: Block,
  by: LendingRules,
): { readonly atMs: number; readonly more: boolean } | undefined {
  const { rules, lends } = by;
  if (lends && roomIn(block, rules) > 0) return { atMs: rules.nowMs, more: false };
  const { atMs, more } = freedIn(block, { ...by, isOwn: false, claiming: true });
  // A block that nobody borrows from has something again when `reclaim` has marked it, and that writes the hint too.
  if (atMs.length === 0 && lends && !isNotedFull(block)) return undefined;
  return { atMs: Math.min(Number.POSITIVE_INFINITY, ...atMs), more };
}

/** Returns true if a release that makes room in a block changes the hint of its group. */
const isNotedFull = (block: Block): boolean =>
  block.fullWith !== undefined && takenIn(block) >= block.fullWith;

/** Returns true if a block has no room, and no note that would tell a release so. */
export const lacksNote = (block: Block, { rules, lends }: LendingRules): boolean =>
  !isNotedFull(block) &&
  roomIn(block, rules) === 0 &&
  (lends ? coolingTimesMs(block, rules).length === 0 : isWhollyTaken(block));
