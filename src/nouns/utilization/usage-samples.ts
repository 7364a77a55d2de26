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
