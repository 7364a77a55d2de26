import { cellAt } from "../domain/cell.ts";
import { formatCidr } from "../domain/cidr.ts";
import type { WalkCounts } from "../domain/job.ts";
import { Contended, type Unreadable } from "../domain/outcome.ts";
import type { Context } from "./context.ts";
import { clearCell } from "./full.ts";
import { mayBeOf } from "./pool-walk.ts";
import type { CellOfPool } from "./reclaim.ts";
import { releaseAffinity } from "./release-affinities.ts";

/**
 * Takes every block of a cell, or every one that is empty, from its host; what is nobody's is left to the reclaimer. One that
 * kept changing, or that something which cannot be read keeps from being taken, is an error, so that the cell is come back to.
 */
export async function releaseCell(
  context: Context,
  { pool, index }: CellOfPool,
  mustBeEmpty: boolean,
): Promise<Omit<WalkCounts, "cells">> {
  const { space, id } = pool;
  const standing = await context.store.lookAtCell(space, cellAt(pool, index), { consistent: true });
  const done = { blocks: 0, deleted: 0, taken: 0, cooling: 0 };
  const unread: Unreadable[] = [];
  // A cell that lost a block is not full, also where it could not be gone through.
  const clear = async () => {
    if (done.deleted > 0) await clearCell(context, pool, index);
  };
  for (const { poolId, host, cidr } of standing) {
    if (poolId !== id || host === undefined) continue;
    const {
      status,
      inUse = 0,
      cooling = 0,
      unreadable,
    } = await releaseAffinity(context, {
      space,
      host,
      cidr,
      mustBeEmpty,
    });
    if (status === "contended") await clear();
    if (status === "contended")
      throw new Contended(
        `block ${formatCidr(cidr)} kept changing while it was taken from its host`,
      );
    if (unreadable) unread.push(unreadable);
    done.blocks++;
    if (status === "deleted") done.deleted++;
    done.taken += inUse;
    done.cooling += cooling;
  }
  await clear();
  for (const block of standing)
    if (block.unreadable && mayBeOf(pool, block)) unread.push(block.unreadable);
  // All others were worked on; these are still their hosts', or may be, so the walk does not leave them behind.
  const [first] = unread;
  if (first) throw first;
  return done;
}
