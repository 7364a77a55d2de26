import { publish } from "../../../api/http/logger.ts";
import { exhaustedAtMs } from "../forecast.ts";
import { type PoolUsage, percentCooling, percentUsed } from "../pool-usage.ts";

const HOUR_MS = 3_600_000;
/** A pool with less in use has no metric of its own, because each metric costs money. */
const OWN_METRIC_PERCENT_MIN = 50;

/**
 * Publishes what a run recorded about pools. Alarms look at the fullest pool of all. A pool that is at least half in use
 * also has metrics under its own name.
 */
export function publishUsage(usages: readonly PoolUsage[]): void {
  for (const { space, pool, family, usage, samples, countedAtMs } of usages) {
    const percent = percentUsed(usage);
    const cooling = percentCooling(usage);
    const exhaustedAt = exhaustedAtMs(samples);
    const values = {
      PoolUse: percent,
      // Otherwise an environment at rest would pay for a metric of nothing.
      PoolCooling: cooling > 0 ? cooling : undefined,
      HoursUntilExhausted:
        exhaustedAt === undefined ? undefined : Math.max(0, exhaustedAt - countedAtMs) / HOUR_MS,
    };
    publish({}, values);
    if (percent >= OWN_METRIC_PERCENT_MIN) publish({ space, pool, family: `IPv${family}` }, values);
  }
}
