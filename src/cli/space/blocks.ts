import {
  ADDRESSES_PER_PAGE_MAX,
  BLOCKS_PER_PAGE_MAX,
  PAGE_READS_AT_ONCE,
} from "../../base/limits.ts";
import { type Answer, found, type Parameters, type PlatClient } from "../../client/index.ts";
import { atOnce } from "./at-once.ts";
import { type KnownList, knownIn } from "./lists.ts";

type BlockPage = Answer<"readBlock">;

/** A block as a list shows it. */
export type BlockStatus = Answer<"listBlocks">["blocks"][number];

/** A block with all of its addresses that are assigned, kept, held, cooling or quarantined. */
export type BlockRead = Omit<BlockPage, "requestId" | "next">;

/** An assigned, kept, held, cooling or quarantined address of a block. */
export type AddressInBlock = BlockRead["addresses"][number];

/** Returns the network of a block as a part of a name: `10-0-0-0-26`. */
export const blockName = (cidr: string): string => cidr.replaceAll(/[.:/]/g, "-");

/** Lists the blocks of a pool, of a host or of the space, up to the last page, and the items that cannot be read. */
export const knownBlocks = (
  client: PlatClient,
  query: Parameters<"listBlocks"> = {},
): Promise<KnownList<BlockStatus>> =>
  knownIn(
    client.pages.listBlocks({ ...query, limit: BLOCKS_PER_PAGE_MAX }),
    ({ blocks }) => blocks,
  );

/** Lists the blocks that can be read, for a caller who learns of the others in another way. */
export const allBlocks = async (
  client: PlatClient,
  query: Parameters<"listBlocks"> = {},
): Promise<readonly BlockStatus[]> => (await knownBlocks(client, query)).items;

/**
 * Returns true if an address of a block may cool or be in quarantine. The server does not count a reserved or host-reserved
 * address as cooling.
 */
export const mayCool = ({ cooling, reserved, hostReserved }: BlockStatus): boolean =>
  cooling !== 0 || reserved !== 0 || hostReserved !== 0;

/** Reads one block with all its addresses. */
export async function wholeBlock(client: PlatClient, cidr: string): Promise<BlockRead> {
  const read: BlockPage[] = [];
  for await (const page of client.pages.readBlock({ cidr, limit: ADDRESSES_PER_PAGE_MAX }))
    read.push(page);
  const { requestId: _, next: __, ...block } = read.at(-1) as BlockPage;
  return { ...block, addresses: read.flatMap(({ addresses }) => addresses) };
}

/** Returns the handle that has a prefix, in words; nothing if it is free, or no prefix. */
export async function holderOf(client: PlatClient, cidr: string): Promise<string | undefined> {
  const block = await found(wholeBlock(client, cidr));
  const held = block?.addresses.find(({ state }) => state === "assigned");
  return block?.unit === "prefixes" && held ? (held.handle ?? "another owner") : undefined;
}

/** Reads the blocks that still exist, with their addresses; some in parallel. */
export async function wholeBlocks(
  client: PlatClient,
  cidrs: readonly string[],
  each: () => void = () => {},
): Promise<readonly BlockRead[]> {
  const blocks = await atOnce(cidrs, PAGE_READS_AT_ONCE, async (cidr) => {
    const block = await found(wholeBlock(client, cidr));
    each();
    return block;
  });
  return blocks.filter((block) => block !== undefined);
}
