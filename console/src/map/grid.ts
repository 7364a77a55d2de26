import { around, type Cidr, indexIn, part, type Stretch, within } from "../network/cidr.ts";

/** The tiles of a map, in rows: each one a network of the same size. */
export interface Grid {
  /** The part of the pool that the map shows, in whole rows. */
  readonly shown: Stretch;
  /** The prefix length of a tile. */
  readonly tileLength: number;
  readonly columns: number;
  readonly rows: number;
  /** In pixels of the page. */
  readonly tileWidth: number;
  readonly tileHeight: number;
}

/** Pixels below which a tile cannot be seen and hit. */
const TILE_PX_MIN = 4;
const TILE_WIDTH_PX_MAX = 150;
const TILE_HEIGHT_PX_MAX = 46;
const HEIGHT_PX_MAX = 1_024;
/** Tiles from this width on have their text. */
export const TEXT_PX_MIN = 88;

/**
 * Returns the grid of a network, or of a stretch from the row of its first address on. The columns are a power of two, so that every
 * network in it is a rectangle: a part of one row, or some whole rows.
 *
 * @param itemLength the prefix length of what the tiles show at best, such as a block. If the map has no room for all
 * of them, a tile is a larger network.
 * @param widthPx the width of the map
 */
export function gridOf(stretch: Stretch, itemLength: number, widthPx: number): Grid {
  const columnBitsMax = Math.max(0, Math.floor(Math.log2(widthPx / TILE_PX_MIN)));
  const rowBitsMax = Math.floor(Math.log2(HEIGHT_PX_MAX / TILE_PX_MIN));
  // A network that is smaller than an item is one tile.
  const itemBits = Math.max(0, itemLength - stretch.length);
  const bits = Math.min(itemBits, columnBitsMax + rowBitsMax);
  const columnBits = Math.min(
    Math.max(columnBitsFor(bits, widthPx), bits - rowBitsMax),
    columnBitsMax,
  );
  const columns = 2 ** columnBits;
  const rows = 2 ** (bits - columnBits);
  const tileWidth = Math.min(TILE_WIDTH_PX_MAX, widthPx / columns);
  const square = Math.max(tileWidth, TILE_PX_MIN);
  const tileHeight = Math.min(
    square,
    TILE_HEIGHT_PX_MAX,
    Math.max(HEIGHT_PX_MAX / rows, TILE_PX_MIN),
  );
  const tileLength = stretch.length + bits;
  const row = around(stretch.bits, stretch.base, tileLength - columnBits);
  const shown = { ...stretch, base: row.base };
  return { shown, tileLength, columns, rows, tileWidth, tileHeight };
}

/** Returns the bits of the columns. Tiles are as wide as their text, if there are few of them, and else square. */
function columnBitsFor(bits: number, widthPx: number): number {
  const readable = Math.max(0, Math.floor(Math.log2(widthPx / TEXT_PX_MIN)));
  return Math.min(bits, Math.max(readable, Math.ceil(bits / 2)));
}

export const tilesOf = ({ columns, rows }: Grid): number => columns * rows;

/** Returns the network of a tile. */
export const tileAt = ({ shown, tileLength }: Grid, index: number): Cidr =>
  part(shown, tileLength, index);

/** Returns the tile at a point of the map, in pixels of the page. */
export function indexAt(grid: Grid, x: number, y: number): number | undefined {
  const column = Math.floor(x / grid.tileWidth);
  const row = Math.floor(y / grid.tileHeight);
  const isInside = column >= 0 && column < grid.columns && row >= 0 && row < grid.rows;
  return isInside ? row * grid.columns + column : undefined;
}

/** Returns the tile of a network; nothing if the map does not show it. */
export function indexOf(grid: Grid, cidr: Cidr): number | undefined {
  const { shown, tileLength } = grid;
  const index = indexIn(shown, tileLength, cidr);
  return cidr.bits === shown.bits && index >= 0 && index < tilesOf(grid) ? index : undefined;
}

/** Returns a grid that shows this many rows further on, or back, as far as the whole goes. */
export function movedBy(grid: Grid, rows: number, whole: Cidr): Grid {
  const { base } = tileAt(grid, rows * grid.columns);
  return { ...grid, shown: within(whole, { ...grid.shown, base }) };
}

/** Bits of the prefix that one step of the zoom adds or removes: to a sixteenth of the network. */
const ZOOM_BITS = 4;

/** Returns the network that a map shows after one step into it, around a tile. */
export function closer({ shown }: Grid, itemLength: number, tile: Cidr): Cidr {
  const length = Math.min(shown.length + ZOOM_BITS, itemLength - 1);
  return length <= shown.length ? shown : around(tile.bits, tile.base, length);
}

/** Returns the network that a map shows after one step out of it, the whole at most. */
export function farther(shown: Cidr, whole: Cidr): Cidr {
  const length = Math.max(shown.length - ZOOM_BITS, whole.length);
  return around(shown.bits, shown.base, length);
}
