import { readBlocks } from "../blocks.ts";
import type { Client } from "../client.ts";
import { readOwners } from "../handles.ts";
import type { Progress } from "../io.ts";
import { type IpamBlock, ipamBlock } from "./ipam-block.ts";

/** Those of the blocks that still stand, in the shape of Calico. It is no snapshot: blocks first, then their handles. */
export async function readIpamBlocks(
  client: Client,
  cidrs: readonly string[],
  shown: Progress,
): Promise<IpamBlock[]> {
  let read = 0;
  const blocks = await readBlocks(client, cidrs, () => {
    shown.update(`${++read} of ${cidrs.length} blocks`);
  });
  let handles = 0;
  const addresses = blocks.flatMap((block) => block.addresses);
  const owners = await readOwners(client, addresses, () => {
    shown.update(`${++handles} handles of ${blocks.length} blocks`);
  });
  return blocks.map((block) => ipamBlock(block, owners));
}
