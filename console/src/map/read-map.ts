import { type Api, segment } from "../api/api.ts";
import type { Answer, MappedBlocks, MappedGroup, UnreadableItem } from "../api/types.ts";
import { type Cidr, cidrText, part, readCidr } from "../network/cidr.ts";
import type { Part } from "./tiles.ts";

type Page = Answer<"poolMapRead">;

/** The bits of the blocks of a group. */
export const GROUP_BITS = 6;

/** The map of a pool, or of a network in it, as far as it is read. In no order. */
export interface PoolMap {
  readonly parts: readonly Part[];
  readonly unreadable: readonly UnreadableItem[];
}

export interface MapWanted {
  readonly name: string;
  /** True to count each block; else the parts are block groups. */
  readonly byBlock: boolean;
  /** Reads these networks only. */
  readonly within?: readonly Cidr[];
}

/**
 * Reads the map of a pool: the first page, and the ranges of the rest side by side. It throws a `Rejection`.
 *
 * @param show gets what is read so far, now and then
 */
export async function readMap(
  api: Api,
  { name, byBlock, within }: MapWanted,
  signal: AbortSignal,
  show: (map: PoolMap) => void,
): Promise<PoolMap> {
  const parts: Part[] = [];
  const unreadable: UnreadableItem[] = [];
  let shown = 0;
  const detail = byBlock ? "blocks" : "groups";
  const walk = async (cidr?: string, from?: string): Promise<void> => {
    let cursor = from;
    do {
      const query = { detail, cidr, cursor };
      const page = await api.get<Page>(`pools/${segment(name)}/map`, query, signal);
      for (const each of partsOf(page)) parts.push(each);
      unreadable.push(...(page.unreadable ?? []));
      // A map is drawn anew for each part, so the parts double: all of them cost about as much as the whole.
      if (page.next !== undefined && parts.length >= 2 * shown) {
        shown = parts.length;
        show({ parts: [...parts], unreadable: [...unreadable] });
      }
      if (page.ranges) {
        await Promise.all(page.ranges.map((range) => walk(cidr, range)));
        return;
      }
      cursor = page.next;
    } while (cursor !== undefined);
  };
  await Promise.all(within ? within.map((network) => walk(cidrText(network))) : [walk()]);
  return { parts, unreadable };
}

function partsOf({ blockSize, hosts, groups = [], blocks = [] }: Page): readonly Part[] {
  // Blocks of one host share its list of hosts: there may be 65,536 of them.
  const alone = hosts.map((host) => [host]);
  return [
    ...groups.flatMap((group) => partOfGroup(group, hosts)),
    ...blocks.flatMap((group) => partsOfBlocks(group, blockSize, alone)),
  ];
}

function partOfGroup(
  { cidr, blocks, hosts: numbers, ...usage }: MappedGroup,
  hosts: readonly string[],
) {
  const network = readCidr(cidr);
  return network
    ? [{ ...network, blocks, hosts: numbers.map((number) => hosts[number] ?? ""), usage }]
    : [];
}

const NOBODY: readonly string[] = [];

function partsOfBlocks(
  group: MappedBlocks,
  blockSize: number,
  alone: readonly (readonly string[])[],
): readonly Part[] {
  const network = readCidr(group.cidr);
  if (!network) return [];
  return group.blocks.map((number, i) => {
    const usage = {
      inUse: group.inUse[i] ?? 0,
      hostReserved: group.hostReserved[i] ?? 0,
      reserved: group.reserved[i] ?? 0,
      cooling: group.cooling[i] ?? 0,
      available: group.available[i] ?? 0,
    };
    const { inUse, hostReserved, reserved, cooling, available } = usage;
    const { bits, base, length } = part(network, blockSize, number);
    return {
      bits,
      base,
      length,
      blocks: 1,
      hosts: alone[group.hosts[i] ?? -1] ?? NOBODY,
      usage: { ...usage, capacity: inUse + hostReserved + reserved + cooling + available },
    };
  });
}
