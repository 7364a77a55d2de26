import { cellAt } from "../domain/cell.ts";
import { formatCidr } from "../domain/cidr.ts";
import type { WalkCounts } from "../domain/job.ts";
import { Contended } from "../domain/outcome.ts";
import type { Context } from "./context.ts";
import { mayBeOf } from "./pool-walk.ts";
import type { CellOfPool } from "./reclaim.ts";
import { releaseAffinity } from "./release-affinities.ts";

/**
 * Takes every block of a cell, or every one that is empty, from its host; what is nobody's is left to the reclaimer. One that
 * kept changing is an error, so that the cell is come back to.
 */
export async function releaseCell(
  context: Context,
  { pool, index }: CellOfPool,
  mustBeEmpty: boolean,
): Promise<Omit<WalkCounts, "cells">> {
  const { space, id } = pool;
  const standing = await context.store.lookAtCell(space, cellAt(pool, index), { consistent: true });
  const done = { blocks: 0, deleted: 0, taken: 0, cooling: 0 };
  for (const { poolId, host, cidr } of standing) {
    if (poolId !== id || host === undefined) continue;
    const {
      status,
      inUse = 0,
      cooling = 0,
    } = await releaseAffinity(context, {
      space,
      host,
      cidr,
      mustBeEmpty,
    });
    if (status === "contended")
      throw new Contended(
        `block ${formatCidr(cidr)} kept changing while it was taken from its host`,
      );
    done.blocks++;
    if (status === "deleted") done.deleted++;
    done.taken += inUse;
    done.cooling += cooling;
  }
  // All others were worked on; whose these are is not known, so the walk does not leave them behind.
  const unread = standing.find((block) => block.unreadable && mayBeOf(pool, block));
  if (unread) throw unread.unreadable;
  return done;
}
