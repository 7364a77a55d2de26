import { CorruptItemError, orCorrupt } from "../../base/outcome.ts";
import { type Cidr, contains, sameCidr } from "../../net/cidr.ts";
import type { SpaceConfiguration } from "../../nouns/pool/configuration.ts";
import { assignsPrefixes, type Pool, subnetIdOf } from "../../nouns/pool/pool.ts";
import { cooldownMsOfSubnet, poolsOfSubnet } from "../../nouns/pool/subnet.ts";
import type { PoolCount } from "../../nouns/space/space.ts";
import { NO_USAGE, sumOf } from "../../nouns/utilization/usage.ts";
import { correctAfterwards } from "../blocks/full-group-hint.ts";
import { lendingOfGroup, needsLending } from "../blocks/lending-hint.ts";
import { poolCounter } from "../blocks/pool-counter.ts";
import { configurationOf, slotRules } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import type { Block } from "../values/block.ts";
import { groupAt } from "../values/block-group.ts";
import type { HostId } from "../values/host.ts";
import type { LendingHint } from "../values/lending.ts";
import { type HostSeen, reclaimBlock } from "./reclaim-block.ts";

/** Blocks of one block group that it works on side by side. */
const RECLAIM_BLOCKS_AT_ONCE = 8;

/** A block group of a pool's index. */
export interface GroupOfPool {
  readonly pool: Pool;
  readonly index: bigint;
  /** True if the group is called full. */
  readonly full: boolean;
}

/** The counts of one block group, and of the changes to it. */
interface GroupReclaimed {
  readonly blocks: number;
  readonly markedIdle: number;
  readonly deleted: number;
  readonly affinitiesRestored: number;
  /** True if no block of the group can be claimed. Absent if this is unknown, or if all of the group is reserved. */
  readonly isFull: boolean | undefined;
  /** The hint of what the group gives to a host without a block there. Absent if a block can be claimed, or if nobody needs to know. */
  readonly lending: LendingHint | undefined;
  /** The addresses in these blocks as they were read, by pool. Absent if a reservation cannot be read. */
  readonly counts: readonly PoolCount[] | undefined;
  /** Items that could not be read; the rest of the block group was handled. */
  readonly failures: readonly CorruptItemError[];
}

/**
 * Deletes the empty blocks of a block group, some in parallel, by the rules of `reclaimBlock`, and corrects the hint
 * that the group is full. The read is eventually consistent, but the revisions that it saw decide.
 *
 * @param startedAtMs when the scheduled run began: only idle marks of earlier runs count
 */
export async function reclaimGroup(
  context: Context,
  { pool, index, full }: GroupOfPool,
  startedAtMs: number,
): Promise<GroupReclaimed> {
  const inGroup = await context.store.scanGroup(pool.space, groupAt(pool, index), {
    consistent: false,
  });
  const current = inGroup.filter(({ cidr }) =>
    contains(pool.cidr, { family: cidr.family, value: cidr.base }),
  );
  const hosts = new Map<HostId, Promise<HostSeen>>();
  const failures: CorruptItemError[] = [];
  const deleted: Cidr[] = [];
  const done = { kept: 0, markedIdle: 0, deleted: 0, affinitiesRestored: 0 };
  let judgedBy: SpaceConfiguration | undefined;
  await inParallel(current, RECLAIM_BLOCKS_AT_ONCE, async (block) => {
    // A scheduled run is long, so each block is judged by the configuration at that time, as operators are promised.
    // The configuration is a copy in memory, checked every few seconds.
    const configuration = await configurationOf(context, pool.space);
    judgedBy = configuration;
    const { settings, pools } = configuration;
    const cooldownMs = cooldownMsOfSubnet(configuration, subnetIdOf(pool));
    if (block.unreadable) {
      // The contents and the host of an unreadable block are unknown.
      failures.push(block.unreadable);
      return;
    }
    // The block of another pool, before or after this one, is not to be judged by the rules of this.
    if (block.poolId !== subnetIdOf(pool)) return;
    const judgement = { settings, pools, pool, cooldownMs, startedAtMs, hosts };
    const outcome = await orCorrupt(reclaimBlock(context, block, judgement));
    if (outcome instanceof CorruptItemError) failures.push(outcome);
    else done[outcome]++;
    if (outcome === "deleted") deleted.push(block.cidr);
  });
  const left = current
    .map(({ cidr }) => cidr)
    .filter((cidr) => !deleted.some((gone) => sameCidr(gone, cidr)));
  // Corrects the hint here, so that scans find a block that a release or a reservation made free.
  const hint = { current: left, isCalledFull: full };
  const isFull = await correctAfterwards(context, pool, index, hint);
  const lending =
    isFull && judgedBy ? await lendingOf(context, judgedBy, pool, current) : undefined;
  const counts = judgedBy ? countsOf(context, judgedBy, pool, current) : [];
  return { ...done, blocks: current.length, isFull, lending, counts, failures };
}

/** Returns what a full block group can lend; nothing if hints of it are not worth a read, or if its blocks do not tell. */
async function lendingOf(
  context: Context,
  configuration: SpaceConfiguration,
  pool: Pool,
  blocks: readonly Block[],
): Promise<LendingHint | undefined> {
  const { settings, pools } = configuration;
  if (assignsPrefixes(pool) || !needsLending(pools)) return undefined;
  const by = {
    rules: slotRules(context, configuration, pool),
    lends: !settings.strictAffinity && pool.borrowing === "allowed",
    blockMinAgeMs: 1000 * settings.blockMinAgeSeconds,
  };
  return (await lendingOfGroup(context, pool, blocks, by)) ?? undefined;
}

/** Counts the addresses of each pool of a subnet in blocks. Returns nothing if a reservation cannot be read. */
function countsOf(
  context: Context,
  configuration: SpaceConfiguration,
  pool: Pool,
  blocks: readonly Block[],
): readonly PoolCount[] | undefined {
  if (configuration.unreadableReservations.length > 0) return undefined;
  const subnetId = subnetIdOf(pool);
  // An unreadable block does not tell its pool, and counts for the pool in which it lies.
  const own = blocks.filter(({ poolId, unreadable }) => poolId === subnetId || unreadable);
  return poolsOfSubnet(configuration, subnetId).map((each) => {
    const { inBlock } = poolCounter(context, configuration, each);
    const counted = own.flatMap((block) => inBlock(block) ?? []);
    return {
      poolId: each.id,
      usage: counted.reduce((sum, { usage }) => sumOf(sum, usage), NO_USAGE),
      reserved: counted.reduce((sum, { reserved }) => sum + reserved, 0n),
    };
  });
}
