import { type Block, type BlockSummary, listBlocks, readBlocks } from "./blocks.ts";
import type { Client } from "./client.ts";

/** What a host has: the blocks that are its own, and its addresses, in those and in the blocks that it borrows from. */
export interface Holdings {
  readonly blocks: readonly BlockSummary[];
  readonly addresses: readonly Block["addresses"][number][];
}

/** Reads what a host has; each of its blocks is a request. */
export async function readHoldings(
  client: Client,
  host: { readonly host: string; readonly affinityType?: string | undefined },
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
