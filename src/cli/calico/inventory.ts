import { listBlocks } from "../api/blocks.ts";
import type { Client } from "../api/client.ts";
import { readConfiguration } from "../import/current.ts";
import type { Progress } from "../shell/io.ts";
import { readHeld } from "../snapshot/held.ts";
import type { Inventory } from "./to-dump.ts";

/**
 * Reads the whole space. The result is no snapshot: it reads first the blocks, then their addresses with the owners.
 */
export async function readInventory(client: Client, shown: Progress): Promise<Inventory> {
  const [configuration, listed] = await Promise.all([
    readConfiguration(client),
    listBlocks(client),
  ]);
  return { ...configuration, ...(await readHeld(client, listed, shown)) };
}
