import type { Tile } from "./tiles.ts";

/** A host in the legend of a map. */
export interface HostInLegend {
  readonly host: string;
  /** The number of its blocks, or of the block groups in which it has some. */
  readonly count: number;
  /** The hue of its colour, in degrees. */
  readonly hue: number;
}

/** The golden angle: hues at its multiples are far from each other, however many there are. */
const HUE_STEP = 137.508;
const HUE_FIRST = 205;

/** Returns the hosts of blocks, those with the most blocks first. A host keeps its hue while the set of hosts is the same. */
export function hostsOf(parts: readonly Pick<Tile, "hosts">[]): readonly HostInLegend[] {
  const counts = new Map<string, number>();
  for (const { hosts } of parts)
    for (const host of hosts) counts.set(host, (counts.get(host) ?? 0) + 1);
  const names = [...counts.keys()].sort(byName);
  const hosts = names.map((host, i) => ({
    host,
    count: counts.get(host) ?? 0,
    hue: Math.round((HUE_FIRST + i * HUE_STEP) % 360),
  }));
  return hosts.sort((a, b) => b.count - a.count || byName(a.host, b.host));
}

/** Orders `node-2` before `node-10`. */
const byName = new Intl.Collator("en", { numeric: true }).compare;

/** Returns the only host of a tile; nothing if it has none or more than one. */
export const onlyHost = ({ hosts }: Tile): string | undefined =>
  hosts.length === 1 ? hosts[0] : undefined;
