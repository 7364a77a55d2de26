import { repair } from "../src/allocator/maintenance/repair/repair.ts";
import { scheduledRun, shardOfRun } from "../src/edge/events/scheduled-run.ts";
import { logScheduledRun } from "../src/edge/events/scheduled-run-log.ts";
import { markTable } from "../src/restore/mark-table.ts";
import { markerOfEnvironment } from "../src/restore/parameter-marker.ts";
import { context, guard, identifyReplica } from "../src/wiring.ts";

const plat = context();
const marker = markerOfEnvironment();
/** One shard marks the table for all. */
const MARKING_SHARD = 0;

/** Runs once over a shard; the next run of its schedule continues where this one stopped. */
export const handler = scheduledRun("repair", guard, async (event) => {
  const shard = shardOfRun(event);
  const table = guard();
  const isMarking = table && shard === MARKING_SHARD;
  const failures = isMarking
    ? await markTable({ table, identifyReplica, marker, now: plat.now })
    : [];
  const done = await repair(plat, shard);
  logScheduledRun("repaired", { ...done, failures: [...failures, ...done.failures] });
});
