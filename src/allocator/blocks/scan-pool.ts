import {
  type Block,
  isEmpty,
  isWhollyReserved,
  roomIn,
  type SlotRules,
} from "../../domain/block.ts";
import {
  groupAt,
  groupIndexOf,
  groupOf,
  groupOrder,
  isReservedGroup,
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
import { correctGroup } from "./full-group-hint.ts";

/** The actions that the host may take with the blocks that a scan finds. */
export interface ScanCriteria {
  readonly host: HostId;
  readonly rules: SlotRules;
  /** May it claim blocks, or take them over? Then the look ends with the first free one. */
  readonly claiming: boolean;
  /** The host-reserved addresses in a block that it would claim. */
  readonly hostReserved?: HostReserved | undefined;
  /** The number of addresses that it would borrow; 0 if it must not. */
  readonly borrowing: number;
  readonly blockMinAgeMs: number;
}

/** A pool as a request sees it, look after look. It is eventually consistent: conditional writes decide. */
export interface PoolScan {
  readonly pool: Pool;
  /** That of the turn of the request. */
  criteria: ScanCriteria;
  /** The block groups that are called full: as read, and as the looks put it right. */
  readonly full: Set<bigint>;
  /** Block groups that may hold blocks: those called full and those that looks came by, or all where the map was read. */
  readonly groups: Set<bigint>;
  isMapped: boolean;
  /** The number of scans. */
  looks: number;
  /** Block groups that have nothing for the host to claim: it looks for that in none of them again. */
  readonly vain: Set<bigint>;
  /** Block groups whose blocks were seen. */
  readonly scanned: Set<bigint>;
  /** Those of their blocks that are the pool's, and have room or are idle, by CIDR. */
  readonly seen: Map<string, Block>;
  /** Is there a block group not called full that the looks did not reach? Then nothing found does not mean nothing there. */
  bounded: boolean;
}

/** A range that the host may claim. */
export interface Free {
  readonly scan: PoolScan;
  readonly index: bigint;
  readonly cidr: Cidr;
  /** Is it the last one of its block group? Then who claims it calls the block group full. */
  readonly isLast: boolean;
}

/**
 * Reads what the host needs of the pool's block-group index. Who may claim looks first at the block groups that are not called full, whatever they hold,
 * so the many that hold blocks are read only for who may not.
 */
export async function scanOf(
  context: Context,
  pool: Pool,
  criteria: ScanCriteria,
): Promise<PoolScan> {
  const { store } = context;
  const { space, id } = pool;
  const isMapped = !criteria.claiming;
  const { groups, full } = isMapped
    ? await store.readBlockGroupIndex(space, id, { consistent: false })
    : await store.readFullGroups(space, id).then((full) => ({ full, groups: full }));
  return {
    pool,
    criteria,
    full: new Set(full),
    groups: new Set(groups),
    isMapped,
    looks: 0,
    vain: new Set(),
    scanned: new Set(),
    seen: new Map(),
    bounded: false,
  };
}

/**
 * Looks for a free block in the block groups that are not called full: in the host's own order, and every few looks at random. Block groups
 * that turn out to be full are called so, and the looks go on. They ask for no more than where blocks stand.
 *
 * @param isSpent asked before each look, with the number of those that were in vain: are these all that the request may have?
 */
export async function findFree(
  context: Context,
  scan: PoolScan,
  isSpent: (looks: number) => boolean,
): Promise<Free | undefined> {
  const { pool, criteria, full, vain } = scan;
  const { reserved } = criteria.rules;
  const isPassed = (index: bigint) => full.has(index) || vain.has(index);
  const own = groupOrder(pool, criteria.host, reserved, isPassed);
  let drawn: Generator<bigint> | undefined;
  let corrected: Promise<void> | undefined;
  for (let looks = 0; ; looks++) {
    const isRandom = looks % LOOKS_PER_RANDOM_LOOK === LOOKS_PER_RANDOM_LOOK - 1;
    if (isRandom) drawn ??= groupOrder(pool, String(context.random.fraction()), reserved, isPassed);
    const { value: index, done } = (isRandom && drawn ? drawn : own).next();
    scan.bounded = !done && isSpent(looks);
    if (done || scan.bounded) break;
    // The hint of one block group is put right while the next is looked at.
    const [{ free, correct }] = await allOf(scanForFree(context, scan, index), corrected);
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
 * Looks at block groups where blocks stand, at random, whatever they are called: for a block to seize, for those that would lend,
 * and for a free one where a hint is wrong. It ends with the first that helps.
 */
export async function scanAround(
  context: Context,
  scan: PoolScan,
  looksMax: number,
): Promise<Free | undefined> {
  const { pool, scanned, criteria } = scan;
  const groups = shuffled([...scan.groups], context.random).filter(
    (index) => !scanned.has(index) && !isReservedGroup(pool, index, criteria.rules.reserved),
  );
  for (const index of groups.slice(0, looksMax)) {
    if (mayHelp(context, scan)) break;
    const { free, correct } = await lookAt(context, scan, index);
    await correct();
    if (free) return free;
  }
  return undefined;
}

/** Learns all block groups that may hold blocks, for who may claim no more. */
export async function indexGroups({ store }: Context, scan: PoolScan): Promise<void> {
  const { space, id } = scan.pool;
  const { groups } = await store.readBlockGroupIndex(space, id, { consistent: false });
  for (const index of groups) scan.groups.add(index);
  scan.isMapped = true;
}

/** Forgets what was read of a block's group, so that it can be scanned again. */
export function scanAgainAt({ pool, scanned, vain }: PoolScan, cidr: Cidr): void {
  const index = groupIndexOf(pool, groupOf(cidr));
  scanned.delete(index);
  vain.delete(index);
}

interface Looked {
  readonly free?: Free;
  /** Puts the hint of the block group right. */
  correct(): Promise<void>;
}

/** Looks where blocks stand. */
async function scanForFree(context: Context, scan: PoolScan, index: bigint): Promise<Looked> {
  const { space } = scan.pool;
  scan.looks++;
  return judged(
    context,
    scan,
    index,
    await context.store.listBlockPlaces(space, groupAt(scan.pool, index)),
  );
}

/** Looks at the blocks themselves. */
async function lookAt(context: Context, scan: PoolScan, index: bigint): Promise<Looked> {
  const { pool, criteria } = scan;
  scan.looks++;
  scan.scanned.add(index);
  const blocks = await blocksAt(context, pool, index);
  for (const block of blocks) {
    // One that a pool before this one left stands in the way, and serves nobody.
    const isOurs = block.poolId === pool.id;
    if (isOurs && (block.idleSinceMs !== undefined || roomIn(block, criteria.rules) > 0))
      scan.seen.set(formatCidr(block.cidr), block);
  }
  return judged(
    context,
    scan,
    index,
    blocks.map(({ cidr }) => cidr),
  );
}

/** Returns the blocks of a group that can be claimed, by the blocks that exist there. */
function judged(context: Context, scan: PoolScan, index: bigint, current: readonly Cidr[]): Looked {
  const { pool, criteria, full } = scan;
  if (current.length > 0) scan.groups.add(index);
  const claimable = claimableIn(pool, index, current, criteria.rules.reserved);
  const hint = { isFull: claimable.length === 0, isCalledFull: full.has(index) };
  if (hint.isFull) full.add(index);
  else full.delete(index);
  const correct = () => asHint(() => correctGroup(context, pool, index, hint));
  const free = criteria.claiming ? claimable.filter((cidr) => isOfUse(cidr, criteria)) : [];
  const [cidr] = shuffled(free, context.random);
  if (cidr) return { free: { scan, index, cidr, isLast: claimable.length === 1 }, correct };
  if (criteria.claiming) scan.vain.add(index);
  return { correct };
}

async function blocksAt(context: Context, pool: Pool, index: bigint): Promise<Block[]> {
  const group = groupAt(pool, index);
  const blocks = await context.store.scanGroup(pool.space, group, { consistent: false });
  return blocks.filter(({ cidr }) => contains(pool.cidr, { ...cidr, value: cidr.base }));
}

/** Is there nothing to claim in any block group, as far as the map says? */
export const seemsFull = ({ pool, full, criteria }: PoolScan): boolean =>
  isUsedUp(pool, full, criteria.rules.reserved);

/** Returns the number of groups that were scanned, for free blocks or for their contents. */
export const groupsScanned = ({ scanned, vain }: PoolScan): number =>
  new Set([...scanned, ...vain]).size;

/** Was every block group looked at that may have something for the host? Then nothing found means nothing there. */
export function isSeen({
  pool,
  criteria,
  groups,
  isMapped,
  full,
  scanned,
  vain,
}: PoolScan): boolean {
  const { reserved } = criteria.rules;
  const isPassed = (index: bigint) => full.has(index) || vain.has(index);
  const isKnown = criteria.claiming
    ? groupOrder(pool, "", reserved, isPassed).next().done === true
    : isMapped;
  if (!isKnown) return false;
  return [...groups, ...full].every(
    (index) => scanned.has(index) || isReservedGroup(pool, index, reserved),
  );
}

/** Would the host get an address of a block, if it were its own? */
const isOfUse = (cidr: Cidr, { rules, hostReserved }: ScanCriteria): boolean =>
  !isWhollyReserved(cidr, rules.reserved, hostReserved);

/** Does what was seen so far do for the host? */
export function mayHelp(context: Context, scan: PoolScan): boolean {
  const { rules, borrowing } = scan.criteria;
  return (
    idleIn(context, scan).length > 0 ||
    (borrowing > 0 && borrowableIn(scan).some((block) => roomIn(block, rules) >= borrowing))
  );
}

/** Empty blocks of others, seen idle and past their minimum age: these may be seized. */
export function idleIn(context: Context, { seen, criteria }: PoolScan): readonly Block[] {
  if (!criteria.claiming) return [];
  return [...seen.values()].filter(
    (block) =>
      block.host !== criteria.host &&
      block.idleSinceMs !== undefined &&
      isOfUse(block.cidr, criteria) &&
      context.now() - block.claimedAtMs >= criteria.blockMinAgeMs &&
      isEmpty(block, criteria.rules),
  );
}

/** Blocks of others with room, the roomiest first. */
export function borrowableIn({
  seen,
  criteria: { host, rules, borrowing },
}: PoolScan): readonly Block[] {
  if (borrowing === 0) return [];
  return [...seen.values()]
    .filter((block) => block.host !== host)
    .map((block) => ({ block, room: roomIn(block, rules) }))
    .filter(({ room }) => room > 0)
    .sort((a, b) => b.room - a.room)
    .map(({ block }) => block);
}
