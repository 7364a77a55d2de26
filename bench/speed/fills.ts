import {
  BLOCKS_PER_CELL,
  blocksOfCell,
  cellAt,
  cellCount,
  cellOrder,
} from "../../src/domain/block-group.ts";
import { hostId } from "../../src/domain/host.ts";
import type { Pool } from "../../src/domain/pool.ts";
import { enterCells, putBlock } from "../fill.ts";
import type { Bed } from "./bed.ts";

/** Blocks put at once, so that memory stays small. */
const BLOCKS_PER_LOAD = 2_048;
/** Of a block of 64, how much is taken where hosts have room in theirs. */
const HALF = 32;
/** Hosts that the blocks of a large pool belong to have so many each. */
const BLOCKS_PER_HOST = 10;

/** Puts so many half full blocks into a pool, in the cells in which their hosts would have claimed them. */
export async function fillByHosts(bed: Bed, pool: Pool, blocks: number): Promise<void> {
  const standing = new Map<bigint, number>();
  for (let host = 0; host * BLOCKS_PER_HOST < blocks; host++) {
    const cells = cellOrder(pool, hostId("host", `filler-${host}`));
    let left = Math.min(BLOCKS_PER_HOST, blocks - host * BLOCKS_PER_HOST);
    for (const cell of cells) {
      const before = standing.get(cell) ?? 0;
      const here = Math.min(left, BLOCKS_PER_CELL - before);
      standing.set(cell, before + here);
      left -= here;
      if (left === 0) break;
    }
  }
  await fillCells(bed, pool, standing, HALF);
}

/** Fills a pool but for so many blocks, which are spread over its cells; answers those that stand, last cells first. */
export async function fillUp(bed: Bed, pool: Pool, free: number): Promise<void> {
  const cells = Number(cellCount(pool));
  const standing = new Map(
    Array.from({ length: cells }, (_, cell) => {
      const open = Math.floor((free * (cell + 1)) / cells) - Math.floor((free * cell) / cells);
      return [BigInt(cell), BLOCKS_PER_CELL - open] as const;
    }),
  );
  await fillCells(bed, pool, standing);
}

/** Puts so many blocks into each cell, and what the pool's map would say of them. */
async function fillCells(
  bed: Bed,
  pool: Pool,
  standing: ReadonlyMap<bigint, number>,
  taken?: number,
): Promise<void> {
  const used = [...standing].filter(([, count]) => count > 0);
  let cidrs = used.flatMap(([cell, count]) =>
    blocksOfCell(pool, cellAt(pool, cell)).slice(0, count),
  );
  for (; cidrs.length > 0; cidrs = cidrs.slice(BLOCKS_PER_LOAD))
    await bed.inBulk((context) =>
      Promise.all(
        cidrs.slice(0, BLOCKS_PER_LOAD).map((cidr) => putBlock(context, pool, cidr, taken)),
      ),
    );
  await bed.inBulk((context) =>
    enterCells(
      context,
      pool,
      used.map(([cell]) => cell),
      (cell) => standing.get(cell) === BLOCKS_PER_CELL,
    ),
  );
}
