import { repair } from "../src/allocator/maintenance/repair/repair.ts";
import { scheduledRun, shardOfRun } from "../src/edge/events/scheduled-run.ts";
import { logScheduledRun } from "../src/edge/events/scheduled-run-log.ts";
import { context, guard } from "../src/wiring.ts";

const plat = context();

/** Runs once over a shard; the next run of its schedule continues where this one stopped. */
export const handler = scheduledRun("repair", guard(), async (event) =>
  logScheduledRun("repaired", await repair(plat, shardOfRun(event))),
);
