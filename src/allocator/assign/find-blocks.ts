import { type AffinityRow, rowsFor } from "../../domain/affinity.ts";
import type { Block } from "../../domain/block.ts";
import { formatCidr, sameCidr } from "../../domain/cidr.ts";
import { isShut } from "../../domain/closed-by-reservations.ts";
import type { FullPool } from "../../domain/contents.ts";
import { shuffled } from "../../domain/fresh.ts";
import {
  CELL_LOOKS_MAX,
  CELL_LOOKS_OF_POOLS_MAX,
  CELLS_SEARCHED_MAX,
  POOLS_CALLED_FULL_AT_ONCE,
  POOLS_DRAWN_MAX,
  POOLS_TRIED_MAX,
  SEARCH_MS_MAX,
} from "../../domain/limits.ts";
import type { Pool } from "../../domain/pool.ts";
import { claimBlock, takeOver } from "../blocks/claim-block.ts";
import { callFull, isBelievedFull } from "../blocks/full-group-hint.ts";
import {
  type Free,
  findFree,
  idleIn,
  type LookWish,
  lookAgainAt,
  lookAround,
  mapCells,
  mayHelp,
  seemsFull,
  type View,
  viewOf,
} from "../blocks/scan-pool.ts";
import { slotRules } from "../blocks/slot-rules.ts";
import type { Context } from "../core/context.ts";
import { asHint } from "../core/hint.ts";
import { allOf, inParallel } from "../core/parallel.ts";
import type { Wish } from "./selection.ts";

/** What a request has seen so far: it goes to no cell again where there was nothing for it. */
export interface Sight {
  readonly untilMs: number;
  /** The pools that were tried, by their ids. */
  readonly views: Map<string, View>;
  /** The pools of the space that are called full, by their ids; read when the first pool has nothing. */
  hints?: Map<string, FullPool>;
  /** The pools to try after the first, in this order. */
  others?: readonly Pool[];
}

export const sightOf = (context: Context): Sight => ({
  untilMs: context.now() + SEARCH_MS_MAX,
  views: new Map(),
});

/** What the search for a block came to. */
export type Search =
  | { readonly kind: "ours"; readonly block: Block }
  /** Another was faster: look again. */
  | { readonly kind: "lost" }
  | Nothing;

/** There is no block to claim. */
export interface Nothing {
  readonly kind: "none";
  /** What was seen of the pools that were tried. */
  readonly views: readonly View[];
  /** How many pools could have helped. */
  readonly poolsServing: number;
  /** How many blocks of the family the host has already. */
  readonly blocks: number;
  readonly capped: boolean;
}

/**
 * A block of its own for the host, if it may have one more: a free one, or an empty one of another past its minimum age.
 *
 * @param missing how many addresses it would borrow where there is none; 0 where only a block of its own will do
 * @param sight what earlier turns of the same request have seen
 */
export async function claimAnyBlock(
  context: Context,
  wish: Wish,
  rows: readonly AffinityRow[],
  missing: number,
  sight: Sight,
): Promise<Search> {
  const { settings } = wish.configuration;
  // As in Calico: what stands in pools that do not serve the request takes nothing from its cap.
  const blocks = rowsFor(wish.pools, rows).length;
  const capped = blocks >= wish.blocksMax;
  const claiming = settings.autoAllocateBlocks && !capped;
  const borrowing = ({ borrowing }: Pool) =>
    !settings.strictAffinity && borrowing === "allowed" ? missing : 0;
  const turn: Turn = {
    context,
    wish,
    sight,
    pools: wish.pools.filter(
      (pool) => (claiming || borrowing(pool) > 0) && !isShut(pool, wish.configuration),
    ),
    lookWish: (pool) => ({
      host: wish.host,
      rules: slotRules(context, wish.configuration, pool),
      claiming,
      hostReserved: wish.hostReserved,
      borrowing: borrowing(pool),
      blockMinAgeMs: 1000 * settings.blockMinAgeSeconds,
    }),
  };
  for (const view of sight.views.values()) view.wish = turn.lookWish(view.pool);
  const free = (claiming && (await freeInOrder(turn))) || (await freeAround(turn));
  const [claimed] = await allOf(
    free ? claimFree(turn, rows, free) : undefined,
    asHint(() => callPoolsFull(turn)),
  );
  if (claimed) return claimed;
  const views = turn.pools.flatMap(({ id }) => sight.views.get(id) ?? []);
  let isLost = false;
  for (const view of views)
    for (const seen of idleIn(context, view)) {
      const block = await takeOver(context, view.pool, wish.host, rows, seen, wish.hostReserved);
      // Whatever became of it, it is not as it was seen.
      view.seen.delete(formatCidr(seen.cidr));
      if (block) {
        context.memory.remember(block);
        return { kind: "ours", block };
      }
      isLost = true;
      lookAgainAt(view, seen.cidr);
    }
  // It may have gone, and its range be free: a refusal must not rest on how it was seen.
  if (isLost) return { kind: "lost" };
  return { kind: "none", views, poolsServing: turn.pools.length, blocks, capped };
}

/** One turn of a search: a request has several where others are faster, or where one block does not do. */
interface Turn {
  readonly context: Context;
  readonly wish: Wish;
  readonly sight: Sight;
  /** The pools that could help. */
  readonly pools: readonly Pool[];
  lookWish(pool: Pool): LookWish;
}

/** Is it too late to look at one more cell, or pool? The first of each is looked at in any case, also anew. */
const isLate = ({ context, sight }: Turn): boolean =>
  context.now() > sight.untilMs &&
  (sight.views.size > 1 ||
    [...sight.views.values()].some(({ looked, vain }) => looked.size + vain.size > 0));

async function viewAt({ context, sight, lookWish }: Turn, pool: Pool): Promise<View> {
  const view = sight.views.get(pool.id) ?? (await viewOf(context, pool, lookWish(pool)));
  sight.views.set(pool.id, view);
  if (!view.wish.claiming && !view.isMapped) await mapCells(context, view);
  return view;
}

/** A free block of the first pool that has one, as far as the hints say. */
async function freeInOrder(turn: Turn): Promise<Free | undefined> {
  const { context, sight, pools } = turn;
  const triesMax = Math.min(pools.length, POOLS_TRIED_MAX);
  for await (const pool of poolsInOrder(turn)) {
    if (isLate(turn)) break;
    const view = await viewAt(turn, pool);
    // Cells of one pool that are of no use to this host, and not full, must not keep it from all other pools.
    const left = CELLS_SEARCHED_MAX - vainLooks(sight);
    const share = sight.views.size === triesMax ? left : Math.ceil(left / 2);
    const isSpent = (looks: number) => isLate(turn) || looks >= Math.max(1, share);
    const free = await findFree(context, view, isSpent);
    if (free) return free;
  }
  return undefined;
}

const vainLooks = ({ views }: Sight): number =>
  [...views.values()].reduce((sum, { vain }) => sum + vain.size, 0);

/**
 * The first pool; then, in order, those that are not called full, the last few of them at random: pools that are not full, and
 * of no use to this host, must not keep it from those after them.
 */
async function* poolsInOrder(turn: Turn): AsyncGenerator<Pool> {
  const { context, wish, sight, pools } = turn;
  const [first, ...others] = pools;
  if (first) yield first;
  if (others.length === 0) return;
  if (!sight.others) {
    const hints = await context.store.listFullPools(wish.space);
    sight.hints = new Map(hints.map((hint) => [hint.poolId, hint]));
    const open = others.filter((pool) => !isCalledFull(turn, pool));
    const inOrder = POOLS_TRIED_MAX - POOLS_DRAWN_MAX;
    const drawn = shuffled(open.slice(inOrder), context.random);
    sight.others = [...open.slice(0, inOrder), ...drawn].slice(0, POOLS_TRIED_MAX - 1);
  }
  yield* sight.others;
}

const isCalledFull = ({ sight, wish }: Turn, pool: Pool): boolean =>
  isBelievedFull(pool, sight.hints?.get(pool.id), wish.configuration.reserved);

/**
 * Where nothing is believed free no hint is believed: looks at random, in the pools that were tried and then in others, until
 * one helps. Of others those cells come first that are not called full: the hint of a pool may be wrong where theirs are right.
 */
async function freeAround(turn: Turn): Promise<Free | undefined> {
  const { context, sight, pools } = turn;
  const tried = pools.filter(({ id }) => sight.views.has(id));
  const [first, ...others] = pools.filter(({ id }) => !sight.views.has(id));
  const untried = first && tried.length === 0 ? [first] : [];
  const drawn = shuffled(first && tried.length > 0 ? [first, ...others] : others, context.random);
  let left = CELL_LOOKS_OF_POOLS_MAX;
  for (const pool of [...tried, ...untried, ...drawn]) {
    const isKnown = sight.views.has(pool.id);
    if (isLate(turn) || left <= 0 || (!isKnown && sight.views.size >= POOLS_TRIED_MAX)) break;
    const view = await viewAt(turn, pool);
    const before = view.looks;
    const looksMax = Math.min(CELL_LOOKS_MAX, left);
    const isPassedBy = view.wish.claiming && (!isKnown || isCalledFull(turn, pool));
    const isSpent = (looks: number) => isLate(turn) || looks >= looksMax;
    const free =
      (isPassedBy && (await findFree(context, view, isSpent))) ||
      (await lookAround(context, view, looksMax - (view.looks - before)));
    left -= view.looks - before;
    if (free || mayHelp(context, view)) return free;
  }
  return undefined;
}

async function claimFree(
  { context, wish }: Turn,
  rows: readonly AffinityRow[],
  { view, index, cidr, isLast }: Free,
): Promise<Search> {
  const { pool } = view;
  const claim = await claimBlock(context, pool, wish.host, rows, cidr, wish.hostReserved);
  // Who lost looks again: of hosts that start together, a fresh look parts the losers, an old one lets them meet again.
  if (claim.kind !== "ours") return { kind: "lost" };
  context.memory.remember(claim.block);
  if (isLast && sameCidr(claim.block.cidr, cidr)) {
    await asHint(() => context.store.markFull(pool.space, pool.id, index));
    view.full.add(index);
  }
  return claim;
}

/** Calls the pools full that were found so. Where one pool serves nobody asks for its hint. */
async function callPoolsFull(turn: Turn): Promise<void> {
  const { context, wish, sight } = turn;
  const { hints } = sight;
  if (!hints) return;
  const { reserved } = wish.configuration;
  const found = [...sight.views.values()].filter(
    (view) => view.wish.claiming && !isCalledFull(turn, view.pool) && seemsFull(view),
  );
  await inParallel(found, POOLS_CALLED_FULL_AT_ONCE, async ({ pool }) =>
    hints.set(pool.id, await callFull(context, pool, reserved)),
  );
}
