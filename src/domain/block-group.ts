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
 * A cell is 64 consecutive blocks, aligned: a /20 of /26 blocks, a /116 of /122 blocks. Its blocks share a partition,
 * so one Query shows which of them are free, whatever the size of the pool.
 */
export const BLOCKS_PER_CELL = 64;
export const CELL_BITS = Math.log2(BLOCKS_PER_CELL);

/** Hosts start among so many cells of a pool, so that its map stays small; the next so many follow when these are full. */
export const CELLS_PER_WINDOW = 4_096n;

/** What of a pool the geometry needs. */
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

export function cellOf(block: Cidr): Cidr {
  return cidrOf({ family: block.family, value: block.base }, block.prefix - CELL_BITS);
}

/** How many cells a pool touches: at least one, a power of two. */
export function cellCount({ cidr, blockSize }: Grid): bigint {
  const bits = blockSize - CELL_BITS - cidr.prefix;
  return bits > 0 ? 1n << BigInt(bits) : 1n;
}

/** The cell at an index of the pool. Inverse of `cellIndexOf`. */
export function cellAt(grid: Grid, index: bigint): Cidr {
  const first = cellOf({ ...grid.cidr, prefix: grid.blockSize });
  return { ...first, base: first.base + sizeOf(first) * index };
}

export function cellIndexOf(grid: Grid, cell: Cidr): bigint {
  const first = cellAt(grid, 0n);
  return (cell.base - first.base) / sizeOf(first);
}

/** The blocks of a cell that lie in the pool, at most 64. */
export function blocksOfCell({ cidr, blockSize }: Grid, cell: Cidr): Cidr[] {
  const step = 2 ** (BITS[cell.family] - blockSize);
  return Array.from({ length: BLOCKS_PER_CELL }, (_, i) =>
    blockOf(addressAt(cell, i * step), blockSize),
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

/** Where the next block begins. */
const pastBlock = (value: bigint, step: bigint): bigint => value - (value % step) + step;

/**
 * An order of the cells of a pool: from the cell that a name hashes to (FNV-1a), in strides of a second hash, window by
 * window. The stride is odd and a window's size a power of two, so every cell comes up exactly once; cells and whole windows
 * that are reserved are passed over.
 *
 * @param name of the host whose order it is; a random text for a random order
 * @param isPassed cells that are passed over as well, by what is known when their turn comes
 */
export function* cellOrder(
  grid: Grid,
  name: string,
  reserved: readonly Interval[] = [],
  isPassed: (index: bigint) => boolean = () => false,
): Generator<bigint> {
  const count = cellCount(grid);
  const window = count < CELLS_PER_WINDOW ? count : CELLS_PER_WINDOW;
  const start = fnv1a64(name);
  const stride = fnv1a64(`${name}/stride`) | 1n;
  for (let base = 0n; base < count; base += window) {
    const run = runAround(cellsAt(grid, base, base + window - 1n), reserved);
    if (run) {
      // On to the window in which the reserved run ends.
      const last = cellIndexOf(grid, cellOf(blockOf({ ...run, value: run.last }, grid.blockSize)));
      const skipped = (last + 1n - base) / window;
      base += (skipped > 1n ? skipped - 1n : 0n) * window;
      continue;
    }
    for (let probe = 0n; probe < window; probe++) {
      const index = base + ((start + probe * stride) % window);
      if (!isPassed(index) && !isReservedCell(grid, index, reserved)) yield index;
    }
  }
}

/** Is every address of a cell that lies in the pool reserved? */
export const isReservedCell = (grid: Grid, index: bigint, reserved: readonly Interval[]): boolean =>
  reserved.length > 0 && runAround(cellsAt(grid, index, index), reserved) !== undefined;

/** The addresses of a run of cells, as far as they lie in the pool. */
function cellsAt(grid: Grid, from: bigint, to: bigint): Interval {
  const pool = intervalOf(grid.cidr);
  const { first } = intervalOf(cellAt(grid, from));
  const { last } = intervalOf(cellAt(grid, to));
  return {
    family: pool.family,
    first: first > pool.first ? first : pool.first,
    last: last < pool.last ? last : pool.last,
  };
}

const runAround = (cells: Interval, reserved: readonly Interval[]): Interval | undefined =>
  reserved.find((run) => includes(run, cells));
