import { describe, expect, it } from "vitest";
import {
  afterPass,
  percentCooling,
  percentUsed,
  SAMPLE_MS_MIN,
  thinned,
  thresholdOf,
  type UsageSample,
} from "../../../src/nouns/utilization/pool-usage.ts";
import { NO_USAGE } from "../../../src/nouns/utilization/usage.ts";

const usage = (capacity: bigint, available: bigint, others: Partial<typeof NO_USAGE> = {}) => ({
  ...NO_USAGE,
  capacity,
  available,
  ...others,
});

describe("the share of a pool in use", () => {
  it.each([
    ["of an empty pool", usage(256n, 256n), 0],
    [
      "counts what cools, because nobody gets it now",
      usage(256n, 64n, { inUse: 128n, cooling: 64n }),
      75,
    ],
    ["leaves out what is reserved", usage(256n, 64n, { reserved: 128n, inUse: 64n }), 50],
    ["of a pool that is reserved as a whole", usage(256n, 0n, { reserved: 256n }), 0],
    ["of a large pool of IPv6", usage(2n ** 64n, 2n ** 63n), 50],
  ])("%s", (_, of, percent) => {
    expect(percentUsed(of)).toBe(percent);
  });
});

describe("the share of a pool that is cooling", () => {
  it.each([
    ["of a pool in which nothing cools", usage(256n, 192n, { inUse: 64n }), 0],
    ["is a part of the share in use", usage(256n, 64n, { inUse: 128n, cooling: 64n }), 25],
    ["leaves out what is reserved", usage(256n, 64n, { reserved: 128n, cooling: 64n }), 50],
    ["of a pool that is reserved as a whole", usage(256n, 0n, { reserved: 256n }), 0],
  ])("%s", (_, of, percent) => {
    expect(percentCooling(of)).toBe(percent);
  });
});

describe("a threshold", () => {
  it.each([
    [79.9, undefined, undefined],
    [80, undefined, 80],
    [95, undefined, 95],
    [94, 95, 95],
    [90, 95, 95],
    [89.9, 95, 80],
    [75, 80, 80],
    [75, 95, 80],
    [74.9, 80, undefined],
    [74.9, 95, undefined],
    [78, undefined, undefined],
  ] as const)("at %f %% after %s is %s", (percent, before, threshold) => {
    expect(thresholdOf(percent, before)).toBe(threshold);
  });
});

it("each pass adds a sample, and its counts are the newest", () => {
  const counted = {
    space: "default",
    poolId: "id",
    pool: "main",
    family: 4 as const,
    countedFromMs: 1,
    countedAtMs: 2,
    usage: usage(100n, 10n, { inUse: 80n, reserved: 0n, cooling: 10n }),
  };
  const first = afterPass(undefined, counted);
  expect(first).toEqual({
    ...counted,
    threshold: 80,
    samples: [{ atMs: 2, assignable: 100n, available: 10n, inUse: 80n }],
  });
  const next = afterPass(first, { ...counted, countedAtMs: 300_002, usage: usage(100n, 100n) });
  expect(next.threshold).toBeUndefined();
  expect(next.samples.map(({ available }) => available)).toEqual([10n, 100n]);
});

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
