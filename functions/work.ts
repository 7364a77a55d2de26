import { runJobs } from "../src/allocator/jobs/run-jobs.ts";
import { scheduledRun } from "../src/edge/events/scheduled-run.ts";
import { logScheduledRun } from "../src/edge/events/scheduled-run-log.ts";
import { connected, guard } from "../src/wiring.ts";

/** Runs one slice of every job; the next run continues where this one stopped. */
export const handler = scheduledRun("work", { connect: connected(), guard }, async (plat) =>
  logScheduledRun("worked", await runJobs(plat)),
);
