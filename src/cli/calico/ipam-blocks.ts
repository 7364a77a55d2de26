import type { Block } from "../blocks.ts";
import type { Client } from "../client.ts";
import { readOwners } from "../handles.ts";
import type { Progress } from "../io.ts";
import { counting } from "../progress.ts";
import { type IpamBlock, ipamBlock } from "./ipam-block.ts";

/** Blocks in the shape of Calico: who owns the addresses in them, their handles say. */
export async function ipamBlocks(
  client: Client,
  blocks: readonly Block[],
  shown: Progress,
): Promise<IpamBlock[]> {
  const addresses = blocks.flatMap((block) => block.addresses);
  const owners = await readOwners(client, addresses, counting(shown, "handles"));
  return blocks.map((block) => ipamBlock(block, owners));
}
