import { reclaim } from "../src/allocator/reclaim.ts";
import { logPass } from "../src/edge/pass-log.ts";
import { context } from "../src/wiring.ts";

const plat = context();

/** One pass; the next tick of the schedule goes on where it stopped. */
export async function handler(): Promise<void> {
  logPass("reclaimed", await reclaim(plat));
}
