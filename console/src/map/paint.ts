import { type Grid, TEXT_PX_MIN, tilesOf } from "./grid.ts";
import type { Look, Looks } from "./looks.ts";
import { paintSmall } from "./paint-small.ts";

const DIM_ALPHA = 0.16;
/** The gap between tiles, where they are large enough for one. */
const GAP_PX = 1;
const GAP_TILE_PX_MIN = 6;

/** Draws all tiles of a map. */
export function paint(canvas: HTMLCanvasElement, grid: Grid, looks: Looks): void {
  const { columns, rows, tileWidth, tileHeight } = grid;
  const ratio = devicePixelRatio || 1;
  const [width, height] = [columns * tileWidth, rows * tileHeight];
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d", { alpha: true });
  if (!context) return;
  context.scale(ratio, ratio);
  if (Math.min(tileWidth, tileHeight) < GAP_TILE_PX_MIN) {
    paintSmall(context, grid, looks, DIM_ALPHA);
    return;
  }
  const count = tilesOf(grid);
  for (let index = 0; index < count; index++) {
    const left = (index % columns) * tileWidth;
    const top = Math.floor(index / columns) * tileHeight;
    const box = [left, top, tileWidth - GAP_PX, tileHeight - GAP_PX] as const;
    paintTile(context, looks.look(index) ?? looks.nothing, box);
  }
}

type Box = readonly [left: number, top: number, width: number, height: number];

function paintTile(context: CanvasRenderingContext2D, look: Look, box: Box): void {
  const [left, top, width, height] = box;
  context.globalAlpha = look.isDim ? DIM_ALPHA : 1;
  context.fillStyle = look.colour;
  context.fillRect(left, top, width, height);
  if (look.level) {
    const part = look.level.share * height;
    context.fillStyle = look.level.colour;
    context.fillRect(left, top + height - part, width, part);
    context.strokeStyle = look.level.colour;
    context.strokeRect(left + 0.5, top + 0.5, width - 1, height - 1);
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
    const room = width - 2 * INSET_PX;
    const text = i === 0 ? ending(context, line, room) : beginning(context, line, room);
    context.fillText(text, left + INSET_PX, first + i * step);
  });
}

/** Returns as much of the beginning of a text as has room. */
function beginning(context: CanvasRenderingContext2D, text: string, width: number): string {
  let cut = text;
  for (let length = text.length - 1; length >= 0 && !fits(context, cut, width); length--)
    cut = `${text.slice(0, length)}…`;
  return cut;
}

/** Returns as much of the end of a text as has room: the end of an address tells it from its neighbours. */
function ending(context: CanvasRenderingContext2D, text: string, width: number): string {
  let cut = text;
  for (let from = 1; from <= text.length && !fits(context, cut, width); from++)
    cut = `…${text.slice(from)}`;
  return cut;
}

const fits = (context: CanvasRenderingContext2D, text: string, width: number): boolean =>
  context.measureText(text).width <= width;
