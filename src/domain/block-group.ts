import { type Address, BITS } from "./address.ts";
import {
  addressAt,
  type Cidr,
  cidrOf,
  contains,
  type Interval,
  includes,
  intervalOf,
  sizeOf,
} from "./cidr.ts";
import { fnv1a64 } from "./hash.ts";

/**
 * A block group is 64 consecutive blocks, aligned: a /20 of /26 blocks, a /116 of /122 blocks. Its blocks share a partition,
 * so one Query shows which of them are free, whatever the size of the pool.
 */
export const BLOCKS_PER_GROUP = 64;
export const GROUP_BITS = Math.log2(BLOCKS_PER_GROUP);

/** Hosts start among so many block groups of a pool, so that its map stays small; the next so many follow when these are full. */
export const GROUPS_PER_WINDOW = 4_096n;

/** The fields of a pool that its geometry needs. */
export interface Grid {
  readonly cidr: Cidr;
  readonly blockSize: number;
}

export function blockOf(address: Address, blockSize: number): Cidr {
  return cidrOf(address, blockSize);
}

/** Could this be a block of the pool? One of an earlier pool of the same name may be of another size. */
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

/** The block group at an index of the pool. Inverse of `groupIndexOf`. */
export function groupAt(grid: Grid, index: bigint): Cidr {
  const first = groupOf({ ...grid.cidr, prefix: grid.blockSize });
  return { ...first, base: first.base + sizeOf(first) * index };
}

export function groupIndexOf(grid: Grid, group: Cidr): bigint {
  const first = groupAt(grid, 0n);
  return (group.base - first.base) / sizeOf(first);
}

/** The blocks of a block group that lie in the pool, at most 64. */
export function blocksOfGroup({ cidr, blockSize }: Grid, group: Cidr): Cidr[] {
  const step = 2 ** (BITS[group.family] - blockSize);
  return Array.from({ length: BLOCKS_PER_GROUP }, (_, i) =>
    blockOf(addressAt(group, i * step), blockSize),
  ).filter((block) => contains(cidr, { family: block.family, value: block.base }));
}

/**
 * The blocks of a pool in a range of at least one that begins in it, in order; what lies beyond the pool has none.
 *
 * @param after only those that begin after this address
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
 * An order of the block groups of a pool: from the block group that a name hashes to (FNV-1a), in strides of a second hash, window by
 * window. The stride is odd and a window's size a power of two, so every block group comes up exactly once; block groups and whole windows
 * that are reserved are passed over.
 *
 * @param name of the host whose order it is; a random text for a random order
 * @param isPassed block groups that are passed over as well, by what is known when their turn comes
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
      // On to the window in which the reserved run ends.
      const last = groupIndexOf(
        grid,
        groupOf(blockOf({ ...run, value: run.last }, grid.blockSize)),
      );
      const skipped = (last + 1n - base) / window;
      base += (skipped > 1n ? skipped - 1n : 0n) * window;
      continue;
    }
    for (let probe = 0n; probe < window; probe++) {
      const index = base + ((start + probe * stride) % window);
      if (!isPassed(index) && !isReservedGroup(grid, index, reserved)) yield index;
    }
  }
}

/** Is every address of a block group that lies in the pool reserved? */
export const isReservedGroup = (
  grid: Grid,
  index: bigint,
  reserved: readonly Interval[],
): boolean =>
  reserved.length > 0 && runAround(groupsAt(grid, index, index), reserved) !== undefined;

/** The addresses of a run of block groups, as far as they lie in the pool. */
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
