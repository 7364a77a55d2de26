import { fnv1a64 } from "../../base/hash.ts";
import type { Address } from "../../net/address.ts";
import {
  type Cidr,
  cidrOf,
  contains,
  type Interval,
  includes,
  intervalOf,
  sizeOf,
} from "../../net/cidr.ts";
import { isWhollyReserved } from "./block.ts";

/**
 * A block group is 64 consecutive blocks, aligned: a /20 of /26 blocks, a /116 of /122 blocks. Its blocks share a partition,
 * so one Query shows which of them are free, whatever the size of the pool.
 */
export const BLOCKS_PER_GROUP = 64;
export const GROUP_BITS = Math.log2(BLOCKS_PER_GROUP);

/**
 * Hosts start in a window of this many block groups of a pool, so that its index stays small. When these are full, the
 * next window follows.
 */
export const GROUPS_PER_WINDOW = 4_096n;

/** The fields of a pool that its geometry needs. */
interface Grid {
  readonly cidr: Cidr;
  readonly blockSize: number;
}

export function blockOf(address: Address, blockSize: number): Cidr {
  return cidrOf(address, blockSize);
}

/** Returns true if this can be a block of the pool. A block of an earlier pool of the same name can have another size. */
export function isBlockOf({ cidr, blockSize }: Grid, block: Cidr): boolean {
  return block.prefix === blockSize && includes(intervalOf(cidr), intervalOf(block));
}

export function groupOf(block: Cidr): Cidr {
  return cidrOf({ family: block.family, value: block.base }, block.prefix - GROUP_BITS);
}

/** Returns the number of block groups of a pool: a power of two, at least one. */
export function groupCount({ cidr, blockSize }: Grid): bigint {
  const bits = blockSize - GROUP_BITS - cidr.prefix;
  return bits > 0 ? 1n << BigInt(bits) : 1n;
}

/** Returns the block group at an index of the pool. Inverse of `groupIndexOf`. */
export function groupAt(grid: Grid, index: bigint): Cidr {
  const first = groupOf({ ...grid.cidr, prefix: grid.blockSize });
  return { ...first, base: first.base + sizeOf(first) * index };
}

export function groupIndexOf(grid: Grid, group: Cidr): bigint {
  const first = groupAt(grid, 0n);
  return (group.base - first.base) / sizeOf(first);
}

/** Returns the blocks of a block group that lie in the pool, at most 64. */
export function blocksOfGroup({ cidr, blockSize }: Grid, group: Cidr): Cidr[] {
  const first = { ...group, prefix: blockSize };
  return Array.from({ length: BLOCKS_PER_GROUP }, (_, i) => ({
    ...first,
    base: group.base + BigInt(i) * sizeOf(first),
  })).filter((block) => contains(cidr, { family: block.family, value: block.base }));
}

/**
 * Yields the blocks of a pool in a range, in order. The range must have at least one address and begin in the pool. The
 * part beyond the pool has no blocks.
 *
 * @param after yields only blocks that begin after this address
 */
export function* blocksIn(
  { cidr, blockSize }: Grid,
  range: Cidr,
  after?: Address | undefined,
): Generator<Cidr> {
  const first = { ...range, prefix: blockSize };
  const step = sizeOf(first);
  const from =
    after === undefined || after.value < first.base ? first.base : pastBlock(after.value, step);
  const { last } = intervalOf(range.prefix > cidr.prefix ? range : cidr);
  for (let base = from; base <= last; base += step) yield { ...first, base };
}

/** Returns the start of the next block. */
const pastBlock = (value: bigint, step: bigint): bigint => value - (value % step) + step;

/**
 * Yields the block groups of a pool in the order of a name. It starts at the group that the name hashes to (FNV-1a),
 * and continues in strides of a second hash, window by window. The stride is odd and the size of a window a power of
 * two, so every group comes exactly once. It skips groups and whole windows that are reserved.
 *
 * @param name the host's name for its order; a random text for a random order
 * @param isPassed returns true for further groups to skip; it is called when their turn comes
 */
export function* groupOrder(
  grid: Grid,
  name: string,
  reserved: readonly Interval[] = [],
  isPassed: (index: bigint) => boolean = () => false,
): Generator<bigint> {
  const count = groupCount(grid);
  const window = count < GROUPS_PER_WINDOW ? count : GROUPS_PER_WINDOW;
  const start = fnv1a64(name);
  const stride = fnv1a64(`${name}/stride`) | 1n;
  for (let base = 0n; base < count; base += window) {
    const run = runAround(groupsAt(grid, base, base + window - 1n), reserved);
    if (run) {
      // Continues in the window of the first group that the reserved run leaves something of.
      const behind = { ...run, value: run.last + 1n };
      const left = groupIndexOf(grid, groupOf(blockOf(behind, grid.blockSize)));
      const skipped = (left - base) / window;
      base += (skipped > 1n ? skipped - 1n : 0n) * window;
      continue;
    }
    for (let probe = 0n; probe < window; probe++) {
      const index = base + ((start + probe * stride) % window);
      if (!isPassed(index) && !isReservedGroup(grid, index, reserved)) yield index;
    }
  }
}

/** Returns true if every address of a block group that lies in the pool is reserved. */
export const isReservedGroup = (
  grid: Grid,
  index: bigint,
  reserved: readonly Interval[],
): boolean =>
  reserved.length > 0 && runAround(groupsAt(grid, index, index), reserved) !== undefined;

/** Returns the addresses of a run of block groups that lie in the pool. */
function groupsAt(grid: Grid, from: bigint, to: bigint): Interval {
  const pool = intervalOf(grid.cidr);
  const { first } = intervalOf(groupAt(grid, from));
  const { last } = intervalOf(groupAt(grid, to));
  return {
    family: pool.family,
    first: first > pool.first ? first : pool.first,
    last: last < pool.last ? last : pool.last,
  };
}

const runAround = (groups: Interval, reserved: readonly Interval[]): Interval | undefined =>
  reserved.find((run) => includes(run, groups));

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
