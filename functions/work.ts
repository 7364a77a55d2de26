import { runJobs } from "../src/allocator/jobs.ts";
import { logPass } from "../src/edge/pass-log.ts";
import { context } from "../src/wiring.ts";

const plat = context();

/** One slice of every job; the next tick of the schedule goes on where it stopped. */
export async function handler(): Promise<void> {
  logPass("worked", await runJobs(plat));
}
