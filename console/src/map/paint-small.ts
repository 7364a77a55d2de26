import { type Grid, tilesOf } from "./grid.ts";
import type { Looks } from "./looks.ts";

/** Rows of pixels of a tile: what it has in use covers some of them from below, and one at least shows whose it is. */
const LEVELS = 4;

/**
 * Draws tiles without gaps and text. There may be 65,536 of them, so they are the pixels of a bitmap, which the canvas enlarges at
 * once: a rectangle for each would take longer than a frame.
 *
 * @param dimAlpha the opacity of dim tiles
 */
export function paintSmall(
  context: CanvasRenderingContext2D,
  grid: Grid,
  { look, nothing }: Looks,
  dimAlpha: number,
): void {
  const { columns, rows, tileWidth, tileHeight } = grid;
  const image = new ImageData(columns, rows * LEVELS);
  const pixels = new Uint32Array(image.data.buffer);
  const [whole, dim] = [pixelsWith(1), pixelsWith(dimAlpha)];
  const count = tilesOf(grid);
  for (let index = 0; index < count; index++) {
    const seen = look(index);
    if (!seen) continue;
    const pixelOf = seen.isDim ? dim : whole;
    const used = seen.level ? Math.max(1, Math.round(seen.level.share * LEVELS)) : 0;
    const ground = pixelOf(seen.colour);
    const level = seen.level ? pixelOf(seen.level.colour) : ground;
    let at = Math.floor(index / columns) * LEVELS * columns + (index % columns);
    for (let row = 0; row < LEVELS; row++, at += columns)
      pixels[at] = row < LEVELS - used ? ground : level;
  }
  const bitmap = new OffscreenCanvas(image.width, image.height);
  bitmap.getContext("2d")?.putImageData(image, 0, 0);
  context.fillStyle = nothing.colour;
  context.fillRect(0, 0, columns * tileWidth, rows * tileHeight);
  context.imageSmoothingEnabled = false;
  context.drawImage(bitmap, 0, 0, columns * tileWidth, rows * tileHeight);
}

/** Returns a function that returns the pixel of a colour of CSS, with an opacity. */
function pixelsWith(alpha: number): (colour: string) => number {
  const known = new Map<string, number>();
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  return (colour) => {
    const before = known.get(colour);
    if (before !== undefined || !context) return before ?? 0;
    context.globalAlpha = alpha;
    context.fillStyle = colour;
    context.clearRect(0, 0, 1, 1);
    context.fillRect(0, 0, 1, 1);
    const [pixel = 0] = new Uint32Array(context.getImageData(0, 0, 1, 1).data.buffer);
    known.set(colour, pixel);
    return pixel;
  };
}
