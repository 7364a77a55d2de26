import { type Pool, subnetIdOf } from "../../nouns/pool/pool.ts";
import { onePerSubnet } from "../../nouns/pool/subnet.ts";
import type { SpacePosition } from "../../nouns/space/space.ts";
import type { Context } from "../core/context.ts";
import type { GroupOfPool } from "./reclaim-group.ts";

/** Pages of a pool's block-group index that it reads at once, with some KB each at most. */
const RECLAIM_PAGES_PER_READ = 16;

/** A block group on a walk through a space, and the position from which a later run continues after it. */
export interface GroupOnWay {
  readonly pool: Pool;
  /** Absent for those of pages of the index that could not be read. */
  readonly group?: GroupOfPool;
  readonly position: SpacePosition;
}

/**
 * Yields the block groups that may hold blocks of some pools after a position, page by page of their indexes, those of a subnet
 * once. It reads
 * only some pages of a large index at once. The reads are eventually consistent, so a new block group may appear only
 * in the next run.
 *
 * @param failures receives what could not be read; the walk continues with the others
 */
export async function* groupsOfSpace(
  { store }: Context,
  pools: readonly Pool[],
  position: SpacePosition | undefined,
  failures: unknown[],
): AsyncGenerator<GroupOnWay> {
  for (const pool of onePerSubnet(pools).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (position && pool.name < position.pool) continue;
    let { page: after, group: behind = -1n } = position?.pool === pool.name ? position : {};
    for (let more = true; more; ) {
      const {
        items: pages,
        unreadable,
        next,
      } = await store.readIndexPages(pool.space, subnetIdOf(pool), {
        after,
        limit: RECLAIM_PAGES_PER_READ,
      });
      failures.push(...unreadable);
      const at = (group: bigint): SpacePosition => ({
        pool: pool.name,
        ...(after !== undefined && { page: after }),
        ...(group >= 0n && { group }),
      });
      if (unreadable.length > 0) yield { pool, position: at(behind) };
      for (const { page, groups, full } of pages) {
        const ahead = [...groups].filter((index) => index > behind).sort(byIndex);
        for (const index of ahead)
          yield { pool, group: { pool, index, full: full.has(index) }, position: at(index) };
        after = page;
        behind = -1n;
      }
      after = next;
      more = next !== undefined;
    }
  }
}

const byIndex = (a: bigint, b: bigint): number => (a < b ? -1 : 1);
