import type { PlatClient } from "../../client/index.ts";
import type { AffinityType } from "../../kernel/values/host.ts";
import { type Block, type BlockSummary, listBlocks, readBlocks } from "./blocks.ts";

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
