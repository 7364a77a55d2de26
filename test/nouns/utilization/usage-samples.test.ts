import { expect, it } from "vitest";
import {
  SAMPLE_MS_MIN,
  thinned,
  type UsageSample,
} from "../../../src/nouns/utilization/usage-samples.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Returns what is left of a sample every five minutes for this long, thinned after each. */
function sampled(forMs: number): readonly UsageSample[] {
  let samples: readonly UsageSample[] = [];
  for (let atMs = 0; atMs <= forMs; atMs += SAMPLE_MS_MIN)
    samples = thinned([...samples, { atMs, assignable: 10n, available: 5n, inUse: 5n }]);
  return samples;
}

it("samples are dense for two hours, hourly for two days, and daily for a month", () => {
  const forMs = 60 * DAY_MS;
  const ages = sampled(forMs).map(({ atMs }) => forMs - atMs);
  expect(ages.filter((age) => age < 2 * HOUR_MS)).toHaveLength(24);
  expect(ages.filter((age) => age < 2 * DAY_MS)).toHaveLength(24 + 46);
  expect(ages.filter((age) => age >= 2 * DAY_MS)).toHaveLength(28);
  expect(Math.max(...ages)).toBeLessThan(30 * DAY_MS);
});

it("samples are at most 103, whatever the time of the newest one", () => {
  for (const offsetMs of [0, 5 * 60_000, 30 * 60_000, 23 * HOUR_MS])
    expect(sampled(40 * DAY_MS + offsetMs).length).toBeLessThanOrEqual(103);
});

it("the newest sample always stays", () => {
  const [older, newer] = [0, 1_000].map((atMs) => ({
    atMs,
    assignable: 1n,
    available: 1n,
    inUse: 0n,
  }));
  expect(thinned([older, newer].flatMap((each) => each ?? []))).toEqual([older, newer]);
});
