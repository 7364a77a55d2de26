import type { Usage } from "../api/types.ts";
import { around, type Cidr, indexIn } from "../network/cidr.ts";
import type { Grid } from "./grid.ts";

/** The blocks within one tile of a map. */
export interface Tile {
  readonly blocks: number;
  /** The hosts of the blocks, each once; a block of nobody adds none. */
  readonly hosts: readonly string[];
  readonly usage: Count;
}

/** A part of a pool that a map counts by itself: a block, or the blocks of a block group. */
export interface Part extends Cidr, Tile {}

/** Counts of addresses, or of prefixes. */
export type Count = { readonly [Name in keyof Usage]: number };

/** A map has room for the blocks of this many bits; a larger pool shows where its blocks are. */
const WHOLE_BITS_MAX = 16;
const SHOWN_BITS_MIN = 8;

/** Returns true if a map has room for all blocks of a network, each as a tile. */
export const hasRoom = ({ length }: Cidr, blockLength: number): boolean =>
  blockLength - length <= WHOLE_BITS_MAX;

/** Returns how many whole blocks a network has: none if it is smaller than a block. */
export const blocksIn = ({ length }: Cidr, blockLength: number): number =>
  Math.floor(2 ** (blockLength - length));

/** Returns the network that the map of a pool shows at first: the whole of it, or the part of a large one that has the blocks. */
export function usuallyShown(whole: Cidr, blockLength: number, parts: readonly Part[]): Cidr {
  const [first] = parts;
  if (!first || hasRoom(whole, blockLength)) return whole;
  let length = blockLength - SHOWN_BITS_MIN;
  for (const { bits, base } of parts)
    while (around(bits, base, length).base !== around(bits, first.base, length).base) length--;
  return around(first.bits, first.base, length);
}

/** Returns the tiles of a grid by their place; one without blocks is absent. */
export function tilesWithin(
  grid: Pick<Grid, "shown" | "tileLength" | "columns" | "rows">,
  parts: readonly Part[],
): readonly (Tile | undefined)[] {
  const count = grid.columns * grid.rows;
  const tiles: (Tile | undefined)[] = new Array(count).fill(undefined);
  for (const part of parts) {
    const index = indexIn(grid.shown, grid.tileLength, part);
    if (index < 0 || index >= count || part.bits !== grid.shown.bits) continue;
    const tile = tiles[index];
    tiles[index] = tile ? together(tile, part) : part;
  }
  return tiles;
}

const together = (a: Tile, b: Tile): Tile => ({
  blocks: a.blocks + b.blocks,
  hosts: b.hosts.every((host) => a.hosts.includes(host))
    ? a.hosts
    : [...new Set([...a.hosts, ...b.hosts])],
  usage: sum(a.usage, b.usage),
});

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
