import { drainPool } from "../../../src/allocator/pool-jobs.ts";
import { PASS_MS_MAX } from "../../../src/domain/limits.ts";
import { Refusal } from "../../../src/domain/outcome.ts";
import type { Fact, Form } from "../fact.ts";
import { LambdaFunction } from "../lambda.ts";
import { COLLECT, minutesUntil, RECLAIM, type Runs, type Schedule, WORK } from "../runs.ts";
import { newCloud, type Sabotage } from "../scene.ts";
import { putLeases } from "./due.ts";
import { putEmptyPool } from "./jobs.ts";
import { putAssignedSpace, putLargeSpace } from "./spaces.ts";

const SPACE = "default";
/** Shards that are run: the others are like them. */
const SHARDS = 4;
/** What a run may take to end the work that is under way when its time is over. */
const ENDING_MS = 5_000;

/** A run that has more to do than it has time for ends in time, and is not stopped. */
export function budgetFacts(form: Form): readonly Fact[] {
  const blocks = form === "full" ? 1_048_576 : 8_192;
  const addresses = form === "full" ? 262_144 : 4_096;
  const [perSecond, minutes] = form === "full" ? [1_000, 1] : [50, 1];
  const cells = form === "full" ? 1_563 : 20;
  const facts: readonly {
    readonly size: string;
    measure(sabotage?: Sabotage): Promise<number>;
  }[] = [
    {
      size: `reclaim, beside ${blocks} full blocks in a space`,
      async measure(sabotage) {
        const cloud = await newCloud(sabotage);
        putLargeSpace(cloud.items, SPACE, form === "full" ? "64.0.0.0/6" : "64.0.0.0/13");
        return cloud.clock.run(() => longest(cloud, RECLAIM, 1));
      },
    },
    {
      size: `collect, with ${perSecond * 60 * minutes} records due at once`,
      async measure(sabotage) {
        const cloud = await newCloud(sabotage);
        const pool = putAssignedSpace(cloud.items, SPACE, "10.0.0.0/8", addresses);
        // In a space of its own: its addresses are others.
        putLeases(cloud, { ...pool, space: "leased" }, perSecond, minutes);
        await cloud.clock.run(() => cloud.clock.sleep(minutes * 60_000));
        return cloud.clock.run(() => longest(cloud, COLLECT.slice(0, SHARDS), 1));
      },
    },
    {
      size: `work, with a pool of ${cells * 64} blocks to drain`,
      async measure(sabotage) {
        const cloud = await newCloud(sabotage);
        putEmptyPool(cloud.items, cells);
        return cloud.clock.run(async () => {
          const ended = await new LambdaFunction(cloud).request((context) =>
            drainPool(context, SPACE, "main", { match: "any" }),
          );
          if (ended.ended !== "answered" || ended.value instanceof Refusal)
            throw new Error("the job was not begun");
          return longest(cloud, WORK, 3);
        });
      },
    },
  ];
  return facts.map((fact) => ({
    ...fact,
    name: "A scheduled run ends within its budget",
    bound: (PASS_MS_MAX + ENDING_MS) / 1_000,
    unit: "seconds",
  }));
}

/** How long the longest run of some minutes took, in seconds. */
async function longest(
  cloud: Awaited<ReturnType<typeof newCloud>>,
  schedules: readonly Schedule[],
  minutes: number,
): Promise<number> {
  const runs: Runs = { executions: [] };
  await minutesUntil(cloud, schedules, minutes, () => false, runs);
  return Math.max(...runs.executions.map(({ ms }) => ms)) / 1_000;
}
