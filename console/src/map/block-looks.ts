import { cidrText } from "../network/cidr.ts";
import { hostColours, styled } from "./colours.ts";
import { type Grid, tileAt } from "./grid.ts";
import { type HostInLegend, onlyHost } from "./hosts.ts";
import type { Look, Looks } from "./looks.ts";
import { FILLS, type Fill, fillOf, shareUsed, type Tile } from "./tiles.ts";

type Tiles = readonly (Tile | undefined)[];

/** The colours of a map of blocks, and the blocks that stand out. */
export interface Seen {
  readonly by: "fill" | "host";
  readonly scheme: "light" | "dark";
  readonly hosts: readonly HostInLegend[];
  readonly fill?: Fill | undefined;
  readonly host?: string | undefined;
}

/** Returns the looks of blocks. */
export function blockLooks(grid: Grid, tiles: Tiles, seen: Seen): Looks {
  const ink = styled("--host-ink");
  const fills = Object.fromEntries(
    FILLS.map((fill) => [
      fill,
      { colour: styled(`--fill-${fill}`), ink: styled(`--fill-${fill}-ink`) },
    ]),
  );
  const nobody = { ground: styled("--nobody"), used: styled("--nobody-used") };
  const hues = new Map(seen.hosts.map(({ host, hue }) => [host, hostColours(hue, seen.scheme)]));
  const isNamed = grid.rows * grid.columns <= NAMED_TILES_MAX;
  const coloured = (tile: Tile): Look => {
    const isDim = !isMeant(tile, seen);
    if (seen.by === "fill") {
      const fill = fills[fillOf(tile.usage)];
      return { colour: fill?.colour ?? nobody.ground, ink: fill?.ink ?? ink, isDim };
    }
    const { ground, used } = hues.get(onlyHost(tile) ?? "") ?? nobody;
    return { colour: ground, level: { share: shareUsed(tile.usage), colour: used }, ink, isDim };
  };
  return {
    nothing: { colour: styled("--unclaimed") },
    look(index) {
      const tile = tiles[index];
      if (!tile) return undefined;
      if (!isNamed) return coloured(tile);
      const title = cidrText(tileAt(grid, index));
      return { ...coloured(tile), title, subtitle: subtitleOf(tile) };
    },
  };
}

/** More tiles than these have no room for text. */
const NAMED_TILES_MAX = 2_048;

function subtitleOf(tile: Tile): string {
  const { inUse, capacity } = tile.usage;
  const whose = tile.blocks > 1 ? `${tile.blocks} blocks` : (onlyHost(tile) ?? "no host");
  return `${whose} ${inUse}/${capacity}`;
}

/** Returns true if a tile has what the legend was asked for. */
const isMeant = (tile: Tile, { fill, host }: Seen): boolean =>
  (fill === undefined || fillOf(tile.usage) === fill) &&
  (host === undefined || tile.hosts.includes(host));

/**
 * Returns a sentence about a tile of a map of blocks.
 *
 * @param blockLength the prefix length of a block
 */
export function blockSentence(
  grid: Grid,
  index: number,
  tile: Tile | undefined,
  blockLength: number,
): string {
  const network = cidrText(tileAt(grid, index));
  if (!tile) return `${network} is unclaimed.`;
  const { inUse, capacity, hostReserved, cooling, available, reserved } = tile.usage;
  const counts = [
    `${inUse} of ${capacity} in use`,
    ...(hostReserved > 0 ? [`${hostReserved} host-reserved`] : []),
    ...(cooling > 0 ? [`${cooling} cooling or quarantined`] : []),
    ...(reserved > 0 ? [`${reserved} reserved`] : []),
    `${available} free`,
  ].join(", ");
  if (grid.tileLength === blockLength)
    return `${network} of ${onlyHost(tile) ?? "no host"}: ${counts}.`;
  const hosts = `of ${onlyHost(tile) ?? `${tile.hosts.length} hosts`}`;
  return `${network} has ${tile.blocks} ${tile.blocks === 1 ? "block" : "blocks"} ${hosts}: ${counts}.`;
}
