import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LIMIT_PER_HANDLE_MAX } from "../../../src/base/limits.ts";
import { excessOf, growthOf, watermarksOf } from "../../../src/nouns/cilium/watermarks.ts";

const marks = (preAllocate: number, minAllocate = 0, maxAllocate = 0, maxAboveWatermark = 0) => ({
  preAllocate,
  minAllocate,
  maxAllocate,
  maxAboveWatermark,
});
const neededBy = (available: number, used: number, watermarks: ReturnType<typeof marks>) =>
  growthOf(watermarks, { available, used, held: available });

it("the watermarks that an object does not name are Cilium's defaults", () => {
  expect(watermarksOf({})).toEqual(marks(8));
  const named = {
    "pre-allocate": 0,
    "min-allocate": 16,
    "max-allocate": 32,
    "max-above-watermark": 4,
  };
  expect(watermarksOf(named)).toEqual(marks(0, 16, 32, 4));
});

describe("the needed addresses", () => {
  it.each([
    // available, used, pre-allocate, min-allocate, max-allocate, needed: the rows of Cilium's own tests
    [0, 0, 0, 16, 0, 16],
    [0, 0, 8, 16, 0, 16],
    [0, 0, 16, 8, 0, 16],
    [0, 0, 16, 0, 0, 16],
    [8, 0, 0, 16, 0, 8],
    [8, 4, 8, 0, 0, 4],
    [8, 4, 8, 8, 0, 4],
    [8, 4, 8, 6, 0, 4],
    [8, 4, 8, 0, 8, 0],
    [4, 4, 8, 0, 8, 4],
    // More than the maximum, and more than enough.
    [12, 12, 8, 0, 8, 0],
    [20, 4, 8, 16, 0, 0],
    // Without pre-allocate and min-allocate, an agent waits for two.
    [0, 0, 0, 0, 0, 2],
    [1, 0, 0, 0, 0, 1],
    [1, 1, 0, 0, 0, 2],
    [2, 2, 0, 0, 0, 0],
    [0, 0, 0, 0, 1, 1],
  ])(
    "of %i available, %i used, pre %i, min %i, max %i are %i",
    (available, used, pre, min, max, needed) => {
      expect(neededBy(available, used, marks(pre, min, max)).needed).toBe(needed);
    },
  );

  it("bring those above the watermark, within the maximum, and nothing comes while none is needed", () => {
    expect(neededBy(8, 4, marks(8, 0, 0, 6))).toEqual({ needed: 4, grow: 10, cut: 0 });
    expect(neededBy(8, 4, marks(8, 0, 14, 6))).toEqual({ needed: 4, grow: 6, cut: 0 });
    expect(neededBy(12, 4, marks(8, 0, 0, 6))).toEqual({ needed: 0, grow: 0, cut: 0 });
  });

  it("count withdrawn addresses that are still in use against the maximum", () => {
    const stock = { available: 4, used: 4, held: 6 };
    expect(growthOf(marks(8, 0, 8), stock)).toEqual({ needed: 2, grow: 2, cut: 0 });
  });

  it(`are cut at ${LIMIT_PER_HANDLE_MAX} held addresses`, () => {
    expect(neededBy(0, 0, marks(8, 300))).toEqual({ needed: 300, grow: 256, cut: 44 });
    expect(neededBy(250, 248, marks(8, 0, 0, 16))).toEqual({ needed: 6, grow: 6, cut: 0 });
    expect(neededBy(256, 256, marks(8))).toEqual({ needed: 8, grow: 0, cut: 8 });
  });

  it("never bring more than the maximum, and leave no lack below it", () => {
    const count = fc.nat(40);
    fc.assert(
      fc.property(count, count, count, count, count, count, (pre, min, max, above, one, other) => {
        const [used, available] = [Math.min(one, other), Math.max(one, other)];
        const watermarks = marks(pre, min, max, above);
        const { needed, grow } = neededBy(available, used, watermarks);
        expect(grow).toBeGreaterThanOrEqual(needed);
        if (grow > 0 && max > 0) expect(available + grow).toBeLessThanOrEqual(max);
        const after = neededBy(available + grow, used, watermarks);
        expect(after.needed).toBe(0);
      }),
    );
  });
});

describe("the excess", () => {
  it.each([
    // available, used, pre-allocate, min-allocate, max-above-watermark, excess
    [0, 0, 0, 16, 0, 0],
    [15, 0, 8, 16, 8, 0],
    [17, 0, 8, 16, 4, 0],
    [20, 0, 8, 16, 4, 0],
    [20, 0, 8, 20, 8, 0],
    [16, 1, 8, 16, 8, 0],
    [20, 4, 8, 17, 8, 0],
    [20, 4, 8, 0, 0, 8],
    [20, 8, 8, 16, 0, 4],
    // Cilium's formula has 9 in both, and comes below the minimum.
    [17, 0, 8, 16, 0, 1],
    [21, 0, 8, 16, 4, 5],
    // Without pre-allocate and min-allocate, two stay.
    [2, 0, 0, 0, 0, 0],
    [5, 0, 0, 0, 0, 3],
    [5, 4, 0, 0, 0, 1],
  ])(
    "of %i available, %i used, pre %i, min %i, above %i is %i",
    (available, used, pre, min, above, excess) => {
      expect(excessOf(marks(pre, min, 0, above), { available, used })).toBe(excess);
    },
  );

  it("leaves what the node uses, and what it would need again", () => {
    const count = fc.nat(40);
    fc.assert(
      fc.property(count, count, count, count, count, (pre, min, above, one, other) => {
        const [used, available] = [Math.min(one, other), Math.max(one, other)];
        const watermarks = marks(pre, min, 0, above);
        const left = available - excessOf(watermarks, { available, used });
        expect(left).toBeGreaterThanOrEqual(used);
        if (left < available) expect(neededBy(left, used, watermarks).needed).toBe(0);
      }),
    );
  });

  it("of what a node just got is none", () => {
    const count = fc.nat(40);
    fc.assert(
      fc.property(count, count, count, count, count, (pre, min, above, one, other) => {
        const [used, available] = [Math.min(one, other), Math.max(one, other)];
        const watermarks = marks(pre, min, 0, above);
        const { grow } = neededBy(available, used, watermarks);
        if (grow > 0) expect(excessOf(watermarks, { available: available + grow, used })).toBe(0);
      }),
    );
  });
});
