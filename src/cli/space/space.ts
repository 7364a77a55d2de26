import { formatTime } from "../../base/time.ts";
import type { PlatClient } from "../../client/index.ts";
import type { Block } from "../../kernel/values/block.ts";
import { type AffinityType, hostId } from "../../kernel/values/host.ts";
import { isReleased } from "../../kernel/values/slot.ts";
import { formatCidr } from "../../net/cidr.ts";
import { counting } from "../output/progress.ts";
import type { Io, ShownProgress } from "../shell/io.ts";
import {
  type AddressInBlock,
  allBlocks,
  type BlockRead,
  type BlockStatus,
  mayCool,
  wholeBlocks,
} from "./blocks.ts";
import { type Configuration, readConfiguration } from "./configuration.ts";
import { assignedIn, type OwnedAddress, readContents } from "./contents.ts";
import { type HeldAddress, readOwners } from "./handles.ts";

/** The handle and the owner of an address, and the type of its host, which only a walk tells. */
export interface HeldBy extends Pick<HeldAddress, "handle" | "owner"> {
  readonly affinityType?: AffinityType;
}

/** Blocks with their addresses, and the owners of these. */
export interface OwnedBlocks {
  readonly blocks: readonly BlockRead[];
  /** Owners by address, for the addresses whose owners were found. */
  readonly owners: ReadonlyMap<string, HeldBy>;
  /** The number of unreadable items of the space. An unreadable block is in no list. */
  readonly unreadable: number;
}

/** A space, without the blocks of pools of prefixes, which have no addresses. */
export interface Space extends Configuration, OwnedBlocks {}

/** Reads the whole space. The result is no snapshot: it reads first the blocks, then their addresses with the owners. */
export async function readWholeSpace(client: PlatClient, shown: ShownProgress): Promise<Space> {
  const [configuration, listed] = await Promise.all([readConfiguration(client), allBlocks(client)]);
  const blocks = listed.filter(({ unit }) => unit === undefined);
  return { ...configuration, ...(await readOwnedBlocks(client, blocks, shown)) };
}

/**
 * Reads the listed blocks that still exist, with their addresses and owners. A walk over the contents of the space
 * returns most of them. Otherwise it would need a request for each block and each handle. The walk is no snapshot, and
 * does not show cooling addresses. So it reads a block alone if it differs from the list, and the handle of an address
 * that it did not see.
 */
export async function readOwnedBlocks(
  client: PlatClient,
  listed: readonly BlockStatus[],
  shown: ShownProgress,
): Promise<OwnedBlocks> {
  const contents = await readContents(client, shown);
  const stored = new Map(contents.blocks.map((block) => [formatCidr(block.cidr), block]));
  const assigned = assignedIn(contents);
  const byBlock = new Map<string, OwnedAddress[]>(listed.map(({ cidr }) => [cidr, []]));
  for (const one of assigned) byBlock.get(one.block)?.push(one);
  const blocks = new Map<string, BlockRead>();
  for (const block of listed) {
    const within = byBlock.get(block.cidr) ?? [];
    if (fits(block, stored.get(block.cidr), within))
      blocks.set(block.cidr, { ...block, addresses: within.map(inBlock) });
  }
  const others = listed.filter(({ cidr }) => !blocks.has(cidr)).map(({ cidr }) => cidr);
  const read = await wholeBlocks(client, others, counting(shown, "blocks", others.length));
  for (const block of read) blocks.set(block.cidr, block);
  const current = listed.flatMap(({ cidr }) => blocks.get(cidr) ?? []);
  return {
    blocks: current,
    owners: await ownersOf(client, current, assigned, shown),
    unreadable: contents.unreadable.length,
  };
}

/** Returns true if a block of the walk, with these addresses, agrees with the list and is complete. */
function fits(
  listed: BlockStatus,
  stored: Block | undefined,
  assigned: readonly OwnedAddress[],
): boolean {
  if (!stored) return false;
  const { host, affinityType = "host", inUse } = listed;
  const slots = [...stored.slots.values()];
  const taken = slots.filter((slot) => !isReleased(slot)).length;
  return (
    stored.host === (host === undefined ? undefined : hostId(affinityType, host)) &&
    taken === inUse &&
    taken === assigned.length &&
    // Only the server knows whether a released address still cools.
    (taken === slots.length || !mayCool(listed))
  );
}

const inBlock = ({
  address,
  handle,
  host,
  generation,
  assignedAtMs,
}: OwnedAddress): AddressInBlock => ({
  address,
  state: "assigned",
  handle,
  host,
  generation,
  assignedAt: formatTime(assignedAtMs),
});

/** Returns the owners of assignments by their generations. */
async function ownersOf(
  client: PlatClient,
  blocks: readonly BlockRead[],
  assigned: readonly OwnedAddress[],
  shown: ShownProgress,
): Promise<OwnedBlocks["owners"]> {
  const seen = new Map<string | undefined, HeldBy>(
    assigned.map(({ generation, handle, owner, affinityType }) => [
      generation,
      { handle, owner, affinityType },
    ]),
  );
  const owners = new Map<string, HeldBy>();
  const unseen: AddressInBlock[] = [];
  for (const one of blocks.flatMap(({ addresses }) => addresses)) {
    const known = seen.get(one.generation);
    if (known) owners.set(one.address, known);
    else unseen.push(one);
  }
  const read = await readOwners(client, unseen, counting(shown, "handles"));
  for (const [address, owned] of read) owners.set(address, owned);
  return owners;
}

/** Warns about items that could not be read. */
export function sayMissing(io: Io, { blocks, unreadable }: OwnedBlocks): void {
  const unknown = blocks
    .flatMap(({ addresses }) => addresses)
    .filter(({ state, handle }) => state === "assigned" && handle === undefined).length;
  if (unknown > 0)
    io.err(
      `Note: addresses without a known owner, because their allocations were not found: ${unknown}. See plat check.\n`,
    );
  if (unreadable > 0)
    io.err(
      `Note: items of the space that cannot be read, and were left out: ${unreadable}. See plat check.\n`,
    );
}
