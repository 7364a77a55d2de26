import { cellAt } from "../../../domain/block-group.ts";
import { type Cidr, contains, sameCidr } from "../../../domain/cidr.ts";
import type { HostId } from "../../../domain/host.ts";
import { RECLAIM_BLOCKS_AT_ONCE } from "../../../domain/limits.ts";
import { Unreadable, unlessUnreadable } from "../../../domain/outcome.ts";
import type { Pool } from "../../../domain/pool.ts";
import { correctAfterwards } from "../../blocks/full-group-hint.ts";
import { configurationOf } from "../../core/configuration.ts";
import type { Context } from "../../core/context.ts";
import { inParallel } from "../../core/parallel.ts";
import { type HostSeen, reclaimBlock } from "./reclaim-block.ts";

/** A cell of a pool's map. */
export interface CellOfPool {
  readonly pool: Pool;
  readonly index: bigint;
  /** Was it called full? */
  readonly full: boolean;
}

/** What stood in one cell, and what was done there. */
interface CellReclaimed {
  readonly blocks: number;
  readonly markedIdle: number;
  readonly deleted: number;
  readonly rowsRestored: number;
  /** May no block of it be claimed? Nothing where nobody can say, or all of it is reserved. */
  readonly isFull: boolean | undefined;
  /** What could not be read: the rest of the cell was worked on. */
  readonly failures: readonly Unreadable[];
}

/**
 * Gives up what is empty in a cell, some blocks at once, by the rules of `reclaimBlock`, and puts the hint right that it is full.
 * The look is eventually consistent, and the revisions that it saw decide.
 *
 * @param startedAtMs when the pass began: only marks of earlier ones count
 */
export async function reclaimCell(
  context: Context,
  { pool, index, full }: CellOfPool,
  startedAtMs: number,
): Promise<CellReclaimed> {
  const inCell = await context.store.lookAtCell(pool.space, cellAt(pool, index), {
    consistent: false,
  });
  const standing = inCell.filter(({ cidr }) =>
    contains(pool.cidr, { family: cidr.family, value: cidr.base }),
  );
  const hosts = new Map<HostId, Promise<HostSeen>>();
  const failures: Unreadable[] = [];
  const deleted: Cidr[] = [];
  const done = { kept: 0, markedIdle: 0, deleted: 0, rowsRestored: 0 };
  await inParallel(standing, RECLAIM_BLOCKS_AT_ONCE, async (block) => {
    // A pass is long: each block is judged, after it was looked at, by the configuration of that time, as an operator was
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
    const outcome = await unlessUnreadable(reclaimBlock(context, block, judgement));
    if (outcome instanceof Unreadable) failures.push(outcome);
    else done[outcome]++;
    if (outcome === "deleted") deleted.push(block.cidr);
  });
  const left = standing
    .map(({ cidr }) => cidr)
    .filter((cidr) => !deleted.some((gone) => sameCidr(gone, cidr)));
  // The hint is put right here, so that a block that became free, by a release or a reservation, is not passed over for ever.
  const hint = { standing: left, isCalledFull: full };
  const isFull = await correctAfterwards(context, pool, index, hint);
  return { ...done, blocks: standing.length, isFull, failures };
}
