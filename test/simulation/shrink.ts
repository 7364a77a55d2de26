import { type RunOptions, simulate } from "./run.ts";

/** A run that breaks: its seed, the order of its events, and the processes that take part. */
export interface Broken {
  readonly schedule: number;
  readonly processes: readonly string[];
}

/** The run that breaks, with all of its processes. */
type Whole = Pick<RunOptions, "seed" | "without" | "agents">;

/** The number of orders to try. Leaving out a process changes the order of all later steps. */
const SCHEDULES_MAX = 20;

/**
 * Leaves out one process of a broken run after another, as long as some order of the others still
 * breaks.
 */
export async function shrink(whole: Whole): Promise<Broken> {
  const { processes } = await simulate(whole);
  let broken: Broken = { schedule: 0, processes };
  for (const name of processes) {
    const rest = broken.processes.filter((other) => other !== name);
    const schedule = await breakingSchedule(whole, rest);
    if (schedule !== undefined) broken = { schedule, processes: rest };
  }
  return broken;
}

async function breakingSchedule(
  whole: Whole,
  processes: readonly string[],
): Promise<number | undefined> {
  const only = new Set(processes);
  for (let schedule = 0; schedule < SCHEDULES_MAX; schedule++) {
    const { violations } = await simulate({ ...whole, schedule, only });
    if (violations.length > 0) return schedule;
  }
  return undefined;
}
