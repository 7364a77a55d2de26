import {
  type Block,
  isEmpty,
  isWhollyReserved,
  roomIn,
  type SlotRules,
} from "../../domain/block.ts";
import {
  cellAt,
  cellIndexOf,
  cellOf,
  cellOrder,
  isReservedCell,
} from "../../domain/block-group.ts";
import { type Cidr, contains, formatCidr } from "../../domain/cidr.ts";
import { claimableIn, isUsedUp } from "../../domain/claimable.ts";
import { shuffled } from "../../domain/fresh.ts";
import type { HostId } from "../../domain/host.ts";
import type { HostReserved } from "../../domain/host-reserved.ts";
import { LOOKS_PER_RANDOM_LOOK } from "../../domain/limits.ts";
import type { Pool } from "../../domain/pool.ts";
import type { Context } from "../core/context.ts";
import { asHint } from "../core/hint.ts";
import { allOf } from "../core/parallel.ts";
import { correctCell } from "./full-group-hint.ts";

/** What the host may do with what a look finds. */
export interface LookWish {
  readonly host: HostId;
  readonly rules: SlotRules;
  /** May it claim blocks, or take them over? Then the look ends with the first free one. */
  readonly claiming: boolean;
  /** What it would keep for itself in a block that it claims. */
  readonly hostReserved?: HostReserved | undefined;
  /** How many addresses it would borrow; 0 if it may not. */
  readonly borrowing: number;
  readonly blockMinAgeMs: number;
}

/** A pool as a request sees it, look after look. It is eventually consistent: conditional writes decide. */
export interface View {
  readonly pool: Pool;
  /** That of the turn of the request. */
  wish: LookWish;
  /** The cells that are called full: as read, and as the looks put it right. */
  readonly full: Set<bigint>;
  /** Cells that may hold blocks: those called full and those that looks came by, or all where the map was read. */
  readonly cells: Set<bigint>;
  isMapped: boolean;
  /** How many looks there were. */
  looks: number;
  /** Cells that have nothing for the host to claim: it looks for that in none of them again. */
  readonly vain: Set<bigint>;
  /** Cells whose blocks were seen. */
  readonly looked: Set<bigint>;
  /** Those of their blocks that are the pool's, and have room or are idle, by CIDR. */
  readonly seen: Map<string, Block>;
  /** Is there a cell not called full that the looks did not reach? Then nothing found does not mean nothing there. */
  bounded: boolean;
}

/** A range that the host may claim. */
export interface Free {
  readonly view: View;
  readonly index: bigint;
  readonly cidr: Cidr;
  /** Is it the last one of its cell? Then who claims it calls the cell full. */
  readonly isLast: boolean;
}

/**
 * Reads of a pool's map what the host needs. Who may claim looks first at the cells that are not called full, whatever they hold,
 * so the many that hold blocks are read only for who may not.
 */
export async function viewOf(context: Context, pool: Pool, wish: LookWish): Promise<View> {
  const { store } = context;
  const { space, id } = pool;
  const isMapped = !wish.claiming;
  const { cells, full } = isMapped
    ? await store.readPoolMap(space, id, { consistent: false })
    : await store.readFullCells(space, id).then((full) => ({ full, cells: full }));
  return {
    pool,
    wish,
    full: new Set(full),
    cells: new Set(cells),
    isMapped,
    looks: 0,
    vain: new Set(),
    looked: new Set(),
    seen: new Map(),
    bounded: false,
  };
}

/**
 * Looks for a free block in the cells that are not called full: in the host's own order, and every few looks at random. Cells
 * that turn out to be full are called so, and the looks go on. They ask for no more than where blocks stand.
 *
 * @param isSpent asked before each look, with the number of those that were in vain: are these all that the request may have?
 */
export async function findFree(
  context: Context,
  view: View,
  isSpent: (looks: number) => boolean,
): Promise<Free | undefined> {
  const { pool, wish, full, vain } = view;
  const { reserved } = wish.rules;
  const isPassed = (index: bigint) => full.has(index) || vain.has(index);
  const own = cellOrder(pool, wish.host, reserved, isPassed);
  let drawn: Generator<bigint> | undefined;
  let corrected: Promise<void> | undefined;
  for (let looks = 0; ; looks++) {
    const isRandom = looks % LOOKS_PER_RANDOM_LOOK === LOOKS_PER_RANDOM_LOOK - 1;
    if (isRandom) drawn ??= cellOrder(pool, String(context.random.fraction()), reserved, isPassed);
    const { value: index, done } = (isRandom && drawn ? drawn : own).next();
    view.bounded = !done && isSpent(looks);
    if (done || view.bounded) break;
    // The hint of one cell is put right while the next is looked at.
    const [{ free, correct }] = await allOf(lookForFree(context, view, index), corrected);
    corrected = correct();
    if (free) {
      await corrected;
      return free;
    }
  }
  await corrected;
  return undefined;
}

/**
 * Looks at cells where blocks stand, at random, whatever they are called: for a block to take over, for those that would lend,
 * and for a free one where a hint is wrong. It ends with the first that helps.
 */
export async function lookAround(
  context: Context,
  view: View,
  looksMax: number,
): Promise<Free | undefined> {
  const { pool, looked, wish } = view;
  const cells = shuffled([...view.cells], context.random).filter(
    (index) => !looked.has(index) && !isReservedCell(pool, index, wish.rules.reserved),
  );
  for (const index of cells.slice(0, looksMax)) {
    if (mayHelp(context, view)) break;
    const { free, correct } = await lookAt(context, view, index);
    await correct();
    if (free) return free;
  }
  return undefined;
}

/** Learns all cells that may hold blocks, for who may claim no more. */
export async function mapCells({ store }: Context, view: View): Promise<void> {
  const { space, id } = view.pool;
  const { cells } = await store.readPoolMap(space, id, { consistent: false });
  for (const index of cells) view.cells.add(index);
  view.isMapped = true;
}

/** What was seen of the cell of a block holds no more: it may be looked at again. */
export function lookAgainAt({ pool, looked, vain }: View, cidr: Cidr): void {
  const index = cellIndexOf(pool, cellOf(cidr));
  looked.delete(index);
  vain.delete(index);
}

interface Looked {
  readonly free?: Free;
  /** Puts the hint of the cell right. */
  correct(): Promise<void>;
}

/** Looks where blocks stand. */
async function lookForFree(context: Context, view: View, index: bigint): Promise<Looked> {
  const { space } = view.pool;
  view.looks++;
  return judged(
    context,
    view,
    index,
    await context.store.listStanding(space, cellAt(view.pool, index)),
  );
}

/** Looks at the blocks themselves. */
async function lookAt(context: Context, view: View, index: bigint): Promise<Looked> {
  const { pool, wish } = view;
  view.looks++;
  view.looked.add(index);
  const blocks = await blocksAt(context, pool, index);
  for (const block of blocks) {
    // One that a pool before this one left stands in the way, and serves nobody.
    const isOurs = block.poolId === pool.id;
    if (isOurs && (block.idleSinceMs !== undefined || roomIn(block, wish.rules) > 0))
      view.seen.set(formatCidr(block.cidr), block);
  }
  return judged(
    context,
    view,
    index,
    blocks.map(({ cidr }) => cidr),
  );
}

/** What may be claimed of a cell, by the blocks that stand there. */
function judged(context: Context, view: View, index: bigint, standing: readonly Cidr[]): Looked {
  const { pool, wish, full } = view;
  if (standing.length > 0) view.cells.add(index);
  const claimable = claimableIn(pool, index, standing, wish.rules.reserved);
  const hint = { isFull: claimable.length === 0, isCalledFull: full.has(index) };
  if (hint.isFull) full.add(index);
  else full.delete(index);
  const correct = () => asHint(() => correctCell(context, pool, index, hint));
  const free = wish.claiming ? claimable.filter((cidr) => isOfUse(cidr, wish)) : [];
  const [cidr] = shuffled(free, context.random);
  if (cidr) return { free: { view, index, cidr, isLast: claimable.length === 1 }, correct };
  if (wish.claiming) view.vain.add(index);
  return { correct };
}

async function blocksAt(context: Context, pool: Pool, index: bigint): Promise<Block[]> {
  const cell = cellAt(pool, index);
  const blocks = await context.store.lookAtCell(pool.space, cell, { consistent: false });
  return blocks.filter(({ cidr }) => contains(pool.cidr, { ...cidr, value: cidr.base }));
}

/** Is there nothing to claim in any cell, as far as the map says? */
export const seemsFull = ({ pool, full, wish }: View): boolean =>
  isUsedUp(pool, full, wish.rules.reserved);

/** How many cells were looked at, for what is free or for what is in them. */
export const cellsLookedAt = ({ looked, vain }: View): number => new Set([...looked, ...vain]).size;

/** Was every cell looked at that may have something for the host? Then nothing found means nothing there. */
export function isSeen({ pool, wish, cells, isMapped, full, looked, vain }: View): boolean {
  const { reserved } = wish.rules;
  const isPassed = (index: bigint) => full.has(index) || vain.has(index);
  const isKnown = wish.claiming
    ? cellOrder(pool, "", reserved, isPassed).next().done === true
    : isMapped;
  if (!isKnown) return false;
  return [...cells, ...full].every(
    (index) => looked.has(index) || isReservedCell(pool, index, reserved),
  );
}

/** Would the host get an address of a block, if it were its own? */
const isOfUse = (cidr: Cidr, { rules, hostReserved }: LookWish): boolean =>
  !isWhollyReserved(cidr, rules.reserved, hostReserved);

/** Does what was seen so far do for the host? */
export function mayHelp(context: Context, view: View): boolean {
  const { rules, borrowing } = view.wish;
  return (
    idleIn(context, view).length > 0 ||
    (borrowing > 0 && lendersIn(view).some((block) => roomIn(block, rules) >= borrowing))
  );
}

/** Empty blocks of others, seen idle and past their minimum age: these may be taken over. */
export function idleIn(context: Context, { seen, wish }: View): readonly Block[] {
  if (!wish.claiming) return [];
  return [...seen.values()].filter(
    (block) =>
      block.host !== wish.host &&
      block.idleSinceMs !== undefined &&
      isOfUse(block.cidr, wish) &&
      context.now() - block.claimedAtMs >= wish.blockMinAgeMs &&
      isEmpty(block, wish.rules),
  );
}

/** Blocks of others with room, the roomiest first. */
export function lendersIn({ seen, wish: { host, rules, borrowing } }: View): readonly Block[] {
  if (borrowing === 0) return [];
  return [...seen.values()]
    .filter((block) => block.host !== host)
    .map((block) => ({ block, room: roomIn(block, rules) }))
    .filter(({ room }) => room > 0)
    .sort((a, b) => b.room - a.room)
    .map(({ block }) => block);
}
