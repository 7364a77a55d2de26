import { type Networks, networkAt } from "../../net/address-set.ts";
import { type Cidr, formatCidr } from "../../net/cidr.ts";
import { type Pool, subnetIdOf } from "../../nouns/pool/pool.ts";
import type { Context } from "../core/context.ts";
import type { Block } from "../values/block.ts";
import { newSharedBlock } from "../values/block-changes.ts";
import type { Random } from "../values/fresh.ts";
import { claimFields, enterGroup } from "./claim-block.ts";

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

/**
 * Returns the block groups of a set that one request reads, at most `countMax`. If the set has more, all but the first are drawn at
 * random, so that the next request reads others.
 *
 * @param from.first the group that comes first
 * @param from.next the number of the group that comes next if all are read; the others follow it in order
 */
export function someGroups(
  groups: Networks,
  { first, next }: { readonly first: Cidr; readonly next: bigint },
  countMax: number,
  { fraction }: Random,
): readonly Cidr[] {
  const { count } = groups;
  const order = new Map([[formatCidr(first), first]]);
  const isWhole = count <= BigInt(countMax);
  for (let i = 0n; order.size < (isWhole ? Number(count) : countMax); i++) {
    const k = isWhole ? next + i : BigInt(Math.floor(fraction() * Number(count)));
    const group = networkAt(groups, k % count);
    order.set(formatCidr(group), group);
  }
  return [...order.values()];
}
