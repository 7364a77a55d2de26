import type { Cidr, Interval } from "../../net/cidr.ts";
import type { Pool } from "../../nouns/pool/pool.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import { type Block, isBelowNote, takenIn } from "../values/block.ts";
import { groupAt, groupCount, groupOf, groupOrder } from "../values/block-group.ts";
import type { FreedByTime, LendingRules } from "../values/freed-by-time.ts";
import {
  type LendingHint,
  type LendingPage,
  lacksNote,
  lendingIn,
  lendingPages,
  lendingSaid,
  numberOfGroup,
} from "../values/lending.ts";
import { FULL_KNOWN_MS_MAX, GROUP_SCANS_MAX } from "../values/limits.ts";

/** Full blocks of a group that one run of `reclaim` notes, all at once, because the writes that filled them did not. */
const FULL_NOTES_MAX = 8;

/*
 * A block group in which no block can be claimed has a hint of what it gives to a host without a block there. It may be wrong at any
 * time: it saves reads, and a conditional write decides about each address.
 */

/** The hints of a space's pools, as a request read them and corrected them. */
export class Lending {
  readonly #context: Context;
  readonly #hints = new Map<string, Map<bigint, LendingHint | null>>();

  constructor(context: Context, pages: readonly LendingPage[]) {
    this.#context = context;
    for (const { poolId, hints } of pages)
      for (const [number, hint] of hints) this.#of(poolId).set(number, hint);
  }

  /** Returns what is said of a block group of a pool. */
  saidOf(pool: Pool, index: bigint): "open" | "unknown" | "shut" {
    return lendingSaid(this.hintOf(pool, index), this.#context.now());
  }

  /** Returns when a block group has its turn: one that has something first, and of those that have nothing the oldest read. */
  turnOf(pool: Pool, index: bigint): number {
    const said = this.saidOf(pool, index);
    return said === "open" ? -1 : said === "shut" ? (this.hintOf(pool, index)?.atMs ?? 0) : 0;
  }

  hintOf(pool: Pool, index: bigint): LendingHint | null | undefined {
    return this.#hints.get(pool.id)?.get(numberOfGroup(groupAt(pool, index)));
  }

  /** Returns true if a block group of the pool has something, as far as is said. */
  isOpen({ id }: Pool): boolean {
    const nowMs = this.#context.now();
    return [...(this.#hints.get(id)?.values() ?? [])].some(
      (hint) => lendingSaid(hint, nowMs) === "open",
    );
  }

  /**
   * Returns true if every block group of a pool that is not reserved is said to have nothing, so that a read of the pool would tell
   * nothing new.
   */
  isShut(pool: Pool, reserved: readonly Interval[]): boolean {
    const isPassed = (index: bigint) => this.saidOf(pool, index) === "shut";
    return groupOrder(pool, "", reserved, isPassed).next().done === true;
  }

  /** Returns what time alone frees in the block groups of a pool, but for those that the request has read, as far as hints tell. */
  freedIn(pool: Pool, scanned: ReadonlySet<bigint>): FreedByTime {
    const read = new Set([...scanned].map((index) => numberOfGroup(groupAt(pool, index))));
    const hints = [...(this.#hints.get(pool.id) ?? [])].flatMap(([number, hint]) =>
      hint && !read.has(number) ? [hint] : [],
    );
    const nowMs = this.#context.now();
    // What a hint had before now may be gone.
    const atMs = hints.flatMap(({ freeAtMs = 0 }) => (freeAtMs > nowMs ? freeAtMs : []));
    const more = hints.some(({ freeAtMs, mayFree }) => freeAtMs !== undefined || mayFree);
    return { atMs, cooling: 0, more };
  }

  /**
   * Keeps what block groups of a pool were seen to have, and writes what was said otherwise, or long ago: one write for each page. What
   * was said after the group was read stays.
   */
  async correct(pool: Pool, seen: ReadonlyMap<bigint, LendingHint | null>): Promise<void> {
    const { store, now } = this.#context;
    const nowMs = now();
    const wrong = new Map<bigint, LendingHint | null>();
    for (const [index, hint] of seen) {
      const before = this.hintOf(pool, index);
      if (hint && before && before.atMs > hint.atMs) continue;
      const said = lendingSaid(hint, nowMs);
      const isOld = said === "shut" && nowMs - (before?.atMs ?? 0) > FULL_KNOWN_MS_MAX / 2;
      const number = numberOfGroup(groupAt(pool, index));
      if (isOld || lendingSaid(before, nowMs) !== said) wrong.set(number, hint);
      this.#of(pool.id).set(number, hint);
    }
    const pages = lendingPages(pool, wrong);
    await inParallel(pages, pages.length, (page) => store.noteLending(page));
  }

  #of(poolId: string): Map<bigint, LendingHint | null> {
    const hints = this.#hints.get(poolId) ?? new Map<bigint, LendingHint | null>();
    this.#hints.set(poolId, hints);
    return hints;
  }
}

/** Notes that the group of a block can lend, if the block was full before these ordinals were freed. */
export async function noteIfOpened(
  context: Context,
  block: Block,
  freed: readonly number[],
): Promise<void> {
  if (isBelowNote(block, freed))
    await noteOpen(context, { space: block.space, id: block.poolId }, groupOf(block.cidr));
}

/** Notes that a block group has something for a host without a block there. */
export async function noteOpen(
  { store, now }: Context,
  pool: Pick<Pool, "space" | "id">,
  group: Cidr,
): Promise<void> {
  const atMs = now();
  const hints = new Map([[numberOfGroup(group), { atMs, freeAtMs: atMs }]]);
  for (const page of lendingPages(pool, hints)) await store.noteLending(page);
}

/** Returns true if hints of what can be lent are worth a read: the pools have more block groups than a request reads anyway. */
export const needsLending = (pools: readonly Pool[]): boolean =>
  pools.length > 1 || pools.some((pool) => groupCount(pool) > BigInt(GROUP_SCANS_MAX));

/**
 * Returns the hint of a full block group by its blocks. It first notes some blocks that two callers filled together, so that a release
 * changes the hint. Later runs note the others.
 */
export async function lendingOfGroup(
  { store }: Context,
  pool: Pool,
  blocks: readonly Block[],
  by: LendingRules,
): Promise<LendingHint | null> {
  const first = lendingIn(pool.id, blocks, by);
  if (first) return first;
  const unnoted = blocks
    .filter((block) => !block.unreadable && block.poolId === pool.id && lacksNote(block, by))
    .slice(0, FULL_NOTES_MAX);
  const noted = await inParallel(unnoted, FULL_NOTES_MAX, async (seen) => {
    const note = await store.noteFull(seen, { fullWith: takenIn(seen) });
    return note.outcome === "done" ? note.item : seen;
  });
  const now = blocks.map((block) => noted[unnoted.indexOf(block)] ?? block);
  return lendingIn(pool.id, now, by);
}
