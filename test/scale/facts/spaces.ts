import { BLOCKS_PER_CELL, cellCount } from "../../../src/domain/cell.ts";
import type { Cidr } from "../../../src/domain/cidr.ts";
import { hostId } from "../../../src/domain/host.ts";
import type { Pool } from "../../../src/domain/pool.ts";
import type { Item } from "../../../src/store/table.ts";
import { cellCrowd, fullBlocks, hostCrowd } from "../crowds.ts";
import type { LargeTable } from "../large-table.ts";
import { mapPages, poolOf, putSpace, rowItem } from "../scene.ts";

/** Blocks of a host in the large space. */
const BLOCKS_PER_HOST = 20;
const ADDRESSES_PER_BLOCK = 64;

/**
 * Puts a space with one pool whose blocks all stand, full, those of a cell each another host's.
 *
 * @param left cells at the end of the pool in which nothing stands
 */
export function putLargeSpace(items: LargeTable, space: string, cidr: string, left = 0): Pool {
  const pool = poolOf(space, "main", cidr);
  const cells = Number(cellCount(pool)) - left;
  const hosts = Math.ceil((cells * BLOCKS_PER_CELL) / BLOCKS_PER_HOST);
  putSpace(items, space, [pool]);
  const full = fullBlocks(pool);
  const blockAt = (block: number): Cidr => ({
    ...pool.cidr,
    base: pool.cidr.base + BigInt(block * ADDRESSES_PER_BLOCK),
    prefix: pool.blockSize,
  });
  const blocksIn = (cell: number) =>
    Array.from({ length: BLOCKS_PER_CELL }, (_, i) => {
      const block = cell * BLOCKS_PER_CELL + i;
      return full(blockAt(block), hostId("host", `node-${block % hosts}`));
    });
  items.addCrowd(cellCrowd(pool, cells, blocksIn));
  const rowsOf = (host: number): Item[] =>
    Array.from({ length: BLOCKS_PER_HOST }, (_, place) => host + place * hosts)
      .filter((block) => block < cells * BLOCKS_PER_CELL)
      .map((block, place) => rowItem(pool, hostId("host", `node-${host}`), place, blockAt(block)));
  items.addCrowd(hostCrowd(space, hosts, rowsOf));
  const indexes = Array.from({ length: cells }, (_, i) => BigInt(i));
  for (const page of mapPages(pool, indexes, () => true)) items.put(page);
  return pool;
}
