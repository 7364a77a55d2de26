import { describe, expect, test } from "vitest";
import type { Table } from "../../src/store/table.ts";
import { find, titleOf } from "./fact.ts";
import { allFacts } from "./facts.ts";
import { OPEN } from "./open.ts";

const facts = allFacts("small");

describe("what holds at any size, in small", () => {
  for (const fact of facts) {
    const isOpen = OPEN.some((title) => titleOf(fact).startsWith(title));
    test.skipIf(isOpen)(titleOf(fact), async () => {
      const { measured, holds } = await find(fact);
      expect(holds, `${measured} ${fact.unit}, of at most ${fact.bound}`).toBe(true);
    });
  }
});

test("facts are called differently, and the open ones are facts", () => {
  const titles = facts.map(titleOf);
  expect(new Set(titles).size).toBe(titles.length);
  for (const open of OPEN) expect(titles.some((title) => title.startsWith(open))).toBe(true);
});

/** Ways to break a table under the walks, each with a fact that must notice it. */
const SABOTAGES: Readonly<Record<string, (table: Table) => Table>> = {
  "A host is served within two tries": (table) => ({
    ...table,
    // Whatever is looked at is said to be full.
    query: async (pk, options) => (pk.startsWith("BLOCK#") ? [] : table.query(pk, options)),
    write: async (write) =>
      write.step === "create-block" ? { outcome: "lost", item: undefined } : table.write(write),
  }),
  "An idle block is reclaimed within two minutes": (table) => ({
    ...table,
    // Nothing is ever deleted.
    write: async (write) =>
      write.step === "delete-block" ? { outcome: "unknown" } : table.write(write),
  }),
};

describe("a fact does not hold where the walks are broken", () => {
  for (const [name, sabotage] of Object.entries(SABOTAGES))
    test(name, async () => {
      const fact = facts.find((each) => each.name.startsWith(name));
      if (!fact) throw new Error(`no fact is called ${name}`);
      expect((await find(fact, sabotage)).holds).toBe(false);
    });
});
