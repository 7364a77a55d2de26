import {
  ADDRESSES_PER_PAGE_MAX,
  BLOCKS_PER_PAGE_MAX,
  PAGE_READS_AT_ONCE,
} from "../../base/limits.ts";
import { type Answer, found, type Parameters, type PlatClient } from "../../client/index.ts";
import type { AffinityType } from "../../kernel/values/host.ts";
import { atOnce } from "./at-once.ts";

type BlockPage = Answer<"readBlock">;

/** A block as a list shows it. */
export type BlockSummary = Answer<"listBlocks">["blocks"][number];

/** A block with all of its addresses that are assigned, cooling or quarantined. */
export type Block = Omit<BlockPage, "requestId" | "next">;

/** Lists the blocks of a pool, of a host or of the space, up to the last page. */
export async function listBlocks(
  client: PlatClient,
  query: Parameters<"listBlocks"> = {},
): Promise<BlockSummary[]> {
  const blocks: BlockSummary[] = [];
  for await (const page of client.pages.listBlocks({ ...query, limit: BLOCKS_PER_PAGE_MAX }))
    blocks.push(...page.blocks);
  return blocks;
}

/** Reads one block with all its addresses. */
export async function readBlock(client: PlatClient, cidr: string): Promise<Block> {
  const read: BlockPage[] = [];
  for await (const page of client.pages.readBlock({ cidr, limit: ADDRESSES_PER_PAGE_MAX }))
    read.push(page);
  const { requestId: _, next: __, ...block } = read.at(-1) as BlockPage;
  return { ...block, addresses: read.flatMap(({ addresses }) => addresses) };
}

/** Reads the blocks that still exist, with their addresses; some in parallel. */
export async function readBlocks(
  client: PlatClient,
  cidrs: readonly string[],
  each: () => void = () => {},
): Promise<Block[]> {
  const blocks = await atOnce(cidrs, PAGE_READS_AT_ONCE, async (cidr) => {
    const block = await found(readBlock(client, cidr));
    each();
    return block;
  });
  return blocks.filter((block) => block !== undefined);
}

/** The blocks of a host, and its addresses in own and borrowed blocks. */
export interface Holdings {
  readonly blocks: readonly BlockSummary[];
  readonly addresses: readonly Block["addresses"][number][];
}

/** Reads the addresses of a host, with one request for each of its blocks. */
export async function readHoldings(
  client: PlatClient,
  host: { readonly host: string; readonly affinityType?: AffinityType | undefined },
): Promise<Holdings> {
  const listed = await listBlocks(client, host);
  const read = await readBlocks(
    client,
    listed.filter(({ inUse }) => BigInt(inUse) > 0n).map(({ cidr }) => cidr),
  );
  return {
    blocks: listed.filter(({ borrowed }) => !borrowed),
    addresses: read
      .flatMap(({ addresses }) => addresses)
      .filter((one) => one.state === "assigned" && one.host === host.host),
  };
}
