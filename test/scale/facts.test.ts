import { describe, expect, test } from "vitest";
import { oneIn } from "../simulation/sampled-calls.ts";
import { find, RUN_MS_MAX, titleOf } from "./fact.ts";
import { BUDGET } from "./facts/budget.ts";
import { allFacts } from "./facts.ts";

/**
 * The facts that do not hold yet, by the start of their names. `npm run scale` measures them, and
 * the tests do not check them. A change that makes a fact hold must remove it here.
 */
const OPEN: readonly string[] = [];

const facts = allFacts("small");

describe("what holds at any size, in small", () => {
  for (const fact of facts) {
    const isOpen = OPEN.some((title) => titleOf(fact).startsWith(title));
    test.skipIf(isOpen)(titleOf(fact), async () => {
      const { measured, holds, scheduledRuns } = await find(fact);
      expect(holds, `${measured} ${fact.unit}, of at most ${fact.bound}`).toBe(true);
      expect(Math.max(0, ...scheduledRuns), BUDGET).toBeLessThanOrEqual(RUN_MS_MAX);
    });
  }
});

test("facts are called differently, and the open ones are facts", () => {
  const titles = facts.map(titleOf);
  expect(new Set(titles).size).toBe(titles.length);
  for (const open of OPEN) expect(titles.some((title) => title.startsWith(open))).toBe(true);
});

describe("a fact does not hold without what it rests on", () => {
  const step = oneIn(13);
  for (const fact of facts.filter((_, n) => n % step === 0))
    test(`${titleOf(fact)}; where ${fact.broken.called}`, async () => {
      const { measured, holds } = await find(fact, fact.broken);
      expect(holds, `${measured} ${fact.unit}, of at most ${fact.bound}`).toBe(false);
    });
});
