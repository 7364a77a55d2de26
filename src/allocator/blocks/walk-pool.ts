import type { Address } from "../../domain/address.ts";
import type { Block } from "../../domain/block.ts";
import { groupAt } from "../../domain/block-group.ts";
import { contains, intervalOf } from "../../domain/cidr.ts";
import type { Pool } from "../../domain/pool.ts";
import type { Context } from "../core/context.ts";

/** Returns true if a block belongs to this pool, or may do so because it cannot be read. */
export const mayBeOf = ({ id, cidr }: Pool, { poolId, unreadable, cidr: block }: Block): boolean =>
  poolId === id ||
  (unreadable !== undefined && contains(cidr, { family: block.family, value: block.base }));

/** A stretch of a pool that a walk has read. */
interface Stretch {
  /** The blocks in it, in order of address, also those that cannot be read. */
  readonly blocks: readonly Block[];
  /** The last address of the step; a walk that stops here continues after it. */
  readonly last: Address;
}

/**
 * Walks the blocks of a pool in order of address, one block group of its index at a time, with consistent reads. The index is a superset
 * of the groups that hold blocks, so the walk sees every block that exists all the time.
 *
 * @param after the address after which the walk begins
 */
export async function* walkPool(
  context: Context,
  pool: Pool,
  after: Address | undefined,
): AsyncGenerator<Stretch> {
  const { store } = context;
  const past = after?.family === pool.cidr.family ? after.value : -1n;
  const { groups } = await store.readBlockGroupIndex(pool.space, pool.id, { consistent: true });
  for (const index of [...groups].sort((a, b) => (a < b ? -1 : 1))) {
    const group = groupAt(pool, index);
    const { family, last } = intervalOf(group);
    if (last <= past) continue;
    const blocks = (await store.scanGroup(pool.space, group, { consistent: true }))
      .filter((block) => mayBeOf(pool, block) && block.cidr.base > past)
      .sort((a, b) => (a.cidr.base < b.cidr.base ? -1 : 1));
    yield { blocks, last: { family, value: last } };
  }
}
