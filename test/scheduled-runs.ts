import { EVERY_SHARD, shardOfSpace } from "../src/base/hash.ts";
import type { Context } from "../src/kernel/core/context.ts";
import { type Reclaimed, reclaim } from "../src/kernel/reclaim/reclaim.ts";
import { repair } from "../src/maintenance/repair/repair.ts";
import type { Repaired } from "../src/maintenance/repair/repaired.ts";
import { runJobs } from "../src/maintenance/run-jobs.ts";

const SWEEP_RUNS_MAX = 1_000;

/** Runs `reclaim` for each shard in turn, and returns the sum of the results. */
export const reclaimAll = (context: Context): Promise<Reclaimed> =>
  overShards(EVERY_SHARD, (shard) => reclaim(context, shard));

/** Runs `reclaim` only for the shards of these spaces. The other shards are empty if there are no more spaces. */
export const reclaimSpaces = (context: Context, spaces: readonly string[]): Promise<Reclaimed> =>
  overShards([...new Set(spaces.map(shardOfSpace))], (shard) => reclaim(context, shard));

/** Runs `repair` for each shard in turn, and returns the sum of the results. */
export const repairAll = (context: Context): Promise<Repaired> =>
  overShards(EVERY_SHARD, (shard) => repair(context, shard));

/**
 * Runs `repair` for each shard until it reaches the end of its segment, so that it reads the whole table. Returns the
 * sum over all runs.
 */
export const sweepAll = (context: Context): Promise<Repaired> =>
  overShards(EVERY_SHARD, async (shard) => {
    let sum: Repaired | undefined;
    for (let run = 0; run < SWEEP_RUNS_MAX; run++) {
      const done = await repair(context, shard);
      sum = { ...(sum ? sumOf([sum, done]) : done), swept: done.swept };
      if (done.swept || done.failures.length > 0) return sum;
    }
    throw new Error(
      `the repair run did not come to the end of shard ${shard} in ${SWEEP_RUNS_MAX} runs`,
    );
  });

async function overShards<Done extends object>(
  shards: readonly number[],
  run: (shard: number) => Promise<Done>,
): Promise<Done> {
  const results: Done[] = [];
  for (const shard of shards) results.push(await run(shard));
  return sumOf(results);
}

function sumOf<Done extends object>(results: readonly Done[]): Done {
  const together: Record<string, unknown> = {};
  for (const result of results)
    for (const [name, part] of Object.entries(result)) together[name] = added(together[name], part);
  return together as Done;
}

/** Adds counts, joins lists, and combines flags by `and`. */
function added(sum: unknown, part: unknown): unknown {
  if (typeof part === "number") return Number(sum ?? 0) + part;
  if (Array.isArray(part)) return [...((sum ?? []) as unknown[]), ...part];
  return sum !== false && part;
}

/** Runs the worker once a minute. */
export async function work(
  context: Context,
  clock: { nowMs: number },
  minutes: number,
): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    clock.nowMs += 60_000;
    await runJobs(context);
  }
}
