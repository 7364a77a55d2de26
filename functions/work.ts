import { runJobs } from "../src/allocator/jobs/run-jobs.ts";
import { scheduledRun } from "../src/edge/events/scheduled-run.ts";
import { logScheduledRun } from "../src/edge/events/scheduled-run-log.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

/** Runs one slice of every job; the next run continues where this one stopped. */
export const workOver = (wiring: Wiring) =>
  scheduledRun("work", wiring, async (plat) => logScheduledRun("worked", await runJobs(plat)));

export const handler = deployed(workOver);
