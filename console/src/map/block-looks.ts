import { cidrText } from "../network/cidr.ts";
import { hostColours, styled } from "./colours.ts";
import { type Grid, tileAt } from "./grid.ts";
import { type HostInLegend, onlyHost } from "./hosts.ts";
import type { Look, Looks } from "./paint.ts";
import { FILLS, type Fill, fillOf, shareUsed, type Tile } from "./tiles.ts";

/** The colours of a map of blocks, and the blocks that stand out. */
export interface Seen {
  readonly by: "fill" | "host";
  readonly scheme: "light" | "dark";
  readonly hosts: readonly HostInLegend[];
  readonly fill?: Fill | undefined;
  readonly host?: string | undefined;
}

/** Returns the looks of blocks. */
export function blockLooks(grid: Grid, tiles: ReadonlyMap<number, Tile>, seen: Seen): Looks {
  const ink = styled("--ink");
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
    const share = shareUsed(tile.usage);
    if (seen.by === "fill") return fills[fillOf(tile.usage)] ?? { colour: nobody.ground };
    const { ground, used } = hues.get(onlyHost(tile) ?? "") ?? nobody;
    return { colour: ground, level: { share, colour: used }, ink };
  };
  return {
    nothing: { colour: styled("--unclaimed") },
    look(index) {
      const tile = tiles.get(index);
      if (!tile) return undefined;
      const texts = isNamed
        ? { title: cidrText(tileAt(grid, index)), subtitle: subtitleOf(tile) }
        : {};
      return { ...coloured(tile), ...texts, isDim: !isMeant(tile, seen) };
    },
  };
}

/** More tiles than these have no room for text. */
const NAMED_TILES_MAX = 2_048;

function subtitleOf(tile: Tile): string {
  const { inUse, capacity } = tile.usage;
  const whose = tile.blocks > 1 ? `${tile.blocks} blocks` : (tile.block.host ?? "no host");
  return `${whose} ${inUse}/${capacity}`;
}

/** Returns true if a tile has what the legend was asked for. */
const isMeant = (tile: Tile, { fill, host }: Seen): boolean =>
  (fill === undefined || fillOf(tile.usage) === fill) &&
  (host === undefined || tile.hosts.has(host));

/** Returns a sentence about a tile of a map of blocks. */
export function blockSentence(grid: Grid, index: number, tile: Tile | undefined): string {
  const network = cidrText(tileAt(grid, index));
  if (!tile) return `${network} is claimed by nobody.`;
  const { inUse, capacity, cooling, available, reserved } = tile.usage;
  const counts = [
    `${inUse} of ${capacity} in use`,
    ...(cooling > 0 ? [`${cooling} cooling`] : []),
    ...(reserved > 0 ? [`${reserved} reserved`] : []),
    `${available} free`,
  ].join(", ");
  if (tile.blocks === 1 && tile.block.cidr === network)
    return `${network} of ${tile.block.host ?? "no host"}: ${counts}.`;
  const hosts = tile.hosts.size === 1 ? `of ${onlyHost(tile)}` : `of ${tile.hosts.size} hosts`;
  return `${network} has ${tile.blocks} ${tile.blocks === 1 ? "block" : "blocks"} ${hosts}: ${counts}.`;
}
