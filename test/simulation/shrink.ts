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
 * Leaves out processes of a broken run as long as some order of the others still breaks. It begins
 * with half of them at a time, because a run of few processes takes little time, and ends with one.
 */
export async function shrink(whole: Whole): Promise<Broken> {
  const { processes } = await simulate(whole);
  let broken: Broken = { schedule: 0, processes };
  for (let size = Math.ceil(processes.length / 2); ; size = Math.ceil(size / 2)) {
    const schedules = size <= 1 ? SCHEDULES_MAX : 1;
    for (let end = broken.processes.length; end > 0; end -= size) {
      const rest = broken.processes.filter((_, at) => at < end - size || at >= end);
      const schedule = await breakingSchedule(whole, rest, schedules);
      if (schedule !== undefined) broken = { schedule, processes: rest };
    }
    if (size <= 1) return broken;
  }
}

async function breakingSchedule(
  whole: Whole,
  processes: readonly string[],
  schedules: number,
): Promise<number | undefined> {
  const only = new Set(processes);
  for (let schedule = 0; schedule < schedules; schedule++) {
    const { violations } = await simulate({ ...whole, schedule, only });
    if (violations.length > 0) return schedule;
  }
  return undefined;
}
