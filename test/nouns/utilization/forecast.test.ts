import { describe, expect, it } from "vitest";
import { exhaustedAtMs } from "../../../src/nouns/utilization/forecast.ts";
import { NOW_MS } from "../../builders.ts";

const HOUR_MS = 3_600_000;
const SIZE = 1_000n;

/** Returns hourly samples, the last one now, of which these many addresses are in use. */
const hourly = (inUse: readonly (number | bigint)[], size = SIZE) =>
  inUse.map((used, n) => ({
    atMs: NOW_MS - (inUse.length - 1 - n) * HOUR_MS,
    assignable: size,
    available: size - BigInt(used),
    inUse: BigInt(used),
  }));

const IPV6 = 2n ** 64n;

describe("the forecast of a pool of 1,000 addresses", () => {
  it.each([
    ["no samples", [], undefined],
    ["one sample", [500], undefined],
    ["two samples of the last hour", [400, 500], 5],
    ["steady growth of 100 an hour", [0, 100, 200, 300, 400, 500], 5],
    [
      "growth with a jump, by the line through all",
      [0, 0, 0, 300, 300, 300],
      700 / (900 / 11.666_666),
    ],
    ["a use that stays", [500, 500, 500], undefined],
    ["a use that falls", [500, 400, 300], undefined],
    ["growth so slow that it lasts for a month", [0, 1], undefined],
    ["nothing left", [900, 950, 1_000], 0],
  ])("%s", (_, inUse, hours) => {
    const at = exhaustedAtMs(hourly(inUse));
    if (hours === undefined) expect(at).toBeUndefined();
    else expect(((at ?? 0) - NOW_MS) / HOUR_MS).toBeCloseTo(hours, 0);
  });

  it("has none for a pool that reservations cover whole, which is not exhausted", () => {
    expect(exhaustedAtMs(hourly([0, 0, 0], 0n))).toBeUndefined();
  });

  it("does not look at what is older than a day", () => {
    const old = hourly(Array.from({ length: 60 }, (_, n) => (n < 30 ? 30 * n : 500)));
    expect(exhaustedAtMs(old)).toBeUndefined();
  });

  it("counts the addresses of IPv6 one by one", () => {
    const at = exhaustedAtMs(hourly([IPV6 - 300n, IPV6 - 200n, IPV6 - 100n], IPV6)) ?? 0;
    expect((at - NOW_MS) / HOUR_MS).toBeCloseTo(1, 3);
  });

  it("follows the use, where the pool itself grew", () => {
    const [first, ...grown] = hourly([100, 200, 300]).reverse();
    const samples = [
      ...grown.map((sample) => ({ ...sample, assignable: 500n, available: 500n - sample.inUse })),
      first,
    ];
    const sorted = samples.flatMap((sample) => sample ?? []).sort((a, b) => a.atMs - b.atMs);
    expect(((exhaustedAtMs(sorted) ?? 0) - NOW_MS) / HOUR_MS).toBeCloseTo(7, 3);
  });
});
