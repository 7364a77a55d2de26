import { ContentionError } from "../../../base/outcome.ts";
import { releaseAffinity } from "../../../kernel/affinities/release-range.ts";
import { clearGroup } from "../../../kernel/blocks/full-group-hint.ts";
import { mayBeOf } from "../../../kernel/blocks/walk-pool.ts";
import { asHint } from "../../../kernel/core/bounded-work.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import { groupAt } from "../../../kernel/values/block-group.ts";
import { formatCidr } from "../../../net/cidr.ts";
import type { GroupCounts } from "../../job/job.ts";
import { JOB_BLOCKS_AT_ONCE } from "../limits.ts";
import { type Pool, subnetIdOf } from "../pool.ts";

/**
 * Releases the affinities of all blocks of a block group, or of the empty ones. Blocks without a host are left to the
 * reclaim run. After all others are done, the function throws if a block kept changing, or if an unreadable item kept
 * one from its release. The job comes back to such a block group.
 */
export async function releaseGroup(
  context: Context,
  pool: Pool,
  index: bigint,
  mustBeEmpty: boolean,
): Promise<GroupCounts> {
  const { space } = pool;
  const current = await context.store.scanGroup(space, groupAt(pool, index), { consistent: true });
  const done = { blocks: 0, deleted: 0, taken: 0, cooling: 0 };
  const left: Error[] = current.flatMap((block) =>
    block.unreadable && mayBeOf(pool, block) ? [block.unreadable] : [],
  );
  try {
    await inParallel(current, JOB_BLOCKS_AT_ONCE, async (seen) => {
      const { poolId, host, cidr } = seen;
      if (seen.unreadable || poolId !== subnetIdOf(pool) || host === undefined) return;
      const releasing = { space, host, cidr, mustBeEmpty, seen };
      const {
        status,
        inUse = 0,
        cooling = 0,
        unreadable,
      } = await releaseAffinity(context, releasing);
      if (unreadable) left.push(unreadable);
      if (status === "contended")
        left.push(
          new ContentionError(
            `block ${formatCidr(cidr)} kept changing while its affinity was released`,
          ),
        );
      done.blocks++;
      if (status === "deleted") done.deleted++;
      done.taken += inUse;
      done.cooling += cooling;
    });
  } finally {
    // A block group that lost a block is not full, even if some of its blocks could not be worked on.
    if (done.deleted > 0) await asHint(() => clearGroup(context, pool, index));
  }
  // These blocks still belong to their hosts, or may do so. The error keeps the walk from skipping them.
  const [first] = left;
  if (first) throw first;
  return done;
}
