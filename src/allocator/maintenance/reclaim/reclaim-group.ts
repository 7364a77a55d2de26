import { groupAt } from "../../../domain/block-group.ts";
import { type Cidr, contains, sameCidr } from "../../../domain/cidr.ts";
import type { HostId } from "../../../domain/host.ts";
import { RECLAIM_BLOCKS_AT_ONCE } from "../../../domain/limits.ts";
import { CorruptItemError, unlessCorrupt } from "../../../domain/outcome.ts";
import type { Pool } from "../../../domain/pool.ts";
import { correctAfterwards } from "../../blocks/full-group-hint.ts";
import { configurationOf } from "../../core/configuration.ts";
import type { Context } from "../../core/context.ts";
import { inParallel } from "../../core/parallel.ts";
import { type HostSeen, reclaimBlock } from "./reclaim-block.ts";

/** A block group of a pool's index. */
export interface GroupOfPool {
  readonly pool: Pool;
  readonly index: bigint;
  /** Was it called full? */
  readonly full: boolean;
}

/** The counts of one block group, and of the changes to it. */
interface GroupReclaimed {
  readonly blocks: number;
  readonly markedIdle: number;
  readonly deleted: number;
  readonly affinitiesRestored: number;
  /** May no block of it be claimed? Nothing where nobody can say, or all of it is reserved. */
  readonly isFull: boolean | undefined;
  /** Items that could not be read; the rest of the block group was handled. */
  readonly failures: readonly CorruptItemError[];
}

/**
 * Gives up what is empty in a block group, some blocks at once, by the rules of `reclaimBlock`, and puts the hint right that it is full.
 * The look is eventually consistent, and the revisions that it saw decide.
 *
 * @param startedAtMs when the scheduled run began: only marks of earlier ones count
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
    // A scheduled run is long: each block is judged, after it was looked at, by the configuration of that time, as an operator was
    // promised. It is a copy in memory but for one question each few seconds.
    const { settings, pools } = await configurationOf(context, pool.space);
    const now = pools.find(({ id }) => id === pool.id) ?? pool;
    if (block.unreadable) {
      // What is in it, and whose it is, nobody knows.
      failures.push(block.unreadable);
      return;
    }
    // The block of another pool, before or after this one, is not to be judged by the rules of this.
    if (block.poolId !== pool.id) return;
    const judgement = { settings, pools, pool: now, startedAtMs, hosts };
    const outcome = await unlessCorrupt(reclaimBlock(context, block, judgement));
    if (outcome instanceof CorruptItemError) failures.push(outcome);
    else done[outcome]++;
    if (outcome === "deleted") deleted.push(block.cidr);
  });
  const left = current
    .map(({ cidr }) => cidr)
    .filter((cidr) => !deleted.some((gone) => sameCidr(gone, cidr)));
  // The hint is put right here, so that a block that became free, by a release or a reservation, is not passed over for ever.
  const hint = { current: left, isCalledFull: full };
  const isFull = await correctAfterwards(context, pool, index, hint);
  return { ...done, blocks: current.length, isFull, failures };
}
