import type { Block, Usage } from "../api/types.ts";
import { around, type Cidr, indexIn, readCidr } from "../network/cidr.ts";
import type { Grid } from "./grid.ts";

/** A block with its network, read once. */
export interface PlacedBlock {
  readonly block: Block;
  readonly cidr: Cidr;
}

/** The blocks within one tile of a map. */
export interface Tile {
  readonly blocks: number;
  /** The first of the blocks, which is the only one if tiles are blocks. */
  readonly block: Block;
  /** The hosts of the blocks; a block of nobody adds none. */
  readonly hosts: ReadonlySet<string>;
  readonly usage: Count;
}

/** Counts of addresses, or of prefixes. */
export type Count = { readonly [Name in keyof Usage]: number };

/** Returns blocks with their networks. */
export const placed = (blocks: readonly Block[]): readonly PlacedBlock[] =>
  blocks.flatMap((block) => {
    const cidr = readCidr(block.cidr);
    return cidr ? [{ block, cidr }] : [];
  });

/** A map has room for the blocks of this many bits; a larger pool shows where its blocks are. */
const WHOLE_BITS_MAX = 16;
const SHOWN_BITS_MIN = 8;

/** Returns the network that the map of a pool shows at first: the whole of it, or the part of a large one that has the blocks. */
export function usuallyShown(
  whole: Cidr,
  blockLength: number,
  blocks: readonly PlacedBlock[],
): Cidr {
  const [first] = blocks;
  if (!first || blockLength - whole.length <= WHOLE_BITS_MAX) return whole;
  let length = blockLength - SHOWN_BITS_MIN;
  for (const { cidr } of blocks)
    while (
      around(cidr.bits, cidr.base, length).base !== around(cidr.bits, first.cidr.base, length).base
    )
      length--;
  return around(first.cidr.bits, first.cidr.base, length);
}

/** Returns the tiles of a grid that have blocks, by their place. */
export function tilesWithin(
  grid: Pick<Grid, "shown" | "tileLength" | "columns" | "rows">,
  blocks: readonly PlacedBlock[],
): ReadonlyMap<number, Tile> {
  const tiles = new Map<number, Tile>();
  const count = grid.columns * grid.rows;
  for (const { block, cidr } of blocks) {
    const index = indexIn(grid.shown, grid.tileLength, cidr);
    if (index < 0 || index >= count || cidr.bits !== grid.shown.bits) continue;
    tiles.set(index, withBlock(tiles.get(index), block));
  }
  return tiles;
}

function withBlock(tile: Tile | undefined, block: Block): Tile {
  const usage = countOf(block);
  const hosts = block.host === undefined ? [] : [block.host];
  if (!tile) return { blocks: 1, block, hosts: new Set(hosts), usage };
  return {
    blocks: tile.blocks + 1,
    block: tile.block,
    hosts: new Set([...tile.hosts, ...hosts]),
    usage: sum(tile.usage, usage),
  };
}

/** Returns counts as numbers. Counts beyond 2^53 lose their last digits. */
export const countOf = (usage: Usage): Count => ({
  capacity: Number(usage.capacity),
  inUse: Number(usage.inUse),
  hostReserved: Number(usage.hostReserved),
  reserved: Number(usage.reserved),
  cooling: Number(usage.cooling),
  available: Number(usage.available),
});

export const NONE: Count = {
  capacity: 0,
  inUse: 0,
  hostReserved: 0,
  reserved: 0,
  cooling: 0,
  available: 0,
};

export const sum = (a: Count, b: Count): Count => ({
  capacity: a.capacity + b.capacity,
  inUse: a.inUse + b.inUse,
  hostReserved: a.hostReserved + b.hostReserved,
  reserved: a.reserved + b.reserved,
  cooling: a.cooling + b.cooling,
  available: a.available + b.available,
});

/** Returns the share of blocks that cannot be assigned now, of all that is not reserved. */
export function shareUsed({ capacity, available, reserved }: Count): number {
  const assignable = capacity - reserved;
  return assignable <= 0 ? 1 : 1 - available / assignable;
}

/** The classes of the colours of a map by fill. */
export const FILLS = ["empty", "low", "middle", "high", "nearly", "full"] as const;
export type Fill = (typeof FILLS)[number];

export const FILL_TEXT: Readonly<Record<Fill, string>> = {
  empty: "nothing in use",
  low: "up to 25 %",
  middle: "up to 50 %",
  high: "up to 75 %",
  nearly: "up to 99 %",
  full: "full",
};

/** Returns the class of blocks by their fill. */
export function fillOf(usage: Count): Fill {
  const share = shareUsed(usage);
  if (share >= 1) return "full";
  if (share > 0.75) return "nearly";
  if (share > 0.5) return "high";
  if (share > 0.25) return "middle";
  return share > 0 ? "low" : "empty";
}
