import type { Tile } from "./tiles.ts";

/** A host in the legend of a map. */
export interface HostInLegend {
  readonly host: string;
  readonly blocks: number;
  /** The hue of its colour, in degrees. */
  readonly hue: number;
}

/** The golden angle: hues at its multiples are far from each other, however many there are. */
const HUE_STEP = 137.508;
const HUE_FIRST = 205;

/** Returns the hosts of blocks, those with the most blocks first. A host keeps its hue while the set of hosts is the same. */
export function hostsOf(
  blocks: readonly { readonly host?: string | undefined }[],
): readonly HostInLegend[] {
  const counts = new Map<string, number>();
  for (const { host } of blocks)
    if (host !== undefined) counts.set(host, (counts.get(host) ?? 0) + 1);
  const names = [...counts.keys()].sort(byName);
  const hosts = names.map((host, i) => ({
    host,
    blocks: counts.get(host) ?? 0,
    hue: Math.round((HUE_FIRST + i * HUE_STEP) % 360),
  }));
  return hosts.sort((a, b) => b.blocks - a.blocks || byName(a.host, b.host));
}

/** Orders `node-2` before `node-10`. */
const byName = new Intl.Collator("en", { numeric: true }).compare;

/** Returns the only host of a tile; nothing if it has none or more than one. */
export function onlyHost({ hosts }: Tile): string | undefined {
  const [host] = hosts;
  return hosts.size === 1 ? host : undefined;
}
