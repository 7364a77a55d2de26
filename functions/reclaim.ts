import { keepUsage } from "../src/allocator/maintenance/reclaim/keep-usage.ts";
import { reclaim } from "../src/allocator/maintenance/reclaim/reclaim.ts";
import { scheduledRun, shardOfRun } from "../src/edge/events/scheduled-run.ts";
import { logScheduledRun } from "../src/edge/events/scheduled-run-log.ts";
import { publishUsage } from "../src/edge/metrics/pools.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

/** Runs once over a shard; the next run of its schedule continues where this one stopped. */
export const reclaimOver = (wiring: Wiring) =>
  scheduledRun("reclaim", wiring, async (plat, event) => {
    const { counted, ...done } = await reclaim(plat, shardOfRun(event));
    publishUsage(await keepUsage(plat, { counted, failures: done.failures }));
    logScheduledRun("reclaimed", done);
  });

export const handler = deployed(reclaimOver);
