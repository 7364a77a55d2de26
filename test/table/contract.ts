import fc from "fast-check";
import { beforeAll, describe, expect, it, vi } from "vitest";
import {
  absent,
  atMost,
  type Clause,
  equals,
  newOrEquals,
  present,
  sizeIs,
} from "../../src/table/clause.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import type { Item, Key } from "../../src/table/item.ts";
import type { Change, DueKey, ItemPage, ScanOptions, Table, Write } from "../../src/table/table.ts";

/** The maximum time until an eventually consistent read shows a write: usually within a second. */
const CONSISTENT_MS_MAX = 15_000;

/**
 * Tests that every table must pass: the in-memory one, the embedded DynamoDB, any other endpoint.
 * Each test uses its own keys, so that one table serves them all. The tests do not rely on
 * behaviour that DynamoDB's documentation leaves open, or in which an implementation differs from
 * it. A comment names each such case.
 */
export function tableContract(open: () => Promise<Table>): void {
  let table: Table;
  let count = 0;
  beforeAll(async () => {
    table = await open();
  });
  const someKey = (): Key => ({ pk: `CONTRACT#${count++}`, sk: "item" });
  const write = (key: Key, change: Change, ...when: Clause[]): Promise<unknown> =>
    table.write({ step: "contract", key, when, change });
  const put = (key: Key, attributes: object, ...when: Clause[]) =>
    write(key, { kind: "put", item: { ...key, ...attributes } as Item }, ...when);

  /** Returns the items of every page from a position on, with pages of `limit` items. */
  const scanned = async (options: ScanOptions, limit = 1_000): Promise<Item[]> => {
    const items: Item[] = [];
    let { after } = options;
    do {
      const page: ItemPage = await table.scan(limit, { ...options, after });
      expect(page.items.length).toBeLessThanOrEqual(limit);
      items.push(...page.items);
      after = page.next;
    } while (after);
    return items;
  };

  describe("a put", () => {
    it("if absent is done once, and the loser gets what stands there", async () => {
      const key = someKey();
      const first = { ...key, owner: "first" };
      expect(await put(key, first, absent("absent", "pk"))).toEqual({
        outcome: "done",
        item: first,
      });
      expect(await put(key, { owner: "second" }, absent("absent", "pk"))).toEqual({
        outcome: "lost",
        item: first,
      });
      expect(await table.get(key)).toEqual(first);
    });

    it("of 20 at once is done exactly once", async () => {
      const key = someKey();
      const racers = Array.from({ length: 20 }, (_, n) => put(key, { n }, absent("absent", "pk")));
      const outcomes = (await Promise.all(racers)) as { outcome: string }[];
      expect(outcomes.filter(({ outcome }) => outcome === "done")).toHaveLength(1);
    });

    it("keeps every kind of value as it was", async () => {
      const key = someKey();
      const item = {
        ...key,
        text: "€ 😀 #%",
        zero: 0,
        large: 2 ** 53 - 1,
        yes: true,
        bytes: Uint8Array.of(0, 255),
        names: new Set(["a", "b"]),
        numbers: new Set([1, 2]),
        list: ["x", 1],
        // No name is empty. DynamoDB requires at least one character, the embedded one accepts
        // none, and moto damages the map.
        map: { "a.b": 1, "#n0": {} },
      };
      await put(key, item);
      const { bytes, ...rest } = (await table.get(key)) as typeof item;
      const { bytes: expected, ...others } = item;
      expect(rest).toEqual(others);
      expect(Buffer.compare(bytes, expected)).toBe(0);
    });
  });

  describe("an update", () => {
    it("writes slots of a map side by side, and answers the whole item after it", async () => {
      const key = someKey();
      await put(key, { slots: {}, epoch: "e1" });
      await Promise.all(
        [3, 4, 5].map((n) =>
          write(
            key,
            { kind: "update", set: [[["slots", String(n)], Uint8Array.of(n)]] },
            absent("slot", "slots", String(n)),
            equals("epoch", "e1", "epoch"),
          ),
        ),
      );
      const last = await write(key, { kind: "update", set: [[["slots", "6"], Uint8Array.of(6)]] });
      expect(Object.keys((last as { item: { slots: object } }).item.slots).sort()).toEqual([
        "3",
        "4",
        "5",
        "6",
      ]);
    });

    it("is lost when a slot holds another tag than the one seen, and done when it holds that one", async () => {
      const key = someKey();
      await put(key, { slots: { "7": Uint8Array.of(1, 2) } });
      const swap = (seen: Uint8Array) =>
        write(
          key,
          { kind: "update", set: [[["slots", "7"], Uint8Array.of(9)]] },
          equals("slot", seen, "slots", "7"),
        );
      expect(await swap(Uint8Array.of(1, 3))).toMatchObject({ outcome: "lost" });
      expect(await swap(Uint8Array.of(1, 2))).toMatchObject({ outcome: "done" });
      expect(await swap(Uint8Array.of(1, 2))).toMatchObject({ outcome: "lost" });
    });

    it("sets, removes, adds to a set and takes from one in one write", async () => {
      const key = someKey();
      await put(key, { keep: 1, gone: 2, groups: new Set([1, 2]), map: { a: 1, b: 2 } });
      await write(key, {
        kind: "update",
        set: [[["fresh"], "x"]],
        remove: [["gone"], ["map", "a"], ["never-there"]],
        add: [[["more"], new Set(["m"])]],
        drop: [[["groups"], new Set([2, 3])]],
      });
      expect(await table.get(key)).toEqual({
        ...key,
        keep: 1,
        fresh: "x",
        groups: new Set([1]),
        more: new Set(["m"]),
        map: { b: 2 },
      });
    });

    it("of an item that is not there makes it, unless a clause forbids that", async () => {
      const key = someKey();
      const add: Change = { kind: "update", add: [[["groups"], new Set([5])]] };
      expect(await write(key, add, present("there", "pk"))).toEqual({
        outcome: "lost",
        item: undefined,
      });
      expect(await write(key, add)).toMatchObject({ outcome: "done" });
      expect(await table.get(key)).toEqual({ ...key, groups: new Set([5]) });
    });

    it("takes the last member of a set, and the set is gone", async () => {
      const key = someKey();
      await put(key, { full: new Set([1]) });
      await write(key, { kind: "update", drop: [[["full"], new Set([1])]] });
      expect(await table.get(key)).toEqual(key);
    });
  });

  describe("a number", () => {
    it("is added up, and only while it is small enough", async () => {
      const key = someKey();
      await put(key, { revision: "r1" });
      const add = (n: number, ...when: Clause[]) =>
        write(key, { kind: "update", add: [[["taken"], n]] }, ...when);
      expect(await add(1, atMost("left", 3, "taken"))).toMatchObject({ outcome: "lost" });
      expect(await add(3)).toMatchObject({ outcome: "done", item: { taken: 3 } });
      expect(await add(1, atMost("left", 3, "taken"))).toMatchObject({ item: { taken: 4 } });
      expect(await add(1, atMost("left", 3, "taken"))).toMatchObject({
        outcome: "lost",
        item: { taken: 4 },
      });
      expect(await add(-2)).toMatchObject({ outcome: "done", item: { taken: 2 } });
    });
  });

  describe("a delete", () => {
    it("is lost under another revision and done under the one seen", async () => {
      const key = someKey();
      await put(key, { revision: "r1", parts: { t: {} } });
      const remove = (...when: Clause[]) => write(key, { kind: "delete" }, ...when);
      expect(await remove(equals("rev", "r0", "revision"))).toMatchObject({ outcome: "lost" });
      expect(await remove(sizeIs("sole", 2, "parts"))).toMatchObject({ outcome: "lost" });
      expect(
        await remove(equals("rev", "r1", "revision"), sizeIs("sole", 1, "parts")),
      ).toMatchObject({ outcome: "done" });
      expect(await table.get(key)).toBeUndefined();
    });
  });

  it("of an item that is to have a value makes it where there is none, and is lost where it has another, or none", async () => {
    const key = someKey();
    const add: Change = { kind: "update", set: [[["more"], 1]] };
    const isOne = newOrEquals("format", 1, "f");
    expect(await write(key, add, isOne)).toMatchObject({ outcome: "done" });
    expect(await write(key, add, isOne)).toEqual({ outcome: "lost", item: { ...key, more: 1 } });
    await put(key, { f: 1 });
    expect(await write(key, add, isOne)).toMatchObject({ outcome: "done" });
    await put(key, { f: 2 });
    expect(await write(key, { kind: "delete" }, isOne)).toMatchObject({ outcome: "lost" });
  });

  it("takes an item as the key of its own deletion", async () => {
    const item = { ...someKey(), more: "than a key" };
    await put(item, item);
    expect(await write(item, { kind: "delete" }, present("there", "pk"))).toMatchObject({
      outcome: "done",
    });
    expect(await table.get({ pk: item.pk, sk: item.sk })).toBeUndefined();
  });

  describe("a read", () => {
    it("of a partition answers all of it, whatever its size, or what begins with a prefix", async () => {
      const { pk } = someKey();
      const pad = "x".repeat(90_000); // 20 of them are more than one page of 1 MB
      for (let n = 0; n < 20; n++) await put({ pk, sk: `PLACE#${n}` }, { pad });
      await put({ pk, sk: "TAKEN#1" }, {});
      expect(await table.query(pk)).toHaveLength(21);
      expect(await table.query(pk, { prefix: "PLACE#" })).toHaveLength(20);
      // DynamoDB may show this item later. The embedded one and moto show it at once.
      await eventually(async () =>
        expect(await table.query(pk, { prefix: "TAKEN#", consistent: false })).toHaveLength(1),
      );
    });

    it("of a partition goes on after a sort key, there or not, for so many items", async () => {
      const { pk } = someKey();
      const pad = "x".repeat(300_000); // 4 of them are more than one page of 1 MB
      for (const n of [1, 3, 5, 7, 9]) await put({ pk, sk: `R#${n}` }, { pad });
      await put({ pk, sk: "S#1" }, {});
      const read = async (options: object) =>
        (await table.query(pk, options)).map(({ sk }) => sk).join();
      expect(await read({ limit: 2 })).toBe("R#1,R#3");
      expect(await read({ limit: 4, after: "R#2" })).toBe("R#3,R#5,R#7,R#9");
      expect(await read({ after: "R#9" })).toBe("S#1");
      expect(await read({ after: "R#3", prefix: "R#" })).toBe("R#5,R#7,R#9");
      expect(await read({ after: "S#1", limit: 2 })).toBe("");
      expect(await read({ before: "R#7" })).toBe("R#1,R#3,R#5");
      expect(await read({ before: "R#8", after: "R#3", limit: 1 })).toBe("R#5");
    });

    it("of a partition answers of each item its key and the attributes that are asked for, where it has them", async () => {
      const { pk } = someKey();
      const pad = "x".repeat(300_000); // 4 of them are more than one page of 1 MB
      for (const n of [1, 3, 5, 7]) await put({ pk, sk: `R#${n}` }, { pad, size: n });
      await put({ pk, sk: "S#1" }, { pad });
      const keys = (...sks: string[]) => sks.map((sk) => ({ pk, sk }));
      const all = keys("R#1", "R#3", "R#5", "R#7", "S#1");
      expect(await table.query(pk, { only: [] })).toEqual(all);
      const prefix = { prefix: "R#", after: "R#1", limit: 2, only: [] };
      expect(await table.query(pk, prefix)).toEqual(keys("R#3", "R#5"));
      const before = { before: "R#5", only: [], consistent: false };
      await eventually(async () =>
        expect(await table.query(pk, before)).toEqual(keys("R#1", "R#3")),
      );
      expect(await table.query(pk, { after: "R#5", only: ["size", "more"] })).toEqual([
        { pk, sk: "R#7", size: 7 },
        { pk, sk: "S#1" },
      ]);
    });

    it("of a partition comes in the order of the bytes of its sort keys as UTF-8", async () => {
      const { pk } = someKey();
      const inOrder = [
        "a",
        "a\u0000",
        "a#",
        "b",
        "\u00e9",
        "\u20ac",
        "\ue000",
        "\ufffd",
        "\u{1f600}",
      ];
      for (const sk of inOrder.toReversed()) await put({ pk, sk }, {});
      const read = async (options: object) => (await table.query(pk, options)).map(({ sk }) => sk);
      expect(await read({})).toEqual(inOrder);
      expect(await read({ after: "\ufffd" })).toEqual(["\u{1f600}"]);
      expect(await read({ before: "\u{1f600}", after: "\u20ac" })).toEqual(["\ue000", "\ufffd"]);
    });

    it("of a partition shows nothing of one whose key begins alike", async () => {
      const { pk } = someKey();
      for (const other of ["", "#", "\u0000", "\u0000a", "\uffff"])
        await put({ pk: pk + other, sk: "s" }, {});
      expect(await table.query(pk)).toEqual([{ pk, sk: "s" }]);
      expect(await table.query(`${pk}\u0000`)).toEqual([{ pk: `${pk}\u0000`, sk: "s" }]);
    });

    it("of the whole table, page by page, sees every item once", async () => {
      const { pk } = someKey();
      for (let n = 0; n < 30; n++) await put({ pk, sk: String(n) }, {});
      const seen = (await scanned({}, 7)).filter((item) => item.pk === pk).map(({ sk }) => sk);
      expect(seen.toSorted((a, b) => Number(a) - Number(b))).toEqual(
        Array.from({ length: 30 }, (_, n) => String(n)),
      );
    });

    // If the item of a position is deleted, the embedded one ends the segment there, and a walk
    // then starts again. DynamoDB goes on.
    it("of the whole table, segment by segment, sees every item once, and a partition in one segment", async () => {
      const partitions = Array.from({ length: 12 }, () => someKey().pk);
      for (const pk of partitions)
        for (const sk of ["a", "b", "c"]) await put({ pk, sk }, { pad: "x" });
      const segments = await Promise.all(
        [0, 1, 2, 3].map((index) => scanned({ segment: { index, of: 4 } }, 5)),
      );
      for (const pk of partitions) {
        const found = segments.map((items) => items.filter((item) => item.pk === pk));
        const [only, ...others] = found.filter((items) => items.length > 0);
        expect(only?.map(({ sk }) => sk).sort(), pk).toEqual(["a", "b", "c"]);
        expect(others).toEqual([]);
      }
    });

    it("that is eventually consistent shows what was there a while ago, or is there now", async () => {
      const key = someKey();
      await put(key, { n: 1 });
      // DynamoDB may show this write later. The embedded one and moto show it at once.
      await eventually(async () =>
        expect(await table.get(key, { consistent: false })).toEqual({ ...key, n: 1 }),
      );
      await eventually(async () =>
        expect(await scanned({ consistent: false })).toContainEqual({ ...key, n: 1 }),
      );
    });

    it("of what is due answers the earliest first, and only what carries a time", async () => {
      const { pk } = someKey();
      const shard = `SHARD-${pk}`;
      for (const dueAt of [30, 10, 20, 99])
        await put({ pk, sk: `r${dueAt}` }, { dueShard: shard, dueAt });
      await put({ pk, sk: "never" }, { dueShard: shard });
      // DynamoDB updates an index later. The embedded one and moto do so at once.
      await eventually(async () =>
        expect(await table.due(shard, { untilMs: 50, limit: 10 })).toHaveLength(3),
      );
      expect(await table.due(shard, { untilMs: 50, limit: 2 })).toEqual([
        { pk, sk: "r10", dueAtMs: 10 },
        { pk, sk: "r20", dueAtMs: 20 },
      ]);
    });

    it("of what is due, page by page, sees every entry once, also past one that is gone meanwhile", async () => {
      const { pk } = someKey();
      const shard = `SHARD-${pk}`;
      const times = [5, 5, 5, 5, 6, 7, 7, 9];
      for (const [n, dueAt] of times.entries())
        await put({ pk, sk: `r${n}` }, { dueShard: shard, dueAt });
      await eventually(async () =>
        expect(await table.due(shard, { untilMs: 8, limit: 10 })).toHaveLength(7),
      );
      const seen: DueKey[] = [];
      for (let page = 0; page < 4; page++) {
        const after = seen.at(-1);
        seen.push(...(await table.due(shard, { untilMs: 8, limit: 2, after })));
        const last = seen.at(-1);
        if (last) await write({ pk, sk: last.sk }, { kind: "delete" });
      }
      expect(seen.map(({ dueAtMs }) => dueAtMs)).toEqual([5, 5, 5, 5, 6, 7, 7]);
      expect(new Set(seen.map(({ sk }) => sk)).size).toBe(7);
    });
  });

  it("does with any run of writes what the in-memory table does", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyWrite, { minLength: 1, maxLength: 12 }), async (writes) => {
        const twin = new InMemoryTable();
        const pk = someKey().pk;
        for (const { key, change, when } of writes) {
          const at = { ...key, pk };
          const own: Write = {
            step: "contract",
            key: at,
            when,
            change: change.kind === "put" ? { kind: "put", item: { ...change.item, pk } } : change,
          };
          expect(await table.write(own)).toEqual(await twin.write(own));
        }
        expect(await table.query(pk)).toEqual(await twin.query(pk));
      }),
      { seed: 20 },
    );
  });
}

const eventually = (fact: () => Promise<void>) => vi.waitFor(fact, { timeout: CONSISTENT_MS_MAX });

const name = fc.constantFrom("a", "status", "zone", "size");
const text = fc.constantFrom("x", "y", "z");
const member = fc.constantFrom(1, 2, 3).map((n) => new Set([n]));
const anyClauses: fc.Arbitrary<readonly Clause[]> = fc.oneof(
  fc.constantFrom("pk", "a", "m").map((path) => [absent("any", path)]),
  fc.constantFrom("pk", "a", "m").map((path) => [present("any", path)]),
  fc.tuple(name, text).map(([path, value]) => [equals("any", value, path)]),
  fc.tuple(name, text).map(([path, value]) => [equals("any", value, "m", path)]),
  fc.tuple(name, text).map(([path, value]) => [newOrEquals("any", value, path)]),
  name.map((path) => [absent("any", "m", path)]),
  // The size of an absent attribute is undocumented. For the embedded DynamoDB the clause fails,
  // and moto answers 500.
  fc.integer({ min: -3, max: 3 }).map((max) => [atMost("any", max, "c")]),
  fc.integer({ min: 0, max: 3 }).map((size) => [present("any", "m"), sizeIs("any", size, "m")]),
);
const anyChange: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .dictionary(name, text, { maxKeys: 3 })
      .map((m): Change => ({ kind: "put", item: { pk: "", sk: "", a: "x", m } })),
  },
  fc.constant<Change>({ kind: "delete" }),
  fc.tuple(name, text).map(([path, v]): Change => ({ kind: "update", set: [[[path], v]] })),
  name.map((path): Change => ({ kind: "update", remove: [[path]] })),
  member.map((members): Change => ({ kind: "update", add: [[["n"], members]] })),
  member.map((members): Change => ({ kind: "update", drop: [[["n"], members]] })),
  fc.integer({ min: -3, max: 3 }).map((n): Change => ({ kind: "update", add: [[["c"], n]] })),
);
export const anyWrite: fc.Arbitrary<Write> = fc
  .tuple(fc.constantFrom("i", "j"), anyChange, fc.array(anyClauses, { maxLength: 2 }))
  .map(([sk, change, clauses]) => ({
    step: "contract",
    key: { pk: "", sk },
    when: clauses.flat(),
    change: change.kind === "put" ? { kind: "put", item: { ...change.item, sk } } : change,
  }));
