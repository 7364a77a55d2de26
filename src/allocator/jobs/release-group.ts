import { groupAt } from "../../domain/block-group.ts";
import { formatCidr } from "../../domain/cidr.ts";
import type { GroupCounts } from "../../domain/job.ts";
import { JOB_BLOCKS_AT_ONCE } from "../../domain/limits.ts";
import { ContentionError } from "../../domain/outcome.ts";
import type { Pool } from "../../domain/pool.ts";
import { releaseAffinity } from "../affinities/release-range.ts";
import { clearGroup } from "../blocks/full-group-hint.ts";
import { mayBeOf } from "../blocks/walk-pool.ts";
import type { Context } from "../core/context.ts";
import { asHint } from "../core/hint.ts";
import { inParallel } from "../core/parallel.ts";

/**
 * Takes every block of a block group, or every one that is empty, from its host; what is nobody's is left to the reclaimer.
 * A block that kept changing is an error when all others are done; so is one that something unreadable keeps from being taken.
 * The job comes back to such a block group.
 */
export async function releaseGroup(
  context: Context,
  pool: Pool,
  index: bigint,
  mustBeEmpty: boolean,
): Promise<GroupCounts> {
  const { space, id } = pool;
  const current = await context.store.scanGroup(space, groupAt(pool, index), { consistent: true });
  const done = { blocks: 0, deleted: 0, taken: 0, cooling: 0 };
  const left: Error[] = current.flatMap((block) =>
    block.unreadable && mayBeOf(pool, block) ? [block.unreadable] : [],
  );
  try {
    await inParallel(current, JOB_BLOCKS_AT_ONCE, async (seen) => {
      const { poolId, host, cidr } = seen;
      if (seen.unreadable || poolId !== id || host === undefined) return;
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
            `block ${formatCidr(cidr)} kept changing while it was taken from its host`,
          ),
        );
      done.blocks++;
      if (status === "deleted") done.deleted++;
      done.taken += inUse;
      done.cooling += cooling;
    });
  } finally {
    // A block group that lost a block is not full, also where it could not be gone through.
    if (done.deleted > 0) await asHint(() => clearGroup(context, pool, index));
  }
  // All others were worked on; these are still their hosts', or may be, so the walk does not leave them behind.
  const [first] = left;
  if (first) throw first;
  return done;
}
