import { GROUPS_SEARCHED_MAX } from "../../base/limits.ts";
import type { Rejection } from "../../base/outcome.ts";
import type { FullPool } from "../../invariants/contents.ts";
import { formatCidr, sameCidr } from "../../net/cidr.ts";
import type { Pool } from "../../nouns/pool/pool.ts";
import { reservedFor } from "../../nouns/pool/set.ts";
import { isShut } from "../../selection/closed-by-reservations.ts";
import { type Claimant, claimBlock, seizeBlock } from "../blocks/claim-block.ts";
import { callFull, isBelievedFull } from "../blocks/full-group-hint.ts";
import { Lending, needsLending } from "../blocks/lending-hint.ts";
import {
  type Free,
  findFree,
  idleIn,
  indexGroups,
  isLent,
  mayHelp,
  type PoolScan,
  type ScanCriteria,
  scanAgainAt,
  scanAround,
  scanOf,
  seemsFull,
} from "../blocks/scan-pool.ts";
import { asHint } from "../core/bounded-work.ts";
import { slotRules } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { awaitAll, inParallel } from "../core/parallel.ts";
import { ClaimCharge, withClaimCharge } from "../quotas/claim-charge.ts";
import { affinitiesFor, type BlockAffinity } from "../values/affinity.ts";
import type { Block } from "../values/block.ts";
import {
  type FreedByTime,
  freedWithin,
  NOTHING_FREED,
  sumOfFreed,
} from "../values/freed-by-time.ts";
import { shuffled } from "../values/fresh.ts";
import { GROUP_SCANS_MAX, POOLS_CALLED_FULL_AT_ONCE, SEARCH_MS_MAX } from "../values/limits.ts";
import type { FamilyRequest } from "./selection.ts";

/** The same over all pools of a request. */
const GROUP_SCANS_OF_POOLS_MAX = 8;
/** Pools whose maps a request reads, one after the other. */
export const POOLS_TRIED_MAX = 64;
/** The last ones of these are drawn at random from all other pools. */
const POOLS_DRAWN_MAX = 16;

/** The scans of a request so far. It does not return to a block group without room for it. */
export interface PoolScans {
  readonly untilMs: number;
  /** The pools that were tried, by their ids. */
  readonly scans: Map<string, PoolScan>;
  /** The hints of full pools of the space, by their ids. They are read if the first pool has nothing. */
  hints?: Map<string, FullPool>;
  /** The hints of what can be lent. They are read if nothing can be claimed. */
  lending?: Lending;
  /** The pools to try after the first, in this order. */
  others?: readonly Pool[];
}

export const poolScansOf = (context: Context): PoolScans => ({
  untilMs: context.now() + SEARCH_MS_MAX,
  scans: new Map(),
});

/** The result of the search for a block. */
export type Search =
  | { readonly kind: "ours"; readonly block: Block }
  /** Another caller was faster: search again. */
  | { readonly kind: "lost" }
  | Nothing;

/** The search found no block to claim. */
export interface Nothing {
  readonly kind: "none";
  /** The scans of the pools that were tried. */
  readonly scans: readonly PoolScan[];
  /** The number of pools that could have served. */
  readonly poolsServing: number;
  /** The number of those that were not tried, and that hints do not tell of. */
  readonly poolsUnread: number;
  /** The number of blocks of the family that the host has. */
  readonly blocks: number;
  readonly capped: boolean;
  /** The addresses that time alone frees in blocks of others, by the id of the pool. */
  readonly freed: ReadonlyMap<string, FreedByTime>;
  /** The rejection of a quota that allows no more blocks. */
  readonly refused?: Rejection;
}

/**
 * Claims a block for the host, if it may have one more: a free one, or an empty one of another host past its minimum age.
 *
 * @param missing the number of addresses that the host would borrow if there is none; 0 if it needs a block of its own
 * @param poolScans the scans of earlier turns of the same request
 */
export const claimAnyBlock = (
  context: Context,
  familyRequest: FamilyRequest,
  affinities: readonly BlockAffinity[],
  missing: number,
  poolScans: PoolScans,
): Promise<Search> =>
  withClaimCharge(new ClaimCharge(context, familyRequest.space, familyRequest.claiming), (charge) =>
    search(context, familyRequest, { affinities, missing, poolScans, charge }),
  );

async function search(
  context: Context,
  familyRequest: FamilyRequest,
  {
    affinities,
    missing,
    poolScans,
    charge,
  }: Pick<Claimant, "affinities" | "charge"> & {
    readonly missing: number;
    readonly poolScans: PoolScans;
  },
): Promise<Search> {
  const { settings } = familyRequest.configuration;
  // Blocks in pools that do not serve the request do not count towards its limit, as in Calico.
  const blocks = affinitiesFor(familyRequest.serving ?? familyRequest.pools, affinities).length;
  const capped = blocks >= familyRequest.blocksMax;
  const mayClaim = settings.autoAllocateBlocks && !capped;
  const refused = mayClaim ? await charge.refusal() : undefined;
  const claiming = mayClaim && !refused;
  const borrowing = ({ borrowing }: Pool) =>
    !settings.strictAffinity && borrowing === "allowed" ? missing : 0;
  const turn: Turn = {
    context,
    familyRequest,
    poolScans,
    pools: familyRequest.pools.filter(
      (pool) => (claiming || borrowing(pool) > 0) && !isShut(pool, familyRequest.configuration),
    ),
    scanCriteria: (pool) => ({
      host: familyRequest.host,
      rules: slotRules(context, familyRequest.configuration, pool),
      claiming,
      hostReserved: familyRequest.hostReserved,
      borrowing: borrowing(pool),
      lends: !settings.strictAffinity && pool.borrowing === "allowed",
      blockMinAgeMs: 1000 * settings.blockMinAgeSeconds,
    }),
  };
  for (const scan of poolScans.scans.values()) scan.criteria = turn.scanCriteria(scan.pool);
  const free = (claiming && (await freeInOrder(turn))) || (await freeAround(turn));
  const [claimed] = await awaitAll(
    free ? claimFree(turn, { affinities, charge }, free) : undefined,
    asHint(() => callPoolsFull(turn)),
  );
  if (claimed) return claimed;
  const scans = turn.pools.flatMap(({ id }) => poolScans.scans.get(id) ?? []);
  let isLost = false;
  for (const scan of scans)
    for (const seen of idleIn(context, scan)) {
      const { host, hostReserved } = familyRequest;
      const claimant = { pool: scan.pool, host, affinities, hostReserved, charge };
      const block = await seizeBlock(context, claimant, seen);
      // The block has changed since it was read, whatever the outcome.
      scan.seen.delete(formatCidr(seen.cidr));
      scan.freed.delete(formatCidr(seen.cidr));
      if (block) {
        context.cache.remember(block);
        return { kind: "ours", block };
      }
      isLost = true;
      scanAgainAt(scan, seen.cidr);
    }
  // The block may be gone and its range free, so a rejection must not rest on the earlier read.
  if (isLost) return { kind: "lost" };
  const unread = turn.pools.filter(
    (pool) => !poolScans.scans.has(pool.id) && !isSaidShut(turn, pool),
  );
  return {
    ...{ kind: "none", scans, blocks, capped, poolsServing: turn.pools.length },
    poolsUnread: unread.length,
    freed: freedInPools(turn, familyRequest.blocksMax - blocks),
    ...(refused && { refused }),
  };
}

/**
 * Returns what time alone frees in blocks of others, by the id of the pool, as the request has read them or hints tell.
 *
 * @param claimsMax the number of blocks that the host may still claim or seize
 */
function freedInPools(turn: Turn, claimsMax: number): ReadonlyMap<string, FreedByTime> {
  const blocks = turn.pools.flatMap((pool) => {
    const lends = isLent(turn.scanCriteria(pool));
    const scan = turn.poolScans.scans.get(pool.id);
    const freed = [...(scan?.freed.values() ?? []), ...toldOf(turn, pool)];
    return freed.map((one) => ({ pool, lends, freed: one }));
  });
  const seized = blocks.filter(({ lends }) => !lends);
  const within = freedWithin(
    claimsMax,
    seized.map(({ freed }) => freed),
  );
  const all = [
    ...blocks.filter(({ lends }) => lends),
    ...seized.map(({ pool }, i) => ({ pool, freed: within[i] ?? NOTHING_FREED })),
  ];
  const freedOf = ({ id }: Pool) =>
    sumOfFreed(all.flatMap(({ pool, freed }) => (pool.id === id ? [freed] : [])));
  return new Map(turn.pools.map((pool) => [pool.id, freedOf(pool)]));
}

/** Returns what hints tell of the block groups of a pool that the request has not read: an address of each. */
function toldOf(
  { poolScans: { scans, lending }, familyRequest, scanCriteria }: Turn,
  pool: Pool,
): readonly FreedByTime[] {
  const criteria = scanCriteria(pool);
  const told = lending?.freedIn(pool, scans.get(pool.id)?.scanned ?? new Set()) ?? NOTHING_FREED;
  // A hint is for every host that wants an address. This one would reserve some for itself, or wants a block.
  return familyRequest.hostReserved || criteria.lends !== isLent(criteria)
    ? [{ ...NOTHING_FREED, more: told.more || told.atMs.length > 0 }]
    : [{ ...told, atMs: [] }, ...told.atMs.map((atMs) => ({ ...NOTHING_FREED, atMs: [atMs] }))];
}

/** One turn of a search. A request has more than one if other callers are faster, or if it needs more than one block. */
interface Turn {
  readonly context: Context;
  readonly familyRequest: FamilyRequest;
  readonly poolScans: PoolScans;
  /** The pools that could help. */
  readonly pools: readonly Pool[];
  scanCriteria(pool: Pool): ScanCriteria;
}

/** Returns true if it is too late to read one more block group or pool. The first of each is always read. */
const isLate = ({ context, poolScans }: Turn): boolean =>
  context.now() > poolScans.untilMs &&
  (poolScans.scans.size > 1 ||
    [...poolScans.scans.values()].some(({ scanned, vain }) => scanned.size + vain.size > 0));

async function scanAt({ context, poolScans, scanCriteria }: Turn, pool: Pool): Promise<PoolScan> {
  const scan = poolScans.scans.get(pool.id) ?? (await scanOf(context, pool, scanCriteria(pool)));
  poolScans.scans.set(pool.id, scan);
  if (!scan.criteria.claiming && !scan.isMapped) await indexGroups(context, scan);
  return scan;
}

/** Returns a free block of the first pool that has one according to the hints. */
async function freeInOrder(turn: Turn): Promise<Free | undefined> {
  const { context, poolScans, pools } = turn;
  const triesMax = Math.min(pools.length, POOLS_TRIED_MAX);
  for await (const pool of poolsInOrder(turn)) {
    if (isLate(turn)) break;
    const scan = await scanAt(turn, pool);
    // Groups of one pool that are not full and of no use to this host must not keep it from all other pools.
    const left = GROUPS_SEARCHED_MAX - vainScans(poolScans);
    const share = poolScans.scans.size === triesMax ? left : Math.ceil(left / 2);
    const isSpent = (looks: number) => isLate(turn) || looks >= Math.max(1, share);
    const free = await findFree(context, scan, isSpent);
    if (free) return free;
  }
  return undefined;
}

const vainScans = ({ scans }: PoolScans): number =>
  [...scans.values()].reduce((sum, { vain }) => sum + vain.size, 0);

/**
 * Yields the first pool; then, in order, the pools that are not called full, the last few of them at random. So pools that are not
 * full and of no use to this host do not keep it from those after them.
 */
async function* poolsInOrder(turn: Turn): AsyncGenerator<Pool> {
  const { context, familyRequest, poolScans, pools } = turn;
  const [first, ...others] = pools;
  if (first) yield first;
  if (others.length === 0) return;
  if (!poolScans.others) {
    const hints = await context.store.listFullPools(familyRequest.space);
    poolScans.hints = new Map(hints.map((hint) => [hint.poolId, hint]));
    const open = others.filter((pool) => !isCalledFull(turn, pool));
    const inOrder = POOLS_TRIED_MAX - POOLS_DRAWN_MAX;
    const drawn = shuffled(open.slice(inOrder), context.random);
    poolScans.others = [...open.slice(0, inOrder), ...drawn].slice(0, POOLS_TRIED_MAX - 1);
  }
  yield* poolScans.others;
}

const isCalledFull = ({ poolScans, familyRequest }: Turn, pool: Pool): boolean =>
  isBelievedFull(pool, poolScans.hints?.get(pool.id), familyRequest.configuration.reserved);

/** Returns true if hints say of every block group of a pool that it has nothing for a host without a block there. */
const isSaidShut = ({ poolScans, familyRequest }: Turn, pool: Pool): boolean =>
  poolScans.lending?.isShut(pool, reservedFor(pool, familyRequest.configuration)) ?? false;

/**
 * Scans whatever the hints of full groups say, until a scan helps: in pools that can lend, as far as hints say, then in those that were
 * tried, then in others at random, and last in those that cannot lend. In
 * other pools, groups that are not called full come first, because the hint of a pool may be wrong while those of its groups are right.
 */
async function freeAround(turn: Turn): Promise<Free | undefined> {
  const { context, familyRequest, poolScans, pools } = turn;
  const tried = pools.filter(({ id }) => poolScans.scans.has(id));
  const [first, ...others] = pools.filter(({ id }) => !poolScans.scans.has(id));
  const untried = first && tried.length === 0 ? [first] : [];
  const drawn = shuffled(first && tried.length > 0 ? [first, ...others] : others, context.random);
  if (needsLending(pools)) {
    const [only, ...more] = pools;
    const { space } = familyRequest;
    const ofOne = more.length === 0 ? only?.id : undefined;
    poolScans.lending ??= new Lending(context, await context.store.listLending(space, ofOne));
  }
  const { lending } = poolScans;
  const turnOf = (pool: Pool) => (lending?.isOpen(pool) ? 0 : isSaidShut(turn, pool) ? 2 : 1);
  const inTurn = [...tried, ...untried, ...drawn]
    .map((pool) => ({ pool, turn: turnOf(pool) }))
    .sort((a, b) => a.turn - b.turn);
  let left = GROUP_SCANS_OF_POOLS_MAX;
  for (const { pool } of inTurn) {
    const isKnown = poolScans.scans.has(pool.id);
    if (isLate(turn) || left <= 0 || (!isKnown && poolScans.scans.size >= POOLS_TRIED_MAX)) break;
    const scan = await scanAt(turn, pool);
    if (lending) scan.lending = lending;
    const before = scan.looks;
    const looksMax = Math.min(GROUP_SCANS_MAX, left);
    const isPassedBy = scan.criteria.claiming && (!isKnown || isCalledFull(turn, pool));
    const isSpent = (looks: number) => isLate(turn) || looks >= looksMax;
    const free =
      (isPassedBy && (await findFree(context, scan, isSpent))) ||
      (await scanAround(context, scan, looksMax - (scan.looks - before)));
    left -= scan.looks - before;
    if (free || mayHelp(context, scan)) return free;
  }
  return undefined;
}

async function claimFree(
  { context, familyRequest }: Turn,
  claimant: Pick<Claimant, "affinities" | "charge">,
  { scan, index, cidr, isLast }: Free,
): Promise<Search> {
  const { pool } = scan;
  const { host, hostReserved } = familyRequest;
  const claim = await claimBlock(context, { ...claimant, pool, host, hostReserved }, cidr);
  // A host that lost scans again: fresh scans separate hosts that started together, and old ones let them meet again.
  if (claim.kind !== "ours") return { kind: "lost" };
  context.cache.remember(claim.block);
  if (isLast && sameCidr(claim.block.cidr, cidr)) {
    await asHint(() => context.store.markFull(pool.space, pool.id, index));
    scan.full.add(index);
  }
  return claim;
}

/** Writes hints for the pools that were found full. A request with one pool only does not need its hint. */
async function callPoolsFull(turn: Turn): Promise<void> {
  const { context, familyRequest, poolScans } = turn;
  const { hints } = poolScans;
  if (!hints) return;
  const { reserved } = familyRequest.configuration;
  const found = [...poolScans.scans.values()].filter(
    (scan) => scan.criteria.claiming && !isCalledFull(turn, scan.pool) && seemsFull(scan),
  );
  await inParallel(found, POOLS_CALLED_FULL_AT_ONCE, async ({ pool }) =>
    hints.set(pool.id, await callFull(context, pool, reserved)),
  );
}
