import { COOLDOWN_SECONDS_MAX, GRACE_MS, SHARDS } from "../../base/limits.ts";
import { CorruptItemError, orCorrupt } from "../../base/outcome.ts";
import type { BlockGroupIndexPage, Contents, FullPool } from "../../invariants/contents.ts";
import { blockReader, grantedAt } from "../../kernel/allocations/holding.ts";
import { allocationPlaceOf } from "../../kernel/allocations/quota-slots.ts";
import { deleteEmptyBlock } from "../../kernel/blocks/delete-empty-block.ts";
import { correctFull } from "../../kernel/blocks/full-block-hint.ts";
import { clearAround, isFullByIndex } from "../../kernel/blocks/full-group-hint.ts";
import { whileTime } from "../../kernel/core/bounded-work.ts";
import { answer, compareAndSwap, RETRY } from "../../kernel/core/compare-and-swap.ts";
import { configurationOf } from "../../kernel/core/configuration.ts";
import type { Context } from "../../kernel/core/context.ts";
import type { Allocation } from "../../kernel/values/allocation.ts";
import { type Block, isEmpty } from "../../kernel/values/block.ts";
import { fresh, randomBelow } from "../../kernel/values/fresh.ts";
import type { SpaceIndex } from "../../kernel/values/index-entry.ts";
import type { QuotaSlot } from "../../kernel/values/quota-slot.ts";
import {
  afterWalk,
  hasWalked,
  isChargingWalk,
  isIndexingWalk,
  isProof,
  itemsToSweep,
  type Left,
  leaving,
  type Progress,
  type Sweep,
  type Unread,
} from "../../kernel/values/sweep.ts";
import { parseAddress } from "../../net/address.ts";
import { poolOfId, quotaNamed } from "../../nouns/pool/configuration.ts";
import { buildIndexes, isAsked } from "../../nouns/pool/operations/build-indexes.ts";
import { reservedFor } from "../../nouns/pool/set.ts";
import { poolOfSubnet, poolsOfSubnet } from "../../nouns/pool/subnet.ts";
import { childLeftIn } from "../../nouns/prefix/operations/child-pool.ts";
import { type Budget, isRoundOver, nextRound, settledMs } from "../../nouns/quota/budget.ts";
import type { RequestRate } from "../../nouns/quota/quota.ts";
import type { PoolUsage } from "../../nouns/utilization/pool-usage.ts";
import { repairAllocation, seemsRight } from "./allocation.ts";
import { repairApplication } from "./application.ts";
import { isAffinityRight, repairAffinities, repairAffinityOf } from "./block-affinity.ts";
import { repairBorrowedBlock } from "./borrowed-block.ts";
import { KnownBudgets, repairBlockCharge, repairCharges } from "./charges.ts";
import { repairIndexEntry, repairIndexed } from "./index-entry.ts";
import {
  repairCiliumReport,
  repairEnded,
  repairEntry,
  repairSignOfLife,
  repairStated,
  restoreEntry,
} from "./node.ts";
import { going, type Repaired } from "./repaired.ts";
import { Holders } from "./slot-holders.ts";

/** Items of a page of the walk, and how many of these it works on side by side. */
export const SWEEP_ITEMS_PER_PAGE_MAX = 500;
const SWEEP_ITEMS_AT_ONCE = 32;
/**
 * Sections of the table from which the walk chooses at random if it cannot save its position. Each is so small that a
 * run can finish one in a table of 100 million items.
 */
const SWEEP_SECTIONS = 256 * SHARDS;

/** The part of a segment that one run handles. */
interface SegmentWalk {
  readonly segment: { readonly index: number; readonly of: number };
  readonly progress: Progress;
  /** It begins no item after this time. */
  readonly untilMs: number;
  /** Keeps how far the repair run is. */
  keep(progress: Progress): Promise<void>;
}

/**
 * Continues the walk over a shard's segment of the table, which finds what is in no index, at a pace that covers the
 * segment in a day. A walk whose end proves something reads consistently, and any other one eventually consistent. A consistent read or a
 * condition decides every change.
 */
export async function sweep(
  context: Context,
  { shard, ...walk }: Omit<SegmentWalk, "segment"> & { readonly shard: number },
  done: Repaired,
): Promise<void> {
  const segment = { index: shard, of: SHARDS };
  done.swept = await walkSegment(context, { ...walk, segment }, done);
}

/**
 * Walks without a saved position, because another version keeps it. Each run begins anew. If half of its time does not
 * reach the end, it draws sections of the table at random. So it reaches each item sooner or later.
 */
export async function sweepAtRandom(
  context: Context,
  { shard, untilMs }: Pick<SegmentWalk, "untilMs"> & { readonly shard: number },
  done: Repaired,
): Promise<void> {
  const nowMs = context.now();
  // Nobody keeps how far it was, so its end proves nothing.
  const anew = { progress: { chargedFromMs: nowMs }, keep: async () => {} };
  await sweep(context, { shard, ...anew, untilMs: nowMs + (untilMs - nowMs) / 2 }, done);
  if (done.swept) return;
  for (let drawn = 0; drawn < SWEEP_SECTIONS && context.now() < untilMs; drawn++) {
    const segment = { index: randomBelow(SWEEP_SECTIONS, context.random), of: SWEEP_SECTIONS };
    await walkSegment(context, { segment, ...anew, untilMs }, done);
  }
}

/** Walks over a part of the segment. Returns whether it reached the end. */
async function walkSegment(
  context: Context,
  { segment, progress, untilMs, keep }: SegmentWalk,
  done: Repaired,
): Promise<boolean> {
  const { sweep: begun, ...rest } = progress;
  let walk: Sweep = begun ?? newWalk(progress, context.now());
  let left = itemsToSweep(progress, context.now());
  const holders = new Holders(context);
  do {
    const limit = Math.min(left, SWEEP_ITEMS_PER_PAGE_MAX);
    const { found, next } = await context.store.scanSegment(segment, limit, {
      after: walk.position,
      consistent: isProof(progress, walk),
    });
    const seen: SeenOnPage = {
      hosts: new Set(),
      holders,
      budgets: new KnownBudgets(context),
      isCharging: isChargingWalk(progress, walk),
      isIndexing: walk.isIndexing ?? false,
      left: walk,
    };
    const worked = await whileTime(
      context,
      found,
      { atOnce: SWEEP_ITEMS_AT_ONCE, untilMs },
      ({ contents, errors, unread }) => {
        done.failures.push(...errors);
        if (unread) leaveUnread(seen, unread);
        return going(done, () => sweepItem(context, contents, seen, done));
      },
    );
    done.items += worked;
    left -= worked;
    walk = { ...walk, ...seen.left, items: walk.items + worked };
    if (worked === found.length && next === undefined) {
      await keep(afterWalk(progress, walk));
      return true;
    }
    const position = worked === found.length ? next : found[worked - 1]?.position;
    walk = { ...walk, ...(position !== undefined && { position }) };
    await keep({ ...rest, sweep: walk });
    if (worked < found.length) return false;
  } while (left > 0 && context.now() < untilMs);
  return false;
}

/** The knowledge of the walk from the items of a page before. */
interface SeenOnPage {
  /** The hosts whose affinities it has corrected. */
  readonly hosts: Set<string>;
  /** The known slot holders of borrowed blocks. */
  readonly holders: Holders;
  readonly budgets: KnownBudgets;
  /** True if the walk also charges what is charged to no quota. */
  readonly isCharging: boolean;
  /** True if the walk also enters allocations that are in no index. */
  readonly isIndexing: boolean;
  /** The work that the walk left undone. */
  left: Left;
}

const newWalk = (progress: Progress, beganAtMs: number): Sweep => ({
  beganAtMs,
  items: 0,
  ...(isIndexingWalk(progress, beganAtMs) && { isIndexing: true }),
});

/** Repairs one item. */
async function sweepItem(
  context: Context,
  contents: Contents,
  page: SeenOnPage,
  done: Repaired,
): Promise<void> {
  const { hosts, holders, budgets } = page;
  for (const seen of contents.allocations) {
    if (seen.charges.length > 0 || page.isCharging)
      await charging(done, page, seen.place, () => repairCharges(context, seen, budgets));
    if (seen.indexed || page.isIndexing)
      await indexing(done, page, seen.place, () => repairIndexed(context, seen));
    await repairHeldPrefix(context, seen);
    if (await seemsRight(context, seen)) continue;
    const allocation = await context.store.readAllocation(seen.place);
    if (!allocation) continue;
    done.allocations++;
    if ((await repairAllocation(context, allocation)) === "deleted") done.allocationsDeleted++;
  }
  for (const affinity of contents.affinities) {
    const name = `${affinity.space}#${affinity.host}`;
    if (hosts.has(name) || (await isAffinityRight(context, affinity)) || hosts.has(name)) continue;
    hosts.add(name);
    done.affinities += await repairAffinities(context, affinity.space, affinity.host);
  }
  for (const block of contents.blocks) {
    if (block.charge || page.isCharging)
      await charging(done, page, block, () => repairBlockCharge(context, block, budgets));
    if (await repairBlock(context, block)) done.orphansDeleted++;
    else done.affinities += await repairAffinityOf(context, block);
  }
  for (const hint of contents.fullBlocks) await correctFull(context, hint);
  for (const borrowedBlock of contents.borrowedBlocks)
    if (await repairBorrowedBlock(context, borrowedBlock, holders)) done.borrowedBlocksDeleted++;
  for (const quotaSlot of contents.quotaSlots) await repairQuotaSlot(context, quotaSlot);
  for (const entry of contents.indexEntries)
    if (await repairIndexEntry(context, entry)) done.orphansDeleted++;
  for (const index of contents.indexes) await repairIndex(context, index);
  for (const application of contents.applications) await repairApplication(context, application);
  for (const node of contents.nodes) await restoreEntry(context, node);
  for (const { space, name } of [...contents.nodeReports, ...contents.tombstones])
    await repairEnded(context, { space, name });
  for (const report of contents.ciliumReports) await repairCiliumReport(context, report);
  for (const stated of contents.statedRanges) await repairStated(context, stated);
  for (const sign of contents.signsOfLife) await repairSignOfLife(context, sign);
  for (const entry of contents.nodeEntries) await repairEntry(context, entry);
  for (const map of contents.maps) if (await repairGroupIndex(context, map)) done.orphansDeleted++;
  for (const usage of contents.poolUsages)
    if (await repairPoolUsage(context, usage)) done.orphansDeleted++;
  for (const budget of contents.budgets)
    if (await repairBudget(context, budget)) done.orphansDeleted++;
  for (const rate of contents.requestRates)
    if (await repairRequestRate(context, rate)) done.orphansDeleted++;
  for (const hint of contents.fullPools) if (await repairHint(context, hint)) done.orphansDeleted++;
  for (const page of contents.lending)
    if (await isPoolGone(context, page)) {
      await context.store.deleteLending("repair-lending", page);
      done.orphansDeleted++;
    }
}

/** Charges one item. Where nothing is charged, a read of the configuration twice a day is enough. */
const charging = (done: Repaired, page: SeenOnPage, of: OfSpace, repair: () => Promise<boolean>) =>
  noting(done, page, { what: "charges", ...of }, repair);

/** Enters one allocation in indexes. Where no attribute is indexed, a read of the configuration twice a day is enough. */
const indexing = (done: Repaired, page: SeenOnPage, of: OfSpace, repair: () => Promise<boolean>) =>
  noting(done, page, { what: "indexing", ...of }, repair);

interface OfSpace {
  readonly space: string;
}

/** Repairs one item, and notes on the page what that left undone, or could not do because something cannot be read. */
async function noting(
  done: Repaired,
  page: SeenOnPage,
  { what, space }: OfSpace & { readonly what: "charges" | "indexing" },
  repair: () => Promise<boolean>,
): Promise<void> {
  let isDone = false;
  let unreadIn: string | undefined;
  await going(done, async () => {
    const answer = await orCorrupt(repair());
    if (answer instanceof CorruptItemError) {
      unreadIn = space;
      throw answer;
    }
    isDone = answer;
  });
  if (!isDone) page.left = leaving(page.left, what, unreadIn);
}

/** Notes what the walk leaves, because an item of the table cannot be read: it may be charged, and an allocation may lack an entry. */
function leaveUnread(page: SeenOnPage, { kind, space }: Unread): void {
  page.left = leaving(page.left, "charges", space);
  if (kind === "allocation") page.left = leaving(page.left, "indexing", space);
}

/**
 * Returns true if a pool, or the last pool of a subnet, is gone for good. An id is never reused, and a pool's item exists before anything names it, so
 * a missing item proves it.
 */
async function isPoolGone(
  context: Context,
  { space, poolId }: { readonly space: string; readonly poolId: string },
): Promise<boolean> {
  const known = await configurationOf(context, space);
  if (poolsOfSubnet(known, poolId).length > 0) return false;
  return poolOfSubnet(await context.store.readSpace(space), poolId) === undefined;
}

/** Lets the prefix of an allocation go if the pool that was made of it is gone: its creation or its deletion was cut off. */
async function repairHeldPrefix(context: Context, seen: Allocation): Promise<void> {
  const { childId, place } = seen;
  if (childId === undefined) return;
  const { pools } = await configurationOf(context, place.space);
  if (!pools.some(({ id }) => id === childId)) await childLeftIn(context, seen);
}

/** Deletes a page of the block-group index of a pool that is gone. Returns whether it did. */
async function repairGroupIndex(context: Context, seen: BlockGroupIndexPage): Promise<boolean> {
  if (!(await isPoolGone(context, seen))) return false;
  await context.store.deleteIndexPage(seen);
  return true;
}

/** Deletes the usage of a pool that is gone for good. Returns whether it was deleted. */
async function repairPoolUsage(context: Context, seen: PoolUsage): Promise<boolean> {
  const { space, poolId } = seen;
  if (poolOfId(await configurationOf(context, space), poolId)) return false;
  if (poolOfId(await context.store.readSpace(space), poolId)) return false;
  await context.store.deletePoolUsage(seen);
  return true;
}

/** Deletes the requests that were taken from a quota that is gone. Returns whether they were deleted. */
export async function repairRequestRate(context: Context, seen: RequestRate): Promise<boolean> {
  const { space, quota, second } = seen;
  if (context.now() - 1000 * second < GRACE_MS) return false;
  if (quotaNamed(await context.store.readSpace(space), quota)) return false;
  await context.store.deleteRequestRate(seen);
  return true;
}

/**
 * Finishes a PUT of settings that was cut off: asks the walks for the entries of an index that it added, and writes since when it is set.
 *
 * @param seen eventually consistent; the write is conditional on the revision of a consistent read
 */
export async function repairIndex(context: Context, seen: SpaceIndex): Promise<void> {
  if (isAsked(seen)) return;
  const { space } = seen;
  const { settings, settingsRevision: revision, indexes } = await context.store.readSpace(space);
  if (revision !== undefined)
    await buildIndexes(context, space, { ...settings, indexes, revision });
}

/** Deletes a quota slot that its request does not have any more: it was released, or never taken. */
async function repairQuotaSlot(context: Context, quotaSlot: QuotaSlot): Promise<void> {
  if (context.now() - quotaSlot.atMs <= GRACE_MS) return;
  const allocation = await context.store.readAllocation(allocationPlaceOf(quotaSlot));
  const listed = allocation?.quotaSlots.find(({ revision }) => revision === quotaSlot.revision);
  const address = listed?.address === undefined ? undefined : parseAddress(listed.address);
  const readBlock = blockReader(context, quotaSlot.space);
  const held = allocation && address?.ok && (await grantedAt(readBlock, allocation, address.value));
  // The end of the pending allocation deletes a listed quota slot without an address.
  if (!held && (!listed || address))
    await context.store.deleteQuotaSlot("repair-quota-slot", quotaSlot);
}

/**
 * Deletes an empty block whose pool is gone: its creation landed after the range was freed. No function can take a
 * slot of it, because every function that knew its pool as a serving one is shut out (`assign.ts`). Returns whether it was
 * deleted.
 */
async function repairBlock(context: Context, seen: Block): Promise<boolean> {
  const nowMs = context.now();
  if (nowMs - seen.claimedAtMs <= GRACE_MS) return false;
  if (!isEmpty(seen, { nowMs, cooldownMs: 1000 * COOLDOWN_SECONDS_MAX })) return false;
  if (!((await isPoolGone(context, seen)) && (await deleteEmptyBlock(context, seen)))) return false;
  await clearAround(context, seen.space, seen.cidr);
  return true;
}

/**
 * Deletes the hint that a pool is full if the pool is gone or its index disagrees: a crash between clearing a group's
 * hint and the pool's leaves such a hint. Returns whether it was deleted.
 */
async function repairHint(context: Context, seen: FullPool): Promise<boolean> {
  const { space, poolId } = seen;
  const configuration = await configurationOf(context, space);
  const pool = configuration.pools.find(({ id }) => id === poolId);
  const isRight = pool
    ? await isFullByIndex(context, pool, reservedFor(pool, configuration))
    : !(await isPoolGone(context, seen));
  if (!isRight) await context.store.clearPoolFull("repair-pool-full", seen);
  return !isRight;
}

/**
 * Begins the next round of a budget, when the walks over all segments of the table have charged everything to the current one. What
 * is left of the round before was counted too much. Deletes the budget of a quota that is gone.
 *
 * @returns whether it was deleted
 */
export async function repairBudget(context: Context, found: Budget): Promise<boolean> {
  const { store } = context;
  const { space, quota, of } = found;
  if (context.now() - found.roundAtMs < GRACE_MS) return false;
  if (quotaNamed(await store.readSpace(space), quota)?.[of] === undefined) {
    await store.deleteBudget(found);
    return true;
  }
  if (!isRoundOver(found, context.now()) || !(await allMet(context, found))) return false;
  return compareAndSwap(`the ${of} of quota ${quota}`, async () => {
    const seen = await store.readBudget(found);
    if (seen?.round !== found.round) return answer(false);
    const turned = await store.turnBudget(seen, nextRound(seen, fresh(context), context.now()));
    return turned.outcome === "done" ? answer(false) : RETRY;
  });
}

async function allMet({ store }: Context, budget: Budget): Promise<boolean> {
  for (let shard = 0; shard < SHARDS; shard++) {
    const progress = await store.readProgress(shard);
    const { chargedFromMs: fromMs, chargedBut: but } = progress ?? {};
    if (!hasWalked({ fromMs, but }, budget.space, settledMs(budget))) return false;
  }
  return true;
}
