import { EVERY_SHARD } from "../../src/base/hash.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { reclaim } from "../../src/kernel/reclaim/reclaim.ts";
import { repair } from "../../src/maintenance/repair/repair.ts";
import { runJobs } from "../../src/maintenance/run-jobs.ts";
import { type Cloud, type Execution, LambdaFunction } from "./lambda.ts";
import { MINUTE_MS, SHARDS_PER_SCHEDULE } from "./model.ts";

/** The report of a run. */
interface Ran {
  readonly failures: readonly unknown[];
  /** The number of block groups that it read, if it walks over block groups. */
  readonly groups?: number;
}

/** A scheduled function, and the work of one execution. */
export interface Schedule {
  readonly name: "reclaim" | "repair" | "work";
  readonly run: (context: Context) => Promise<Ran>;
}

/** The runs that the schedules start each minute, each for some shards. */
export const RECLAIM: readonly Schedule[] = ofShards("reclaim", reclaim);
export const COLLECT: readonly Schedule[] = ofShards("repair", repair);
export const WORK: readonly Schedule[] = [{ name: "work", run: (context) => runJobs(context) }];

/** Returns the schedules of a function, each of which goes through its shards side by side. */
function ofShards(
  name: Schedule["name"],
  run: (context: Context, shard: number) => Promise<Ran>,
): readonly Schedule[] {
  const firsts = EVERY_SHARD.filter((shard) => shard % SHARDS_PER_SCHEDULE === 0);
  return firsts.map((first) => ({
    name,
    async run(context) {
      const shards = EVERY_SHARD.slice(first, first + SHARDS_PER_SCHEDULE);
      const ran = await Promise.all(shards.map((shard) => run(context, shard)));
      return {
        failures: ran.flatMap(({ failures }) => failures),
        groups: ran.reduce((sum, { groups = 0 }) => sum + groups, 0),
      };
    },
  }));
}

/** Returns the schedule that goes through a shard. */
export const scheduleOf = (schedules: readonly Schedule[], shard: number): Schedule =>
  schedules[Math.floor(shard / SHARDS_PER_SCHEDULE)] as Schedule;

/** The totals of a scene's runs. */
export interface Runs {
  readonly executions: Execution<Ran>[];
}

/**
 * Starts each schedule once a minute, until `isDone` returns true or the maximum number of minutes
 * is over. A run that takes longer than its minute delays the next run of its schedule.
 *
 * @returns the minutes until `isDone` was true after all runs of a minute; one more than the
 * maximum if it never was
 */
export async function minutesUntil(
  cloud: Cloud,
  schedules: readonly Schedule[],
  most: number,
  isDone: () => boolean,
  runs: Runs = { executions: [] },
): Promise<number> {
  const { clock } = cloud;
  const startedAtMs = clock.nowMs;
  const functions = schedules.map((schedule) => ({ schedule, lambda: new LambdaFunction(cloud) }));
  for (let minute = 0; minute < most; minute++) {
    await clock.until(startedAtMs + minute * MINUTE_MS);
    await Promise.all(
      functions.map(async ({ schedule, lambda }) => {
        runs.executions.push(await lambda.run(schedule.run));
      }),
    );
    if (isDone()) return (clock.nowMs - startedAtMs) / MINUTE_MS;
  }
  return most + 1;
}
