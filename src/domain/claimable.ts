import { isWhollyReserved } from "./block.ts";
import { blocksOfCell, cellAt, cellOrder, type Grid } from "./block-group.ts";
import type { Cidr, Interval } from "./cidr.ts";

/**
 * The blocks of a cell that a host may claim: none stands there, and not every address of theirs is reserved. A cell without
 * any is full.
 *
 * @param standing the blocks that stand in it, whosoever they are
 */
export function claimableIn(
  grid: Grid,
  index: bigint,
  standing: readonly Cidr[],
  reserved: readonly Interval[],
): readonly Cidr[] {
  const there = new Set(standing.map(({ base }) => base));
  return blocksOfCell(grid, cellAt(grid, index)).filter(
    (cidr) => !there.has(cidr.base) && !isWhollyReserved(cidr, reserved),
  );
}

/** Is there no cell where a block may be claimed, if these are full? Cells that are reserved as a whole do not count. */
export function isUsedUp(
  grid: Grid,
  full: ReadonlySet<bigint>,
  reserved: readonly Interval[],
): boolean {
  return cellOrder(grid, "", reserved, (index) => full.has(index)).next().done === true;
}
