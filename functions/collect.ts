import { collect } from "../src/allocator/collect.ts";
import { logPass } from "../src/edge/pass-log.ts";
import { DUE_SHARDS } from "../src/store/definition.ts";
import { context } from "../src/wiring.ts";

const plat = context();

/** One pass; the next tick of the schedule goes on where it stopped. */
export async function handler(): Promise<void> {
  logPass("collected", await collect(plat, DUE_SHARDS));
}
