import { repair } from "../src/allocator/maintenance/repair/repair.ts";
import { shardOfTick } from "../src/edge/events/scheduled-run.ts";
import { logPass } from "../src/edge/events/scheduled-run-log.ts";
import { context } from "../src/wiring.ts";

const plat = context();

/** One pass over a shard; the next tick of its schedule goes on where it stopped. */
export async function handler(event: unknown): Promise<void> {
  logPass("collected", await repair(plat, shardOfTick(event)));
}
