import { groupAt } from "../../../domain/block-group.ts";
import { type Cidr, contains, sameCidr } from "../../../domain/cidr.ts";
import type { HostId } from "../../../domain/host.ts";
import { RECLAIM_BLOCKS_AT_ONCE } from "../../../domain/limits.ts";
import { CorruptItemError, orCorrupt } from "../../../domain/outcome.ts";
import { type Pool, subnetIdOf } from "../../../domain/pool.ts";
import { cooldownMsOfSubnet } from "../../../domain/subnet.ts";
import { correctAfterwards } from "../../blocks/full-group-hint.ts";
import { configurationOf } from "../../core/configuration.ts";
import type { Context } from "../../core/context.ts";
import { inParallel } from "../../core/parallel.ts";
import { type HostSeen, reclaimBlock } from "./reclaim-block.ts";

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
  await inParallel(current, RECLAIM_BLOCKS_AT_ONCE, async (block) => {
    // A scheduled run is long, so each block is judged by the configuration at that time, as operators are promised.
    // The configuration is a copy in memory, checked every few seconds.
    const configuration = await configurationOf(context, pool.space);
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
  return { ...done, blocks: current.length, isFull, failures };
}
