import fc from "fast-check";
import { expect, test } from "vitest";
import { InMemoryTable, queried } from "../../src/table/in-memory-table.ts";
import type { Item, Key } from "../../src/table/item.ts";
import type { QueryOptions, Write } from "../../src/table/table.ts";
import { type Crowd, LargeTable } from "./large-table.ts";
import { MixedOrder } from "./mixed-order.ts";

const itemAt = (pk: string, n: number): Item => ({ pk, sk: String(n), n });

/** Returns partitions `C0`, `C1` and so on. Each has as many items as its number says. */
const crowdOf = (head: string, count: number): Crowd => ({
  count,
  keyOf: (number) => `${head}${number}`,
  numberOf: (pk) => (pk.startsWith(head) ? Number(pk.slice(head.length)) : undefined),
  itemsOf: (number) => Array.from({ length: number % 4 }, (_, n) => itemAt(`${head}${number}`, n)),
});

function tableOf(): LargeTable {
  const table = new LargeTable();
  table.addCrowd(crowdOf("C", 10));
  table.addCrowd(crowdOf("D", 7));
  return table;
}

const anyKey = fc.record({
  pk: fc.constantFrom("C0", "C3", "C7", "D2", "X", "Y", "Z"),
  sk: fc.constantFrom("0", "1", "2", "5"),
});
const anyDue = fc.option(fc.nat(5), { nil: undefined });

test("a table that is made when it is read answers as one that was filled", () => {
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ key: anyKey, due: anyDue, isDeleted: fc.boolean() })),
      async (changes) => {
        const large = tableOf();
        const memory = new InMemoryTable();
        for (const item of [...large.scan()]) await memory.write(put(item));
        for (const { key, due, isDeleted } of changes) {
          const shard = due === undefined ? {} : { dueShard: "DUE#1", dueAt: due };
          const write: Write = isDeleted
            ? { step: "delete", key, when: [], change: { kind: "delete" } }
            : put({ ...key, ...shard });
          large.carryOut(key, large.judge(write));
          await memory.write(write);
        }
        const byKey = (a: Key, b: Key) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1);
        expect([...large.scan()].sort(byKey)).toEqual(memory.items().sort(byKey));
        const options = { untilMs: 3, limit: 3 };
        const due = await memory.due("DUE#1", options);
        expect(large.due("DUE#1", options)).toEqual(due);
        const next = { ...options, after: due[1] };
        expect(large.due("DUE#1", next)).toEqual(await memory.due("DUE#1", next));
      },
    ),
  );
});

test("a Query finds what it finds in any table", () => {
  const items = ["a", "a#1", "a#2", "b", "b#1", "c"].map((sk): Item => ({ pk: "X", sk }));
  const table = new LargeTable();
  for (const item of items) table.put(item);
  const anySk = fc.option(fc.constantFrom("a", "a#", "a#1", "b", "bb", "c", "d"), {
    nil: undefined,
  });
  fc.assert(
    fc.property(anySk, anySk, fc.boolean(), (one, after, isPrefix) => {
      const options: QueryOptions = {
        ...(one !== undefined && (isPrefix ? { prefix: one } : { before: one })),
        ...(after !== undefined && { after }),
      };
      const found = [...(table.partition("X")?.matching(options) ?? [])];
      expect(found).toEqual(queried(items, options));
    }),
  );
});

test("each item is in one of the segments of a scan, and a scan goes on after any of them", () => {
  const table = tableOf();
  for (const pk of ["X", "Y", "Z"]) table.put(itemAt(pk, 1));
  const all = [...table.scan()];
  const parts = [0, 1, 2].map((index) => [...table.scan(undefined, { index, of: 3 })]);
  expect(parts.flat().length).toBe(all.length);
  expect(new Set(parts.flat())).toEqual(new Set(all));
  for (const [index, part] of parts.entries())
    for (const [i, after] of part.entries())
      expect([...table.scan(after, { index, of: 3 })]).toEqual(part.slice(i + 1));
});

test("a mixed order has each number once, and knows its place", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), (count) => {
      const order = new MixedOrder(count);
      const numbers = Array.from({ length: count }, (_, place) => order.numberAt(place));
      expect(new Set(numbers).size).toBe(count);
      expect(numbers.map((number) => order.placeOf(number))).toEqual([...numbers.keys()]);
    }),
  );
});

const put = (item: Item): Write => ({
  step: "put",
  key: item,
  when: [],
  change: { kind: "put", item },
});
