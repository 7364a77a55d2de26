import type { Cidr, Interval } from "../../net/cidr.ts";
import { isWhollyReserved } from "./block.ts";
import { blocksOfGroup, type Grid, groupAt, groupOrder } from "./block-group.ts";

/**
 * Returns the blocks of a block group that a host can claim: those that do not exist and are not wholly reserved. A
 * block group without any is full.
 *
 * @param current the blocks that exist in the group, of any owner
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

/**
 * Returns true if no block can be claimed in the pool when these groups are full. Wholly reserved groups do not count.
 */
export function isUsedUp(
  grid: Grid,
  full: ReadonlySet<bigint>,
  reserved: readonly Interval[],
): boolean {
  return groupOrder(grid, "", reserved, (index) => full.has(index)).next().done === true;
}
