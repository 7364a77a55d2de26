import { type Grid, TEXT_PX_MIN, tilesOf } from "./grid.ts";

/** The look of a tile. */
export interface Look {
  /** A colour of CSS. */
  readonly colour: string;
  /** The share of the tile that `level` covers from below, from 0 to 1, in the colour of the level. */
  readonly level?: { readonly share: number; readonly colour: string };
  readonly ink?: string;
  readonly title?: string;
  readonly subtitle?: string;
  readonly isDim?: boolean;
}

/** The looks of a map's tiles. */
export interface Looks {
  /** Returns the look of a tile; nothing for one that has nothing. */
  look(index: number): Look | undefined;
  /** The look of a tile that has nothing. */
  readonly nothing: Look;
}

const DIM_ALPHA = 0.16;
/** The gap between tiles, where they are large enough for one. */
const GAP_PX = 1;
const GAP_TILE_PX_MIN = 6;

/** Draws all tiles of a map. */
export function paint(canvas: HTMLCanvasElement, grid: Grid, { look, nothing }: Looks): void {
  const { columns, rows, tileWidth, tileHeight } = grid;
  const ratio = devicePixelRatio || 1;
  const [width, height] = [columns * tileWidth, rows * tileHeight];
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d", { alpha: true });
  if (!context) return;
  context.scale(ratio, ratio);
  const gap = Math.min(tileWidth, tileHeight) >= GAP_TILE_PX_MIN ? GAP_PX : 0;
  const count = tilesOf(grid);
  // Tiles of nothing are most of a large map: one rectangle is below all of them where they have no gaps.
  if (gap === 0) {
    context.fillStyle = nothing.colour;
    context.fillRect(0, 0, width, height);
  }
  for (let index = 0; index < count; index++) {
    const seen = look(index);
    if (!seen && gap === 0) continue;
    const left = (index % columns) * tileWidth;
    const top = Math.floor(index / columns) * tileHeight;
    paintTile(context, seen ?? nothing, [left, top, tileWidth - gap, tileHeight - gap]);
  }
}

type Box = readonly [left: number, top: number, width: number, height: number];

function paintTile(context: CanvasRenderingContext2D, look: Look, box: Box): void {
  const [left, top, width, height] = box;
  context.globalAlpha = look.isDim ? DIM_ALPHA : 1;
  context.fillStyle = look.colour;
  context.fillRect(left, top, width, height);
  if (look.level && look.level.share > 0) {
    const part = Math.max(1, look.level.share * height);
    context.fillStyle = look.level.colour;
    context.fillRect(left, top + height - part, width, part);
  }
  if (width >= TEXT_PX_MIN - GAP_PX && look.ink) write(context, look, box);
  context.globalAlpha = 1;
}

const FONT = "system-ui, sans-serif";
const INSET_PX = 6;

function write(
  context: CanvasRenderingContext2D,
  look: Look,
  [left, top, width, height]: Box,
): void {
  context.fillStyle = look.ink ?? "";
  context.textBaseline = "middle";
  const lines = [look.title, look.subtitle].filter((line) => line !== undefined);
  const step = Math.min(16, height / (lines.length + 0.4));
  const first = top + height / 2 - ((lines.length - 1) * step) / 2;
  lines.forEach((line, i) => {
    context.font = `${i === 0 ? 600 : 400} 12px ${FONT}`;
    context.fillText(
      fitting(context, line, width - 2 * INSET_PX),
      left + INSET_PX,
      first + i * step,
    );
  });
}

/** Cuts a text to a width. */
function fitting(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let length = text.length - 1;
  while (length > 0 && context.measureText(`${text.slice(0, length)}…`).width > width) length--;
  return `${text.slice(0, length)}…`;
}
