import type { Cidr } from "../../net/cidr.ts";
import { type Pool, subnetIdOf } from "../../nouns/pool/pool.ts";
import { untilKnown } from "../core/compare-and-swap.ts";
import type { Context } from "../core/context.ts";
import { groupIndexOf, groupOf } from "../values/block-group.ts";

/** Enters a block group into the index before its first block is put, for readers that must see every block. */
export async function enterGroup(context: Context, pool: Pool, block: Cidr): Promise<void> {
  const index = groupIndexOf(pool, groupOf(block));
  const subnetId = subnetIdOf(pool);
  const known = `${pool.space}#${subnetId}#${index}`;
  if (context.cache.knowsGroup(known)) return;
  await untilKnown("a block group was entered into the block-group index", () =>
    context.store.addGroup(pool.space, subnetId, index),
  );
  context.cache.rememberGroup(known);
}
