import { listBlocks } from "../blocks.ts";
import type { Inventory } from "../calico/to-dump.ts";
import type { Client } from "../client.ts";
import { readHeld } from "../held.ts";
import type { Progress } from "../io.ts";
import { readConfiguration } from "./standing.ts";

/** Reads all that Plat has. It is no snapshot: blocks first, then their addresses with the owners of these. */
export async function readInventory(client: Client, shown: Progress): Promise<Inventory> {
  const [configuration, listed] = await Promise.all([
    readConfiguration(client),
    listBlocks(client),
  ]);
  return { ...configuration, ...(await readHeld(client, listed, shown)) };
}
