import { CorruptItemError, orCorrupt } from "../../../base/outcome.ts";
import { deleteEmptyBlock } from "../../../kernel/blocks/delete-empty-block.ts";
import { clearGroup } from "../../../kernel/blocks/full-group-hint.ts";
import { asHint } from "../../../kernel/core/bounded-work.ts";
import { configurationOf } from "../../../kernel/core/configuration.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import {
  type Block,
  coolingIn,
  emptyAndOldAtMs,
  isEmpty,
  takenIn,
} from "../../../kernel/values/block.ts";
import { groupAt } from "../../../kernel/values/block-group.ts";
import { contains } from "../../../net/cidr.ts";
import type { GroupCounts } from "../../job/job.ts";
import { JOB_BLOCKS_AT_ONCE } from "../limits.ts";
import { type Pool, subnetIdOf } from "../pool.ts";
import { cooldownMsOfSubnet } from "../subnet.ts";

/**
 * Deletes the empty blocks in a block group of a pool that serves no request any more. It needs no earlier mark: the
 * revision from a consistent read proves as much as a mark from an earlier run (I6). It leaves blocks that are in use
 * or younger than their minimum age. Lost affinities and other hints are left to the reclaim run.
 *
 * @returns the counts of the block group, and the items that cannot be read
 */
export async function drainGroup(
  context: Context,
  pool: Pool,
  index: bigint,
): Promise<GroupCounts & { readonly failures: readonly CorruptItemError[] }> {
  const { space } = pool;
  const inGroup = await context.store.scanGroup(space, groupAt(pool, index), { consistent: true });
  const current = inGroup.filter(({ cidr }) =>
    contains(pool.cidr, { family: cidr.family, value: cidr.base }),
  );
  const failures: CorruptItemError[] = [];
  const done = { blocks: current.length, deleted: 0, taken: 0, cooling: 0 };
  let readyAtMs = 0;
  const drain = async (block: Block) => {
    if (block.unreadable) {
      // The contents and the host of an unreadable block are unknown.
      failures.push(block.unreadable);
      return;
    }
    const configuration = await configurationOf(context, space);
    const { settings } = configuration;
    const nowMs = context.now();
    const cooldownMs = cooldownMsOfSubnet(configuration, subnetIdOf(pool));
    done.taken += takenIn(block);
    done.cooling += coolingIn(block, nowMs, cooldownMs);
    const ready = emptyAndOldAtMs(block, cooldownMs, 1_000 * settings.blockMinAgeSeconds);
    if (ready !== undefined && ready > nowMs) readyAtMs = Math.max(readyAtMs, ready);
    // A block of another pool that had or will have this range is not judged by the rules of this pool.
    if (block.poolId !== subnetIdOf(pool) || !isEmpty(block, { nowMs, cooldownMs })) return;
    if (nowMs - block.claimedAtMs < 1_000 * settings.blockMinAgeSeconds) return;
    const deleted = await orCorrupt(deleteEmptyBlock(context, block));
    if (deleted instanceof CorruptItemError) failures.push(deleted);
    else if (deleted) done.deleted++;
  };
  try {
    await inParallel(current, JOB_BLOCKS_AT_ONCE, drain);
  } finally {
    // A block group that lost a block is not full. An assign can find it if the pool is enabled again.
    if (done.deleted > 0) await asHint(() => clearGroup(context, pool, index));
  }
  const [first] = failures;
  return {
    ...done,
    ...(first && { unreadable: first.message }),
    ...(readyAtMs > 0 && { readyAtMs }),
    failures,
  };
}
