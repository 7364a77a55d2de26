import { shardedRun } from "../src/api/events/scheduled-run.ts";
import { keepUsage } from "../src/kernel/reclaim/keep-usage.ts";
import { reclaim } from "../src/kernel/reclaim/reclaim.ts";
import { publishUsage } from "../src/nouns/utilization/serve/metrics.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

/** Runs once over some shards; the next run of their schedule continues where this one stopped. */
export const reclaimOver = (wiring: Wiring) =>
  shardedRun("reclaim", wiring, async (plat, shard) => {
    const { counted, longPasses, ...done } = await reclaim(plat, shard);
    publishUsage(await keepUsage(plat, { counted, longPasses, failures: done.failures }));
    return done;
  });

export const handler = deployed(reclaimOver);
