import type * as v from "valibot";
import type { poolsRead, reservationsRead } from "../../edge/answers.ts";
import { listBlocks, readBlocks } from "../blocks.ts";
import type { Inventory } from "../calico/to-dump.ts";
import { type Client, path } from "../client.ts";
import { readOwners } from "../handles.ts";
import type { Progress } from "../io.ts";
import { counting } from "../progress.ts";
import type { Settings } from "./standing.ts";

/** Reads all that Plat has. It is no snapshot: blocks first, then their addresses, then the owners of these. */
export async function readInventory(client: Client, shown: Progress): Promise<Inventory> {
  const get = async <Body>(route: ReturnType<typeof path>) =>
    (await client.call<Body>({ method: "GET", path: route })).body;
  const [{ pools }, settings, { reservations }, listed] = await Promise.all([
    get<v.InferOutput<typeof poolsRead>>(path`/v1/pools`),
    get<Settings>(path`/v1/config`),
    get<v.InferOutput<typeof reservationsRead>>(path`/v1/reservations`),
    listBlocks(client),
  ]);
  const blocks = await readBlocks(
    client,
    listed.map(({ cidr }) => cidr),
    counting(shown, "blocks", listed.length),
  );
  const addresses = blocks.flatMap((block) => block.addresses);
  const owners = await readOwners(client, addresses, counting(shown, "handles"));
  return { pools, settings, reservations, blocks, owners };
}
