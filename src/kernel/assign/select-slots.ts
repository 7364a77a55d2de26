import { ContentionError, inTurn, Rejection, together } from "../../base/outcome.ts";
import { formatCidr } from "../../net/cidr.ts";
import { isRanged, type Pool } from "../../nouns/pool/pool.ts";
import {
  hasOpened,
  type OwnBlockCriteria,
  ownPlaces,
  readCalledFull,
  readOwn,
} from "../blocks/own-blocks.ts";
import { borrowableIn } from "../blocks/scan-pool.ts";
import { slotRules } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { awaitAll } from "../core/parallel.ts";
import { ClaimCharge } from "../quotas/claim-charge.ts";
import { type BlockAffinity, sameBlocks } from "../values/affinity.ts";
import { type Block, capacityOf, chooseOrdinals } from "../values/block.ts";
import { type FreedByTime, freedIn, givesRoom, sumOfFreed } from "../values/freed-by-time.ts";
import { shuffled } from "../values/fresh.ts";
import type { FullBlock, Places } from "../values/full-block.ts";
import { CLAIM_TRIES_MAX, CLAIM_WAIT_MS_MAX } from "../values/limits.ts";
import { ofInterface } from "./assignment.ts";
import { claimAnyBlock, type Nothing, type PoolScans, poolScansOf } from "./find-blocks.ts";
import { noRoom, timesOf } from "./rejections.ts";
import { selectHeld } from "./select-held.ts";
import { selectInSet } from "./select-in-set.ts";
import {
  besideOthers,
  type FamilyRequest,
  type FoundSlots,
  type SlotSelection,
  slotCount,
  slotsOf,
} from "./selection.ts";

/** Pauses for another function's claim for the same host, before a second block is claimed. */
const CLAIM_WAITS_MAX = 8;
/** Blocks of a host that are called full and that a request reads, at random, if it finds nothing else. Hints tell of the others. */
const FULL_BLOCKS_READ_MAX = 4;

/**
 * Selects slots for both families side by side. A rejection of one family rejects the request, unless partial is allowed.
 *
 * @param places the host's places, if they were read already
 */
export async function selectSlots(
  context: Context,
  familyRequests: readonly FamilyRequest[],
  places: Places | undefined,
): Promise<readonly SlotSelection[] | Rejection> {
  const families = [...new Set(familyRequests.map(({ family }) => family))];
  const found = await awaitAll(
    ...families.map((family) => {
      const ofFamily = familyRequests.filter((each) => each.family === family);
      return selectInTurn(context, ofFamily, places);
    }),
  );
  const selections = found.flatMap((each) => (each instanceof Rejection ? [] : each));
  const [first, ...others] = found.filter((each) => each instanceof Rejection);
  if (!first || (familyRequests[0]?.allowPartial && selections.length > 0)) return selections;
  return together(first, ...others);
}

/**
 * Selects slots for the interfaces of one family, one after another. So no two of them take the same slot, and the host does not claim
 * a block for each.
 */
async function selectInTurn(
  context: Context,
  familyRequests: readonly FamilyRequest[],
  places: Places | undefined,
): Promise<readonly SlotSelection[] | Rejection> {
  const others: SlotSelection[] = [];
  for (const [n, familyRequest] of familyRequests.entries()) {
    // The search for an earlier interface may have changed what the host has.
    const current = n === 0 ? places : undefined;
    // A copy, because a later choice for this interface may take its own slots again.
    const beside = { ...familyRequest, others: [...(familyRequest.others ?? []), ...others] };
    const selected = await selectForFamily(context, beside, current);
    const { interface: of } = familyRequest;
    if (selected instanceof Rejection) return ofInterface(of, selected);
    others.push(...selected.map((each) => (of === undefined ? each : { ...each, interface: of })));
  }
  return others;
}

/**
 * Selects slots for one family: of the addresses of its application, if it has one; else stage by stage: a ranged pool is one stage, and neighbours without ranges are one. The next stage
 * begins only after this one has nothing more.
 */
async function selectForFamily(
  context: Context,
  familyRequest: FamilyRequest,
  places: Places | undefined,
): Promise<readonly SlotSelection[] | Rejection> {
  const { pools, count, allowPartial, ofApplication } = familyRequest;
  if (ofApplication) return selectHeld(context, familyRequest, ofApplication);
  const selections: SlotSelection[] = [];
  const rejections: Rejection[] = [];
  const freed: FreedByTime[] = [];
  for (const stage of stagesOf(pools)) {
    const missing = count - slotCount(selections);
    const inStage = { ...familyRequest, pools: stage, serving: pools, count: missing };
    const found = await selectInStage(context, inStage, places);
    selections.push(...found.selections);
    if (!found.rejection) return selections;
    rejections.push(found.rejection);
    if (found.freed) freed.push(found.freed);
  }
  const [first, ...others] = rejections;
  return !first || (allowPartial && selections.length > 0)
    ? selections
    : afterAllStages(first, others, (missing) =>
        timesOf(sumOfFreed(freed), missing, context.now()),
      );
}

/** Returns the pools in their order, stage by stage. */
function stagesOf(pools: readonly Pool[]): readonly (readonly Pool[])[] {
  const stages: Pool[][] = [];
  for (const pool of pools) {
    const last = stages.at(-1);
    if (last?.[0] && !isRanged(last[0]) && !isRanged(pool)) last.push(pool);
    else stages.push([pool]);
  }
  return stages;
}

/** Selects from one stage: from cached blocks if they suffice, else from blocks that a search finds. */
async function selectInStage(
  context: Context,
  familyRequest: FamilyRequest,
  places: Places | undefined,
): Promise<FoundSlots> {
  const [first] = familyRequest.pools;
  if (first && isRanged(first)) return selectInSet(context, familyRequest, first);
  const { space, host, count } = familyRequest;
  const cached = selectFrom(context, familyRequest, context.cache.blocksOf(space, host));
  return slotCount(cached) === count
    ? { selections: cached }
    : selectOfHost(context, familyRequest, places);
}

/**
 * Joins the rejections of all stages. Only the last one says how many addresses are missing. What time frees in several stages counts
 * together.
 *
 * @param timesFor returns the members that say when so many addresses are free
 */
function afterAllStages(
  first: Rejection,
  others: readonly Rejection[],
  timesFor: (missing: number) => object,
): Rejection {
  if (others.length === 0) return first;
  const joined = inTurn(first, ...others);
  const { missing = [] } = (others.at(-1) ?? first).members;
  return new Rejection(joined.code, joined.detail, {
    ...joined.members,
    ...timesFor(missing.reduce((sum, { count }) => sum + count, 0)),
    ...(missing.length > 0 && { missing }),
  });
}

/**
 * Finds blocks for a request, in order: own with room → claim a free one → seize an empty one past its minimum age →
 * borrow, unless strict.
 *
 * @param known the host's places, if they were read already
 * @returns the slots to take, and the rejection if they are fewer than wanted
 * @throws {ContentionError} if other hosts claim every block first, or if what was read is too little to reject
 */
async function selectOfHost(
  context: Context,
  familyRequest: FamilyRequest,
  known: Places | undefined,
): Promise<FoundSlots> {
  const { store, random, now } = context;
  const { space, host, count, pools, configuration, claiming } = familyRequest;
  const found = new Map<string, Block>();
  let selections: readonly SlotSelection[] = [];
  /** Adds blocks to those found, and returns true if they can serve the whole request. */
  const suffices = (blocks: readonly Block[]): boolean => {
    for (const block of blocks) found.set(formatCidr(block.cidr), block);
    selections = selectFrom(context, familyRequest, [...found.values()]);
    return slotCount(selections) === count;
  };
  const ownBlockCriteria: OwnBlockCriteria = {
    pools,
    rulesOf: (pool) => slotRules(context, configuration, pool),
    chargeOf: () => new ClaimCharge(context, space, claiming),
    isEnough: (blocks) =>
      slotCount(selectFrom(context, familyRequest, [...found.values(), ...blocks])) === count,
  };
  const sorted = (places: Places) => ownPlaces(context, pools, places, found);
  let current = known ?? (await store.listPlaces(space, host));
  const poolScans = poolScansOf(context);
  /** Blocks that were read although a hint calls them full. */
  const tried = new Set<string>();
  const untried = () =>
    sorted(current).full.filter(({ affinity }) => !tried.has(formatCidr(affinity.block)));
  // Only turns that find nothing are counted, because a turn that finds a block is progress.
  for (let tries = 0, waits = 0; tries < CLAIM_TRIES_MAX; ) {
    const own = await readOwn(context, ownBlockCriteria, sorted(current));
    if (suffices(own.blocks)) return { selections };
    const missing = count - slotCount(selections);
    // Another function is claiming or seizing a block for this host. It will serve both, and a second one may be the last for another.
    const isWaiting = own.claiming && waits < CLAIM_WAITS_MAX;
    const acquired = isWaiting
      ? LOST
      : await acquire(context, familyRequest, { ...current, missing, found, poolScans });
    if (isWaiting) waits++;
    if (acquired.kind !== "found") tries++;
    else if (suffices(acquired.blocks)) return { selections };
    // A random delay keeps competitors from colliding again.
    if (acquired.kind === "lost") await context.sleep(random.fraction() * CLAIM_WAIT_MS_MAX);
    if (acquired.kind === "none" && tried.size < FULL_BLOCKS_READ_MAX) {
      const some = shuffled(untried(), random).slice(0, FULL_BLOCKS_READ_MAX - tried.size);
      for (const { affinity } of some) tried.add(formatCidr(affinity.block));
      if (suffices(await readCalledFull(context, ownBlockCriteria, some))) return { selections };
    }
    const places = await store.listPlaces(space, host);
    // Reject only if the host got no block, and no room in one, meanwhile.
    if (
      acquired.kind === "none" &&
      sameBlocks(current.affinities, places.affinities) &&
      !hasOpened(sorted(current), sorted(places))
    ) {
      const hints = sorted(current).full.map(({ hint }) => hint);
      const own = freedInOwn(context, familyRequest, [...found.values()], hints, acquired.capped);
      const freed = sumOfFreed([...own.values(), ...acquired.freed.values()]);
      const rejection = noRoom(familyRequest, { missing, search: acquired, own, nowMs: now() });
      return { selections, rejection: withUnread(rejection, untried().length), freed };
    }
    current = places;
  }
  throw new ContentionError(`other hosts claimed every block that was tried`);
}

/**
 * Returns what time alone frees in the host's own blocks, by the id of the pool: those that were found, and those that hints call full.
 *
 * @param isCapped true if the host may claim no block before it loses one
 */
function freedInOwn(
  context: Context,
  { host, pools, serving = pools, configuration, hostReserved }: FamilyRequest,
  found: readonly Block[],
  hints: readonly FullBlock[],
  isCapped: boolean,
): ReadonlyMap<string, FreedByTime> {
  const { start = 0, end = 0 } = hostReserved ?? {};
  const sizes = serving.filter((pool) => !isRanged(pool)).map(blockCapacity);
  const addressesMax = isCapped ? Math.max(...sizes) - start - end : 0;
  const replacement = { hostReserved, addressesMax };
  const ofHost = { isOwn: true, lends: false, claiming: false, blockMinAgeMs: 0 };
  const freed = pools.map((pool): [string, FreedByTime] => {
    const rules = slotRules(context, configuration, pool);
    const own = found.filter((block) => block.host === host && block.poolId === pool.id);
    const times = sumOfFreed(own.map((block) => freedIn(block, { ...ofHost, rules })));
    const more = times.more || own.some((block) => givesRoom(block, rules, replacement));
    return [pool.id, { ...times, more }];
  });
  // A release clears the hint of a block that was wholly taken. Another hint may have missed what was released since.
  const told = hints.map(({ untilMs, freeAtMs, leased }) => ({
    atMs: freeAtMs === undefined ? [] : [freeAtMs],
    cooling: 0,
    more: leased === true || untilMs !== undefined,
  }));
  return new Map([...freed, ["", sumOfFreed(told)]]);
}

const blockCapacity = ({ cidr, blockSize }: Pool): number =>
  capacityOf({ cidr: { ...cidr, prefix: blockSize } });

/** Tells of the blocks of the host that hints kept from being read. */
function withUnread(rejection: Rejection, count: number): Rejection {
  if (count === 0) return rejection;
  const { code, detail, members } = rejection;
  const unread = `${count} more of its blocks are called full, and were not read.`;
  return new Rejection(code, `${detail} ${unread}`, members);
}

/** The result of the search for more blocks. */
type Acquired =
  /** A block of the host, or all blocks that it can borrow from. */
  | { readonly kind: "found"; readonly blocks: readonly Block[] }
  /** Other callers were faster. */
  | { readonly kind: "lost" }
  | Nothing;

const LOST = { kind: "lost" } as const;

/** Claims or seizes one more block for the host, or finds blocks to borrow from. */
async function acquire(
  context: Context,
  familyRequest: FamilyRequest,
  {
    affinities,
    missing,
    found,
    poolScans,
  }: {
    readonly affinities: readonly BlockAffinity[];
    readonly missing: number;
    readonly found: ReadonlyMap<string, Block>;
    readonly poolScans: PoolScans;
  },
): Promise<Acquired> {
  const search = await claimAnyBlock(context, familyRequest, affinities, missing, poolScans);
  if (search.kind === "ours") return { kind: "found", blocks: [search.block] };
  if (search.kind === "lost") return LOST;
  const borrowable = search.scans
    .flatMap(borrowableIn)
    .filter(({ cidr }) => !found.has(formatCidr(cidr)));
  return borrowable.length > 0 ? { kind: "found", blocks: borrowable } : search;
}

/**
 * Chooses up to the wanted number of ordinals in the given blocks: all in one block of the host if one has room, else in the host's
 * own blocks first. A write takes at most `SLOTS_PER_WRITE_MAX` slots.
 */
function selectFrom(
  context: Context,
  familyRequest: FamilyRequest,
  blocks: readonly Block[],
): readonly SlotSelection[] {
  const { strictAffinity } = familyRequest.configuration.settings;
  const choices = familyRequest.pools.flatMap((pool) => {
    const rules = slotRules(context, familyRequest.configuration, pool);
    const choose = (block: Block, count: number, how?: { readonly isRetry: boolean }) =>
      chooseOrdinals(besideOthers(familyRequest, block), count, rules, context.random, how);
    return blocks
      .filter((block) => block.poolId === pool.id)
      .filter((block) => block.host === familyRequest.host || !strictAffinity)
      .map((block) => ({ block, choose, ordinals: choose(block, familyRequest.count) }))
      .filter(({ ordinals }) => ordinals.length > 0);
  });
  const isOwn = ({ block }: (typeof choices)[number]) => block.host === familyRequest.host;
  const own = choices.filter(isOwn);
  const others = choices.filter((choice) => !isOwn(choice));
  const whole = own.find(({ ordinals }) => ordinals.length === familyRequest.count);
  const selections: SlotSelection[] = [];
  let missing = familyRequest.count;
  for (const { block, ordinals, choose } of whole ? [whole] : [...own, ...others]) {
    const some = ordinals.slice(0, missing);
    selections.push(...slotsOf({ block, ordinals: some, choose }));
    missing -= some.length;
    if (missing === 0) break;
  }
  return selections;
}
