import type { UsageSample } from "./pool-usage.ts";

const HOUR_MS = 3_600_000;
/** Older samples say nothing about today's trend. */
const FORECAST_WINDOW_MS = 24 * HOUR_MS;
/** A shorter time shows a burst, and no trend. */
const FORECAST_SPAN_MS_MIN = HOUR_MS;
/** Exhaustion later than this is no forecast. */
const FORECAST_MS_MAX = 30 * 24 * HOUR_MS;

/**
 * Returns when a pool has no address left if its use grows on as in the last day: a line through the samples by least
 * squares, from the newest sample on. Returns nothing if the samples cover less than an hour, if the use does not grow,
 * if the pool lasts for 30 days or more, or if it has no assignable address.
 *
 * @param samples the oldest first
 * @returns milliseconds since the epoch; the time of the newest sample if nothing is left
 */
export function exhaustedAtMs(samples: readonly UsageSample[]): number | undefined {
  const newest = samples.at(-1);
  // A pool that reservations cover whole has nothing to run out of.
  if (!newest || newest.assignable <= 0n) return undefined;
  if (newest.available <= 0n) return newest.atMs;
  const points = samples
    .filter(({ atMs }) => newest.atMs - atMs <= FORECAST_WINDOW_MS)
    // Counts from the newest sample on keep the sums exact for IPv6.
    .map((sample) => ({
      x: sample.atMs - newest.atMs,
      y: Number(usedOf(sample) - usedOf(newest)),
    }));
  if (newest.atMs - FORECAST_SPAN_MS_MIN < newest.atMs + (points[0]?.x ?? 0)) return undefined;
  const perMs = slopeOf(points);
  if (!(perMs > 0)) return undefined;
  const leftMs = Number(newest.available) / perMs;
  return leftMs < FORECAST_MS_MAX ? Math.ceil(newest.atMs + leftMs) : undefined;
}

const usedOf = ({ assignable, available }: UsageSample): bigint => assignable - available;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Returns the slope of the line with the least squares of distances to the points. */
function slopeOf(points: readonly Point[]): number {
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(points.map((point) => point.x));
  const y = mean(points.map((point) => point.y));
  const covariance = mean(points.map((point) => (point.x - x) * (point.y - y)));
  return covariance / mean(points.map((point) => (point.x - x) ** 2));
}
