import type * as v from "valibot";
import type { poolsRead, reservationsRead } from "../../edge/answers.ts";
import { listBlocks } from "../blocks.ts";
import type { Inventory } from "../calico/to-dump.ts";
import { type Client, path } from "../client.ts";
import { readHeld } from "../held.ts";
import type { Progress } from "../io.ts";
import type { Settings } from "./standing.ts";

/** Reads all that Plat has. It is no snapshot: blocks first, then their addresses with the owners of these. */
export async function readInventory(client: Client, shown: Progress): Promise<Inventory> {
  const get = async <Body>(route: ReturnType<typeof path>) =>
    (await client.call<Body>({ method: "GET", path: route })).body;
  const [{ pools }, settings, { reservations }, listed] = await Promise.all([
    get<v.InferOutput<typeof poolsRead>>(path`/v1/pools`),
    get<Settings>(path`/v1/config`),
    get<v.InferOutput<typeof reservationsRead>>(path`/v1/reservations`),
    listBlocks(client),
  ]);
  return { pools, settings, reservations, ...(await readHeld(client, listed, shown)) };
}
