import type { AddressSet } from "../../net/address-set.ts";
import { type Pool, subnetIdOf } from "../../nouns/pool/pool.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import type { Block } from "../values/block.ts";
import { groupAt } from "../values/block-group.ts";
import { mayBeOf, touches } from "./walk-pool.ts";

/** Block groups that a delete reads before it is accepted, some in parallel; in a larger pool it reads only some. */
export const IN_USE_GROUPS_MAX = 128;
const IN_USE_GROUPS_AT_ONCE = 8;

/** The blocks in which a set of a pool has addresses, as far as they were looked at. */
interface Look {
  readonly blocks: readonly Block[];
  /** Block groups in which the set has addresses, and how many of them were read. */
  readonly groups: number;
  readonly groupsLooked: number;
}

/**
 * Reads the blocks in which a set of a pool has addresses, in a limited number of block groups, with consistent reads.
 *
 * @throws {CorruptItemError} if one of the blocks cannot be read: its taken slots are unknown
 */
export async function lookAtSet(context: Context, pool: Pool, set: AddressSet): Promise<Look> {
  const { store } = context;
  const map = await store.readBlockGroupIndex(pool.space, subnetIdOf(pool), { consistent: true });
  const groups = [...map.groups].filter((index) => touches(set, groupAt(pool, index)));
  const some = groups.slice(0, IN_USE_GROUPS_MAX);
  const looks = await inParallel(some, IN_USE_GROUPS_AT_ONCE, (index) =>
    store.scanGroup(pool.space, groupAt(pool, index), { consistent: true }),
  );
  const blocks = looks.flat().filter((block) => mayBeOf(pool, block) && touches(set, block.cidr));
  const unread = blocks.find(({ unreadable }) => unreadable)?.unreadable;
  if (unread) throw unread;
  return { blocks, groups: groups.length, groupsLooked: some.length };
}
