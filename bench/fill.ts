import { type Context, fresh } from "../src/allocator/core/context.ts";
import { inParallel } from "../src/allocator/core/parallel.ts";
import { capacityOf } from "../src/domain/block.ts";
import { blocksOfCell, cellAt } from "../src/domain/block-group.ts";
import { type Cidr, formatCidr } from "../src/domain/cidr.ts";
import { handleHash } from "../src/domain/hash.ts";
import { hostId } from "../src/domain/host.ts";
import type { Pool } from "../src/domain/pool.ts";
import type { Slot } from "../src/domain/slot.ts";

const WRITES_AT_ONCE = 16;

/** Puts full blocks of somebody else into a cell until so many ranges are left; what stands there already stays. */
export async function fillCell(
  context: Context,
  pool: Pool,
  index: bigint,
  left: number,
): Promise<void> {
  const cell = cellAt(pool, index);
  const blocks = await context.store.lookAtCell(pool.space, cell, { consistent: true });
  const standing = new Set(blocks.map(({ cidr }) => formatCidr(cidr)));
  const absent = blocksOfCell(pool, cell).filter((cidr) => !standing.has(formatCidr(cidr)));
  await inParallel(absent.slice(left), WRITES_AT_ONCE, (cidr) => putBlock(context, pool, cidr));
}

/** Leaves nothing free in a cell: a full block takes the place of each that has room. */
export async function useUpCell(context: Context, pool: Pool, index: bigint): Promise<void> {
  const cell = cellAt(pool, index);
  for (const block of await context.store.lookAtCell(pool.space, cell, { consistent: true })) {
    const taken = [...block.slots.values()].filter(({ kind }) => kind === "taken").length;
    if (taken < capacityOf(block)) await context.store.deleteBlock(block);
  }
  await fillCell(context, pool, index, 0);
}

/** Puts a block of somebody else in which so many addresses are taken: all of them if it is not said. */
export async function putBlock(
  context: Context,
  pool: Pool,
  cidr: Cidr,
  taken = capacityOf({ cidr }),
): Promise<void> {
  const slot: Slot = { kind: "taken", token: fresh(context), handleHash: handleHash("somebody") };
  await context.store.createBlock({
    space: pool.space,
    cidr,
    pool: pool.name,
    poolId: pool.id,
    host: hostId("host", "somebody"),
    claimedAtMs: context.now(),
    slots: new Map(Array.from({ length: taken }, (_, n) => [n, slot])),
    epoch: fresh(context),
    revision: fresh(context),
  });
}

/** Enters cells into the map of the pool, and calls those full that are. */
export async function enterCells(
  context: Context,
  { space, id }: Pool,
  cells: readonly bigint[],
  isFull: (index: bigint) => boolean,
): Promise<void> {
  await inParallel(cells, WRITES_AT_ONCE, async (index) => {
    await context.store.addCell(space, id, index);
    if (isFull(index)) await context.store.markFull(space, id, index);
  });
}
