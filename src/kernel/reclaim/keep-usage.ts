import {
  afterPass,
  type PoolCounted,
  type PoolUsage,
  SAMPLE_MS_MIN,
} from "../../nouns/utilization/pool-usage.ts";
import { note } from "../core/bounded-work.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";

/** Pools whose usage a run records side by side. */
const USAGES_KEPT_AT_ONCE = 8;

/**
 * The part of each five minutes in which a pass is recorded. Passes over a small space begin every minute, and almost
 * two minutes can lie between two of them, so one of them ends in this time. It keeps the others from reading.
 */
const KEPT_MS = 2 * 60_000;

/**
 * Records the counts of pools after a pass: the newest ones, and a sample of them every five minutes. A pass that took
 * longer than one run is always recorded. Nothing else depends on it, and a failure is noted.
 *
 * @returns what was recorded
 */
export async function keepUsage(
  context: Context,
  { counted, failures }: { readonly counted: readonly PoolCounted[]; readonly failures: unknown[] },
): Promise<readonly PoolUsage[]> {
  const recorded: PoolUsage[] = [];
  const due = counted.filter(
    ({ countedFromMs, countedAtMs }) =>
      countedAtMs % SAMPLE_MS_MIN < KEPT_MS || countedAtMs - countedFromMs > KEPT_MS,
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
