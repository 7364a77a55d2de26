import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Pool } from "../../src/nouns/pool/pool.ts";
import { scoreOf, sorted } from "../../src/selection/selection.ts";
import { poolWith, selector } from "../builders.ts";

const bySelector = (text: string) => ({ text, selector: selector(text) });

/** The conditions that score, the strongest first. */
const CONDITIONS: readonly Partial<Pool>[] = [
  { podSelector: bySelector("app == 'web'") },
  { nodeNames: ["n1"] },
  { namespaceNames: ["shop"] },
  { networks: ["macvlan-100"] },
];

const conditions = fc.subarray([...CONDITIONS]);
const poolFrom = (changes: readonly Partial<Pool>[]) => poolWith(Object.assign({}, ...changes));

describe("the score of a pool", () => {
  it.each([
    [32, { podSelector: bySelector("app == 'web'") }],
    [16, { nodeNames: ["n1"] }],
    [4, { namespaceNames: ["shop"] }],
    [1, { networks: ["macvlan-100"] }],
    [0, { podSelector: bySelector("all()") }],
    [0, { nodeSelector: bySelector("has(zone)"), namespaceSelector: bySelector("has(team)") }],
    [16, { nodeNames: ["n1"], nodeSelector: bySelector("has(zone)") }],
  ])("is %i for %j", (score, changes) => {
    expect(scoreOf(poolWith(changes))).toBe(score);
  });

  it("is the sum over the conditions", () => {
    expect(scoreOf(poolFrom(CONDITIONS))).toBe(53);
  });

  it("puts the pool first that has the strongest condition of which the other has none", () => {
    fc.assert(
      fc.property(conditions, conditions, (ones, others) => {
        const first = CONDITIONS.find((each) => ones.includes(each) !== others.includes(each));
        const difference = scoreOf(poolFrom(ones)) - scoreOf(poolFrom(others));
        expect(Math.sign(difference)).toBe(!first ? 0 : ones.includes(first) ? 1 : -1);
      }),
    );
  });
});

describe("the order of pools", () => {
  const pools = fc.array(fc.record({ score: fc.integer({ min: 0, max: 63 }), place: fc.nat() }));

  it("has the highest score first, and keeps pools of one score as they came", () => {
    fc.assert(
      fc.property(pools, (pools) => {
        const placed = pools.map(({ score }, place) => ({ score, place }));
        for (const [index, after] of sorted(placed).slice(1).entries()) {
          const before = sorted(placed)[index];
          if (!before) throw new Error("there is no pool before");
          expect(
            before.score > after.score ||
              (before.score === after.score && before.place < after.place),
          ).toBe(true);
        }
      }),
    );
  });

  it("has every pool once", () => {
    fc.assert(
      fc.property(pools, (pools) => {
        expect(new Set(sorted(pools))).toEqual(new Set(pools));
        expect(sorted(pools)).toHaveLength(pools.length);
      }),
    );
  });
});
