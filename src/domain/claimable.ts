import { isWhollyReserved } from "./block.ts";
import { blocksOfGroup, type Grid, groupAt, groupOrder } from "./block-group.ts";
import type { Cidr, Interval } from "./cidr.ts";

/**
 * The blocks of a block group that a host may claim: none stands there, and not every address of theirs is reserved. A block group without
 * any is full.
 *
 * @param current the blocks that stand in it, whosoever they are
 */
export function claimableIn(
  grid: Grid,
  index: bigint,
  current: readonly Cidr[],
  reserved: readonly Interval[],
): readonly Cidr[] {
  const there = new Set(current.map(({ base }) => base));
  return blocksOfGroup(grid, groupAt(grid, index)).filter(
    (cidr) => !there.has(cidr.base) && !isWhollyReserved(cidr, reserved),
  );
}

/** Is there no block group where a block may be claimed, if these are full? Block groups that are reserved as a whole do not count. */
export function isUsedUp(
  grid: Grid,
  full: ReadonlySet<bigint>,
  reserved: readonly Interval[],
): boolean {
  return groupOrder(grid, "", reserved, (index) => full.has(index)).next().done === true;
}
