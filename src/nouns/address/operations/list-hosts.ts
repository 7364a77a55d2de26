import { PAGE_READS_AT_ONCE } from "../../../base/limits.ts";
import { CorruptItemError, orCorrupt } from "../../../base/outcome.ts";
import { lookForOwners, type SlotOwner } from "../../../kernel/allocations/allocation-of-slot.ts";
import { namedBlocks } from "../../../kernel/blocks/blocks-by-name.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { inParallel } from "../../../kernel/core/parallel.ts";
import type { Block } from "../../../kernel/values/block.ts";
import {
  type AffinityType,
  affinityTypeOf,
  type HostId,
  hostName,
} from "../../../kernel/values/host.ts";
import { compareCidrs, formatCidr, sameCidr } from "../../../net/cidr.ts";
import { hostOf } from "./address-filter.ts";
import { type HoldersFound, type HoldersWanted, listHolders, takenSlots } from "./list-holders.ts";

/** A host that owns a block or uses an address. */
export interface HostFound {
  /** The host with its type, by which a block has its hosts in order. */
  readonly name: HostId;
  readonly host: string;
  readonly affinityType: AffinityType;
  /** The number of its blocks. */
  readonly blocks: number;
  /** The number of other blocks in which it has addresses, or may have some. */
  readonly otherBlocks: number;
}

/**
 * Returns a page of the hosts that own a block or use an address, registered or not, strongly consistent. A host comes in the first of
 * its blocks, or of its borrowed blocks (I11), that it owns or uses.
 */
export async function listHosts(
  context: Context,
  wanted: HoldersWanted,
): Promise<HoldersFound<HostFound>> {
  const known = new Map<string, Promise<ReadonlySet<HostId>>>();
  const hostsOf = (cidr: Block["cidr"]) => {
    const name = formatCidr(cidr);
    const asked = known.get(name) ?? hostsOfBlock(context, wanted.space, cidr);
    known.set(name, asked);
    return asked;
  };
  const unreadable: CorruptItemError[] = [];
  const page = await listHolders(context, wanted, async (block, owners) => {
    const hosts = hostsIn(block, owners);
    known.set(formatCidr(block.cidr), Promise.resolve(hosts));
    const found = await inParallel([...hosts], PAGE_READS_AT_ONCE, async (host) => {
      const named = await namedBlocks(context, wanted.space, host);
      for (const cidr of named.cidrs.toSorted(compareCidrs)) {
        if (sameCidr(cidr, block.cidr)) break;
        if ((await hostsOf(cidr)).has(host)) return [];
      }
      // Or the entry of this block was lost in a crash or cannot be read, and there is no other block.
      unreadable.push(...named.unreadable);
      return [hostFound(host, named)];
    });
    return found.flat();
  });
  return { ...page, unreadable: [...page.unreadable, ...unreadable] };
}

function hostFound(
  host: HostId,
  { affinities, cidrs }: Awaited<ReturnType<typeof namedBlocks>>,
): HostFound {
  const blocks = new Set(affinities.map(({ block }) => formatCidr(block))).size;
  return {
    name: host,
    host: hostName(host),
    affinityType: affinityTypeOf(host),
    blocks,
    otherBlocks: cidrs.length - blocks,
  };
}

const hostsIn = ({ host }: Block, owners: readonly SlotOwner[]): ReadonlySet<HostId> =>
  new Set([host, ...owners.map(({ allocation }) => hostOf(allocation))].filter((each) => !!each));

/** Returns the hosts of a block that is not the one that the list looks at; none if it cannot be read. */
async function hostsOfBlock(
  context: Context,
  space: string,
  cidr: Block["cidr"],
): Promise<ReadonlySet<HostId>> {
  const block = await orCorrupt(context.store.readBlock(space, cidr));
  if (!block || block instanceof CorruptItemError) return new Set();
  const { owners } = await lookForOwners(context, space, takenSlots(block));
  return hostsIn(block, [...owners.values()]);
}
