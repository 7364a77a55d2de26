import { exhaustedAtMs } from "../utilization/forecast.ts";
import { type PoolUsage, percentUsed } from "../utilization/pool-usage.ts";

/** The ids of the alarms that the table can show. CloudWatch has alarms of the same ids. */
export const ALARM_IDS = [
  "PoolAbove95",
  "PoolAbove80",
  "PoolExhaustsSoon",
  "LateRepair",
  "NoHeartbeatOfReclaim",
] as const;

/** A forecast of exhaustion within this time raises an alarm. */
export const EXHAUSTION_ALARM_MS = 24 * 3_600_000;
/** An item that is due waits for the next run, which begins within two minutes. */
const LATE_REPAIR_MS = 15 * 60_000;
/** A pass over the largest spaces takes some runs. */
const NO_RECLAIM_MS = 3_600_000;

/** A threshold of Plat that is crossed now. */
export type CrossedAlarm =
  | {
      readonly id: "PoolAbove95" | "PoolAbove80";
      readonly pool: string;
      readonly percentUsed: number;
    }
  | { readonly id: "PoolExhaustsSoon"; readonly pool: string; readonly exhaustedAtMs: number }
  | { readonly id: "LateRepair"; readonly dueAtMs: number }
  | { readonly id: "NoHeartbeatOfReclaim"; readonly countedAtMs: number };

/**
 * Returns the alarms of a space: what is due for the table as a whole, then those of its pools.
 *
 * @param usages of the pools that there are
 * @param oldestDueAtMs the time since when the oldest item is due; absent if none is
 */
export function crossedAlarms(
  usages: readonly PoolUsage[],
  oldestDueAtMs: number | undefined,
  nowMs: number,
): readonly CrossedAlarm[] {
  const countedAtMs = Math.max(...usages.map((usage) => usage.countedAtMs));
  const alarms: CrossedAlarm[] = [];
  if (oldestDueAtMs !== undefined && nowMs - oldestDueAtMs >= LATE_REPAIR_MS)
    alarms.push({ id: "LateRepair", dueAtMs: oldestDueAtMs });
  if (usages.length > 0 && nowMs - countedAtMs >= NO_RECLAIM_MS)
    alarms.push({ id: "NoHeartbeatOfReclaim", countedAtMs });
  return [...alarms, ...usages.flatMap((usage) => alarmsOfPool(usage, nowMs))];
}

function alarmsOfPool(usage: PoolUsage, nowMs: number): readonly CrossedAlarm[] {
  const { pool, threshold } = usage;
  const exhaustedAt = exhaustedAtMs(usage.samples);
  return [
    ...(threshold === undefined
      ? []
      : [
          {
            id: threshold === 95 ? ("PoolAbove95" as const) : ("PoolAbove80" as const),
            pool,
            percentUsed: percentUsed(usage.usage),
          },
        ]),
    ...(exhaustedAt !== undefined && exhaustedAt - nowMs <= EXHAUSTION_ALARM_MS
      ? [{ id: "PoolExhaustsSoon" as const, pool, exhaustedAtMs: exhaustedAt }]
      : []),
  ];
}
