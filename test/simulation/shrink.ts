import { simulate } from "./run.ts";

/** A run that breaks: its seed, the order of its events, and the processes that take part. */
export interface Broken {
  readonly schedule: number;
  readonly processes: readonly string[];
}

/** The number of orders to try. Leaving out a process changes the order of all later steps. */
const SCHEDULES_MAX = 20;

/**
 * Leaves out one process of a broken run after another, as long as some order of the others still
 * breaks.
 */
export async function shrink(seed: number, without: string | undefined): Promise<Broken> {
  const { processes } = await simulate({ seed, without });
  let broken: Broken = { schedule: 0, processes };
  for (const name of processes) {
    const rest = broken.processes.filter((other) => other !== name);
    const schedule = await breakingSchedule(seed, without, rest);
    if (schedule !== undefined) broken = { schedule, processes: rest };
  }
  return broken;
}

async function breakingSchedule(
  seed: number,
  without: string | undefined,
  processes: readonly string[],
): Promise<number | undefined> {
  const only = new Set(processes);
  for (let schedule = 0; schedule < SCHEDULES_MAX; schedule++) {
    const { violations } = await simulate({ seed, without, schedule, only });
    if (violations.length > 0) return schedule;
  }
  return undefined;
}
