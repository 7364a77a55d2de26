import { describe, expect, test } from "vitest";
import { type Fact, find, RUN_MS_MAX, titleOf } from "./fact.ts";
import { BUDGET } from "./facts/budget.ts";
import { allFacts } from "./facts.ts";
import { OPEN } from "./open.ts";

const facts = allFacts("small");

describe("what holds at any size, in small", () => {
  for (const fact of facts) {
    const isOpen = OPEN.some((title) => titleOf(fact).startsWith(title));
    test.skipIf(isOpen)(titleOf(fact), async () => {
      const { measured, holds, passes } = await find(fact);
      expect(holds, `${measured} ${fact.unit}, of at most ${fact.bound}`).toBe(true);
      expect(Math.max(0, ...passes), BUDGET).toBeLessThanOrEqual(RUN_MS_MAX);
    });
  }
});

test("facts are called differently, and the open ones are facts", () => {
  const titles = facts.map(titleOf);
  expect(new Set(titles).size).toBe(titles.length);
  for (const open of OPEN) expect(titles.some((title) => title.startsWith(open))).toBe(true);
});

const names = new Set(facts.map(({ name }) => name));

/** Does one of some facts not hold without what it rests on? */
async function isNoticed(some: readonly Fact[]): Promise<boolean> {
  for (const fact of some) if (!(await find(fact, fact.broken)).holds) return true;
  return false;
}

describe("a fact does not hold without what it rests on", () => {
  for (const name of names) {
    const some = facts.filter((fact) => fact.name === name);
    const causes = [...new Set(some.map(({ broken }) => broken.called))];
    for (const called of causes)
      test(`${name}; where ${called}`, async () => {
        expect(await isNoticed(some.filter(({ broken }) => broken.called === called))).toBe(true);
      });
  }
});
