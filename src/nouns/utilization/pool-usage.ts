import { assertFamily, assertTexts, assertTimes } from "../../base/assertions.ts";
import type { Family } from "../../net/address.ts";
import type { Usage } from "./usage.ts";

/** The shares of a pool in use, in percent, of which Plat notes that they are reached; the highest first. */
export const THRESHOLDS_PERCENT = [95, 80] as const;
export type ThresholdPercent = (typeof THRESHOLDS_PERCENT)[number];
/** The use must fall this far below a threshold before it counts as left, so that a release and an assign do not cross it each time. */
const HYSTERESIS_PERCENT = 5;

/** The counts of a pool after the last whole pass over it, and samples of earlier ones. */
export interface PoolUsage {
  readonly space: string;
  /** The id of the pool. A later pool of the same name has a history of its own. */
  readonly poolId: string;
  readonly pool: string;
  readonly family: Family;
  /** The time when the pass reached the pool. A block counts as it was at some time between this and `countedAtMs`. */
  readonly countedFromMs: number;
  readonly countedAtMs: number;
  readonly usage: Usage;
  /** The highest threshold that the use has reached and not left; absent below all of them. */
  readonly threshold?: ThresholdPercent;
  /** The oldest first. The last one has the counts of `usage`. */
  readonly samples: readonly UsageSample[];
}

/** The counts of one whole pass over a pool. */
export type PoolCounted = Omit<PoolUsage, "threshold" | "samples">;

/** Checks a usage before it is written and after it is read. @throws {Error} */
export function assertPoolUsage({
  space,
  poolId,
  pool,
  family,
  countedFromMs,
  countedAtMs,
  samples,
}: PoolUsage): void {
  assertTexts({ space, poolId, pool });
  assertFamily(family);
  assertTimes(countedFromMs, countedAtMs, ...samples.map(({ atMs }) => atMs));
}

/** Returns the usage after a pass: its counts, the threshold, and the samples with a new one. */
export function afterPass(before: PoolUsage | undefined, counted: PoolCounted): PoolUsage {
  const { usage, countedAtMs: atMs } = counted;
  const threshold = thresholdOf(percentUsed(usage), before?.threshold);
  const sample = { atMs, ...assignableOf(usage), inUse: usage.inUse };
  return {
    ...counted,
    ...(threshold !== undefined && { threshold }),
    samples: thinned([...(before?.samples ?? []), sample]),
  };
}

/** Returns how many addresses can be assigned automatically at all, and how many of them now. */
function assignableOf({ capacity, reserved, hostReserved, available }: Usage) {
  return { assignable: capacity - reserved - hostReserved, available };
}

/**
 * Returns the share of a pool that cannot be assigned now, of all that can be assigned at all, in percent: what is in
 * use, held or cooling. A pool of which everything is reserved has no share in use.
 */
export function percentUsed(usage: Usage): number {
  const { assignable, available } = assignableOf(usage);
  return percentOf(assignable - available, assignable);
}

/** Returns the share of a pool that is cooling, of all that can be assigned at all, in percent: a part of the share in use. */
export const percentCooling = (usage: Usage): number =>
  percentOf(usage.cooling, assignableOf(usage).assignable);

/** Returns a share in percent, with two decimals, rounded down; 0 of nothing. */
const percentOf = (part: bigint, whole: bigint): number =>
  whole <= 0n ? 0 : Number((10_000n * part) / whole) / 100;

/**
 * Returns the highest threshold that is reached, or was reached and is not left.
 *
 * @param before the threshold before
 */
export function thresholdOf(
  percent: number,
  before: ThresholdPercent | undefined,
): ThresholdPercent | undefined {
  return THRESHOLDS_PERCENT.find(
    (threshold) =>
      percent >= threshold ||
      (before !== undefined && before >= threshold && percent >= threshold - HYSTERESIS_PERCENT),
  );
}

/** The counts of a pool at a time. */
export interface UsageSample {
  readonly atMs: number;
  /** The addresses that can be assigned automatically at all: all but reserved and host-reserved ones. */
  readonly assignable: bigint;
  /** Those that could be assigned then. */
  readonly available: bigint;
  readonly inUse: bigint;
}

export const SAMPLE_MS_MIN = 5 * 60_000;
const HOUR_MS = 3_600_000;

/** The density of the kept samples by age: the first sample of each span stays. */
const KEPT = [
  { spanMs: SAMPLE_MS_MIN, spans: 24 },
  { spanMs: HOUR_MS, spans: 48 },
  { spanMs: 24 * HOUR_MS, spans: 30 },
] as const;

/**
 * Returns the samples that are kept: one in five minutes for two hours, one an hour for two days, one a day for 30 days,
 * and the newest. So there are at most 103, however long a pool lives.
 *
 * @param samples the oldest first
 */
export function thinned(samples: readonly UsageSample[]): readonly UsageSample[] {
  const newest = samples.at(-1);
  if (!newest) return samples;
  const kept = new Set<UsageSample>([newest]);
  for (const { spanMs, spans } of KEPT) {
    const spanOf = (atMs: number) => Math.floor(atMs / spanMs);
    let last: number | undefined;
    for (const sample of samples) {
      const span = spanOf(sample.atMs);
      if (span !== last && spanOf(newest.atMs) - span < spans) kept.add(sample);
      last = span;
    }
  }
  return samples.filter((sample) => kept.has(sample));
}
