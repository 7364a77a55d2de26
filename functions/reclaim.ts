import { reclaim } from "../src/allocator/reclaim.ts";
import { logPass } from "../src/edge/pass-log.ts";
import { shardOfTick } from "../src/edge/tick.ts";
import { context } from "../src/wiring.ts";

const plat = context();

/** One pass over a shard; the next tick of its schedule goes on where it stopped. */
export async function handler(event: unknown): Promise<void> {
  logPass("reclaimed", await reclaim(plat, shardOfTick(event)));
}
