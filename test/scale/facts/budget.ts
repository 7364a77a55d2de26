import { SCHEDULED_RUN_MS_MAX } from "../../../src/base/limits.ts";
import { type Fact, type Form, RUN_MS_MAX } from "../fact.ts";
import { LambdaFunction } from "../lambda.ts";
import { CLOCK_STANDS } from "../sabotages.ts";
import { busySchedules } from "./busy.ts";

/** Returns the facts that a run with more work than time ends in time, and is not stopped. */
export function budgetFacts(form: Form): readonly Fact[] {
  const runs = form === "full" ? 3 : 1;
  return busySchedules(form).map(({ size, schedule, set }) => ({
    name: BUDGET,
    size,
    bound: RUN_MS_MAX / 1_000,
    unit: "seconds",
    broken: CLOCK_STANDS,
    async measure(newCloud) {
      const cloud = await set(newCloud);
      const lambda = new LambdaFunction(cloud);
      await cloud.clock.run(async () => {
        for (let run = 0; run < runs; run++) await lambda.run(schedule.run);
      });
      const longestMs = Math.max(...cloud.scheduledRuns);
      if (longestMs < SCHEDULED_RUN_MS_MAX)
        throw new Error("each run had time for all that there was");
      return longestMs / 1_000;
    },
  }));
}

/** The fact that holds for every run in every scene. */
export const BUDGET = "A scheduled run ends within its budget";
