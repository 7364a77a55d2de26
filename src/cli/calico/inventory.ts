import type { PlatClient } from "../../client/index.ts";
import { listBlocks } from "../api/blocks.ts";
import { readConfiguration } from "../import/current.ts";
import type { Progress } from "../shell/io.ts";
import { readHeld } from "../snapshot/held.ts";
import type { Inventory } from "./to-dump.ts";

/**
 * Reads the whole space, without pools of prefixes, which no table of addresses has. The result is no snapshot: it reads first the
 * blocks, then their addresses with the owners.
 */
export async function readInventory(client: PlatClient, shown: Progress): Promise<Inventory> {
  const [configuration, listed] = await Promise.all([
    readConfiguration(client),
    listBlocks(client),
  ]);
  const blocks = listed.filter(({ unit }) => unit === undefined);
  return {
    ...configuration,
    pools: configuration.pools.filter(({ assign }) => assign === "addresses"),
    prefixPools: configuration.pools.flatMap(({ assign, name }) =>
      assign === "prefixes" ? [name] : [],
    ),
    ...(await readHeld(client, blocks, shown)),
  };
}
