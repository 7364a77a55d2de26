import { afterPass, type PoolUsage, SAMPLE_MS_MIN } from "../../nouns/utilization/pool-usage.ts";
import { note } from "../core/bounded-work.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import type { Reclaimed } from "./reclaim.ts";

/** Pools whose usage a run records side by side. */
const USAGES_KEPT_AT_ONCE = 8;

/**
 * The part of each five minutes in which a pass is recorded. Passes over a small space begin every minute, and almost
 * two minutes can lie between two of them, so one of them ends in this time. It keeps the others from reading. A pass of several
 * runs can come to a pool at any time, so it looks each time whether these five minutes have a record.
 */
const KEPT_MS = 2 * 60_000;

/**
 * Records the counts of pools after a pass: the newest ones, and a sample of them every five minutes. Nothing else depends on it,
 * and a failure is noted.
 *
 * @returns what was recorded
 */
export async function keepUsage(
  context: Context,
  { counted, longPasses, failures }: Pick<Reclaimed, "counted" | "longPasses" | "failures">,
): Promise<readonly PoolUsage[]> {
  const recorded: PoolUsage[] = [];
  const due = counted.filter(
    ({ space, countedAtMs }) => longPasses.has(space) || countedAtMs % SAMPLE_MS_MIN < KEPT_MS,
  );
  await inParallel(due, USAGES_KEPT_AT_ONCE, async (count) => {
    try {
      const before = await context.store.readPoolUsage(count.space, count.poolId);
      const spanOf = (atMs: number) => Math.floor(atMs / SAMPLE_MS_MIN);
      if (before && spanOf(before.countedAtMs) >= spanOf(count.countedAtMs)) return;
      const usage = afterPass(before, count);
      await context.store.putPoolUsage(usage);
      recorded.push(usage);
    } catch (error) {
      note(failures, error);
    }
  });
  return recorded;
}
