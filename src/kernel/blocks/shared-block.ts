import type { Cidr } from "../../net/cidr.ts";
import { type Pool, subnetIdOf } from "../../nouns/pool/pool.ts";
import type { Context } from "../core/context.ts";
import type { Block } from "../values/block.ts";
import { newSharedBlock } from "../values/block-changes.ts";
import { claimFields } from "./claim-block.ts";
import { enterGroup } from "./enter-group.ts";

/**
 * Reads a block of a ranged pool, or makes it if there is none: its group in the index → the block without a host, put if absent.
 *
 * @returns the block, whoever made it; nothing if the outcome is unknown, or if a block of an earlier pool is still there
 */
export async function readOrMakeBlock(
  context: Context,
  pool: Pool,
  cidr: Cidr,
): Promise<Block | undefined> {
  const there = await context.store.readBlock(pool.space, cidr);
  return there ? ofSubnet(pool, there) : makeBlock(context, pool, cidr);
}

/** Makes a block of a ranged pool as `readOrMakeBlock` does, after a read did not find it. */
export async function makeBlock(
  context: Context,
  pool: Pool,
  cidr: Cidr,
): Promise<Block | undefined> {
  const { store } = context;
  await enterGroup(context, pool, cidr);
  const created = await store.createBlock(
    newSharedBlock(pool, cidr, claimFields(context, undefined)),
  );
  const block =
    created.outcome === "unknown" ? await store.readBlock(pool.space, cidr) : created.item;
  return block && ofSubnet(pool, block);
}

/** A block that an earlier pool left serves no request. */
const ofSubnet = (pool: Pool, block: Block): Block | undefined =>
  block.poolId === subnetIdOf(pool) ? block : undefined;
