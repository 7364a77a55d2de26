import { RECLAIM_PAGES_PER_READ } from "../../../domain/limits.ts";
import type { Pool } from "../../../domain/pool.ts";
import type { SpacePosition } from "../../../domain/space.ts";
import type { Context } from "../../core/context.ts";
import type { GroupOfPool } from "./reclaim-group.ts";

/** A block group on the way through a space, and where whoever stops after it goes on. */
export interface GroupOnWay {
  readonly group: GroupOfPool;
  readonly position: SpacePosition;
}

/**
 * The block groups that may hold blocks of some pools, page by page of their maps, after a position. However large a map is, only some
 * of its pages are read at once: eventually consistent, so that a block group that was entered just now may come by the next time only.
 *
 * @param failures gets what could not be read; the others come all the same
 */
export async function* groupsAfter(
  { store }: Context,
  pools: readonly Pool[],
  position: SpacePosition | undefined,
  failures: unknown[],
): AsyncGenerator<GroupOnWay> {
  for (const pool of pools.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (position && pool.name < position.pool) continue;
    let { page: after, group: behind = -1n } = position?.pool === pool.name ? position : {};
    for (let more = true; more; ) {
      const { pages, unreadable, next } = await store.readIndexPages(pool.space, pool.id, {
        after,
        limit: RECLAIM_PAGES_PER_READ,
      });
      failures.push(...unreadable);
      for (const { page, groups, full } of pages) {
        const ahead = [...groups].filter((index) => index > behind).sort(byIndex);
        for (const index of ahead)
          yield {
            group: { pool, index, full: full.has(index) },
            position: {
              pool: pool.name,
              ...(after !== undefined && { page: after }),
              group: index,
            },
          };
        after = page;
        behind = -1n;
      }
      after = next;
      more = next !== undefined;
    }
  }
}

const byIndex = (a: bigint, b: bigint): number => (a < b ? -1 : 1);
