import { scheduledRun } from "../src/api/events/scheduled-run.ts";
import { runJobs } from "../src/maintenance/run-jobs.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

/** Runs one slice of every job; the next run continues where this one stopped. */
export const workOver = (wiring: Wiring) => scheduledRun("work", wiring, (plat) => runJobs(plat));

export const handler = deployed(workOver);
