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
  "What is due is looked at within two runs": (table) => ({
    ...table,
    // The index has nothing, and neither has a walk over the table.
    due: async () => [],
    scan: async () => ({ items: [] }),
  }),
  "A pool of 100,000 blocks is deleted in 15 minutes": (table) => ({
    ...table,
    // No worker ever knows how far the one before it came.
    write: async (write) =>
      write.step.endsWith("-job") && write.step !== "create-job"
        ? { outcome: "lost", item: await table.get(write.key) }
        : table.write(write),
  }),
  "One item that cannot be read stops nothing else": (table) => ({
    ...table,
    // One space that cannot be read takes the register with it.
    query: async (pk, options) => {
      const items = await table.query(pk, options);
      return pk === "SPACES" && items.some(({ f }) => f === 99) ? [] : items;
    },
  }),
  "The whole table comes by once a day": (table) => ({
    ...table,
    scan: async () => ({ items: [] }),
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
