import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  freshId,
  ID_CHARACTERS,
  type Random,
  randomBelow,
  shuffled,
} from "../../../src/kernel/values/fresh.ts";
import { NOW_MS } from "../../builders.ts";
import { seededRandom } from "../../simulation/random.ts";

const always = (fraction: number, byte = 0): Random => ({
  fraction: () => fraction,
  bytes: (count) => new Uint8Array(count).fill(byte),
});

describe("a fresh id", () => {
  it("is short and needs no escaping anywhere", () => {
    fc.assert(
      fc.property(fc.nat(2 ** 48 - 1), fc.integer(), (nowMs, seed) => {
        const id = freshId(nowMs, seededRandom(seed));
        expect(id).toMatch(/^[\w-]{15}$/);
        expect(id).toHaveLength(ID_CHARACTERS);
      }),
      {
        examples: [
          [0, 0],
          [2 ** 48 - 1, 0],
        ],
      },
    );
  });

  it("differs from every other made at another millisecond, even with the same luck", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(2 ** 48 - 1)), (times) => {
        expect(new Set(times.map((ms) => freshId(ms, always(0)))).size).toBe(times.length);
      }),
      { examples: [[[NOW_MS, NOW_MS + 1]]] },
    );
  });

  it("differs from others made at the same millisecond", () => {
    const random = seededRandom(1);
    const ids = Array.from({ length: 1_000 }, () => freshId(NOW_MS, random));
    expect(new Set(ids).size).toBe(1_000);
    expect(freshId(NOW_MS, always(0, 1))).not.toBe(freshId(NOW_MS, always(0, 2)));
  });
});

describe("a random whole number", () => {
  it.each([
    { fraction: 0, below: 64, number: 0 },
    { fraction: 0.5, below: 64, number: 32 },
    { fraction: 1 - Number.EPSILON, below: 64, number: 63 },
    { fraction: 1 - Number.EPSILON, below: 1, number: 0 },
  ])("below $below is $number at the fraction $fraction", ({ fraction, below, number }) => {
    expect(randomBelow(below, always(fraction))).toBe(number);
  });
});

describe("shuffled items", () => {
  it("are the same items, and the list they came from stays as it was", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer(), (items, seed) => {
        const before = [...items];
        const out = shuffled(items, seededRandom(seed));
        expect(out.toSorted((a, b) => a - b)).toEqual(before.toSorted((a, b) => a - b));
        expect(items).toEqual(before);
      }),
      {
        examples: [
          [[], 0],
          [[1], 0],
          [[1, 1, 2], 0],
        ],
      },
    );
  });

  it("come in every order, about equally often", () => {
    const seen = new Map<string, number>();
    const random = seededRandom(1);
    for (let run = 0; run < 6_000; run++) {
      const order = shuffled(["a", "b", "c"], random).join("");
      seen.set(order, (seen.get(order) ?? 0) + 1);
    }
    expect([...seen.keys()].toSorted()).toEqual(["abc", "acb", "bac", "bca", "cab", "cba"]);
    expect(Math.min(...seen.values())).toBeGreaterThan(850);
    expect(Math.max(...seen.values())).toBeLessThan(1_150);
  });

  it("come in the same order from the same random source", () => {
    const items = Array.from({ length: 64 }, (_, i) => i);
    expect(shuffled(items, seededRandom(7))).toEqual(shuffled(items, seededRandom(7)));
    expect(shuffled(items, seededRandom(8))).not.toEqual(shuffled(items, seededRandom(7)));
  });
});
