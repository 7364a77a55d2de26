import { logScheduledRun, scheduledRun, shardOfRun } from "../src/api/events/scheduled-run.ts";
import { keepUsage } from "../src/kernel/reclaim/keep-usage.ts";
import { reclaim } from "../src/kernel/reclaim/reclaim.ts";
import { publishUsage } from "../src/nouns/utilization/serve/metrics.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

/** Runs once over a shard; the next run of its schedule continues where this one stopped. */
export const reclaimOver = (wiring: Wiring) =>
  scheduledRun("reclaim", wiring, async (plat, event) => {
    const { counted, ...done } = await reclaim(plat, shardOfRun(event));
    publishUsage(await keepUsage(plat, { counted, failures: done.failures }));
    logScheduledRun("reclaimed", done);
  });

export const handler = deployed(reclaimOver);
