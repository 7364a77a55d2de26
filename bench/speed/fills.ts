import {
  BLOCKS_PER_GROUP,
  blocksOfGroup,
  groupAt,
  groupCount,
  groupOrder,
} from "../../src/kernel/values/block-group.ts";
import { hostId } from "../../src/kernel/values/host.ts";
import type { Pool } from "../../src/nouns/pool/pool.ts";
import { enterGroups, putBlock } from "../fill.ts";
import type { Bed } from "./bed.ts";

/** Blocks per batch, so that memory stays small. */
const BLOCKS_PER_LOAD = 2_048;
/** The number of taken addresses in a block of 64 whose host has room. */
const HALF = 32;
/** Blocks of each host in a large pool. */
const BLOCKS_PER_HOST = 10;

/** Puts this many half-full blocks into a pool, in the block groups in which their hosts would have claimed them. */
export async function fillByHosts(bed: Bed, pool: Pool, blocks: number): Promise<void> {
  const current = new Map<bigint, number>();
  for (let host = 0; host * BLOCKS_PER_HOST < blocks; host++) {
    const groups = groupOrder(pool, hostId("host", `filler-${host}`));
    let left = Math.min(BLOCKS_PER_HOST, blocks - host * BLOCKS_PER_HOST);
    for (const group of groups) {
      const before = current.get(group) ?? 0;
      const here = Math.min(left, BLOCKS_PER_GROUP - before);
      current.set(group, before + here);
      left -= here;
      if (left === 0) break;
    }
  }
  await fillGroups(bed, pool, current, HALF);
}

/**
 * Fills a pool except for this many blocks, spread over its block groups. Returns the existing blocks, the last block
 * groups first.
 */
export async function fillUp(bed: Bed, pool: Pool, free: number): Promise<void> {
  const groups = Number(groupCount(pool));
  const current = new Map(
    Array.from({ length: groups }, (_, group) => {
      const open = Math.floor((free * (group + 1)) / groups) - Math.floor((free * group) / groups);
      return [BigInt(group), BLOCKS_PER_GROUP - open] as const;
    }),
  );
  await fillGroups(bed, pool, current);
}

/** Puts this many blocks into each block group, and the matching pages of the block-group index of the pool. */
async function fillGroups(
  bed: Bed,
  pool: Pool,
  current: ReadonlyMap<bigint, number>,
  taken?: number,
): Promise<void> {
  const used = [...current].filter(([, count]) => count > 0);
  let cidrs = used.flatMap(([group, count]) =>
    blocksOfGroup(pool, groupAt(pool, group)).slice(0, count),
  );
  for (; cidrs.length > 0; cidrs = cidrs.slice(BLOCKS_PER_LOAD))
    await bed.inBulk((context) =>
      Promise.all(
        cidrs.slice(0, BLOCKS_PER_LOAD).map((cidr) => putBlock(context, pool, cidr, taken)),
      ),
    );
  await bed.inBulk((context) =>
    enterGroups(
      context,
      pool,
      used.map(([group]) => group),
      (group) => current.get(group) === BLOCKS_PER_GROUP,
    ),
  );
}
