import { join } from "node:path";
import fc from "fast-check";
import * as lmdb from "lmdb";
import { afterAll, describe, expect, it } from "vitest";
import { flushedTable, LmdbTable } from "../../src/store/lmdb-table.ts";
import {
  type ChangeFeed,
  ChangeLog,
  InMemoryFeed,
  type ItemChange,
} from "../../src/table/change-log.ts";
import { absent } from "../../src/table/clause.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import type { Item, Key } from "../../src/table/item.ts";
import { openEnvironment } from "../../src/table/lmdb-environment.ts";
import type { Change, Table } from "../../src/table/table.ts";
import { scratchDirectory } from "../table/scratch-file.ts";

const newDirectory = scratchDirectory();
const KEY: Key = { pk: "p", sk: "s" };
const NOON_MS = Date.UTC(2026, 10, 24, 12);
const noon = () => NOON_MS;
const write = (table: Table, change: Change, when = [absent("absent", "pk")], key = KEY) =>
  table.write({ step: "test", key, when, change });
const put = (attributes: object, key = KEY): Change => ({
  kind: "put",
  item: { ...key, ...attributes } as Item,
});

const open: LmdbTable[] = [];
afterAll(() => Promise.all(open.map((table) => table.close())));

async function fileTable(path: string, now = noon) {
  const table = new LmdbTable(await openEnvironment(lmdb, path), now);
  open.push(table);
  return Object.assign(flushedTable(table), { feed: table.feed, close: () => table.close() });
}

const TABLES: readonly [string, () => Promise<{ table: Table; feed: ChangeFeed }>][] = [
  [
    "in memory",
    async () => {
      const feed = new InMemoryFeed(new ChangeLog(noon));
      return { table: new InMemoryTable(feed), feed };
    },
  ],
  [
    "in a file",
    async () => {
      const table = await fileTable(join(await newDirectory(), "plat.lmdb"));
      return { table, feed: table.feed };
    },
  ],
];

describe.each(TABLES)("the changes of a table %s", (_, opened) => {
  it("are each write with the item before and afterwards, in their order", async () => {
    const { table, feed } = await opened();
    const names = new Set(["a"]);
    await write(table, put({ names, bytes: Uint8Array.of(0, 255), slots: {} }));
    await write(table, { kind: "update", set: [[["slots", "7"], "taken"]] }, []);
    await write(table, { kind: "delete" }, []);
    const created = { ...KEY, names, bytes: Uint8Array.of(0, 255), slots: {} };
    const updated = { ...created, slots: { 7: "taken" } };
    const changes = feed.first(10);
    expect(changes.map(({ sequence: _, ...change }) => change)).toEqual([
      { key: KEY, after: created, atMs: NOON_MS },
      { key: KEY, before: created, after: updated, atMs: NOON_MS },
      { key: KEY, before: updated, atMs: NOON_MS },
    ]);
    const sequences = changes.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...new Set(sequences)].sort());
    for (const sequence of sequences) expect(sequence).toMatch(/^\d{40}$/);
  });

  it("of one moment are all there, though the table writes them together", async () => {
    const { table, feed } = await opened();
    await Promise.all(Array.from({ length: 20 }, (_, n) => write(table, put({ revision: n }), [])));
    expect(feed.first(100).map(({ after }) => after?.revision)).toEqual(
      Array.from({ length: 20 }, (_, n) => n),
    );
  });

  it("leave out a lost write, a write of what is there, and a deletion of nothing", async () => {
    const { table, feed } = await opened();
    const other = { pk: "p", sk: "other" };
    await write(table, put({ revision: 1 }));
    await write(table, put({ revision: 2 }));
    await write(table, put({ revision: 1 }), []);
    await write(table, { kind: "delete" }, [], other);
    expect(feed.first(10)).toHaveLength(1);
  });

  it("stay until they are forgotten, from the first on", async () => {
    const { table, feed } = await opened();
    for (const revision of [1, 2, 3]) await write(table, put({ revision }), []);
    const [, second] = feed.first(2);
    expect(second?.after).toMatchObject({ revision: 2 });
    await feed.forget(second?.sequence ?? "");
    expect(feed.first(10).map(({ after }) => after?.revision)).toEqual([3]);
  });
});

it("a file has the same changes of any run of writes as memory has", async () => {
  const keys = ["a", "b"].map((sk): Key => ({ pk: "p", sk }));
  const value = fc.constantFrom("x", "y", new Set(["x"]), Uint8Array.of(1));
  const change = fc.oneof(
    value.map((v): Change => ({ kind: "put", item: { pk: "p", sk: "", v, map: {} } })),
    value.map((v): Change => ({ kind: "update", set: [[["v"], v]], add: [[["n"], 1]] })),
    fc.constant<Change>({ kind: "update", remove: [["v"]] }),
    fc.constant<Change>({ kind: "delete" }),
  );
  const write = fc.record({ key: fc.constantFrom(...keys), change });
  const file = await fileTable(join(await newDirectory(), "plat.lmdb"));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(write, { maxLength: 6 }), { maxLength: 4 }), async (all) => {
      const feed = new InMemoryFeed(new ChangeLog(noon));
      const memory = new InMemoryTable(feed);
      for (const key of keys)
        await file.write({ step: "test", key, when: [], change: { kind: "delete" } });
      await file.feed.forget(file.feed.first(100).at(-1)?.sequence ?? "");
      // The writes of a group come at once, so the file writes them together.
      for (const group of all)
        for (const table of [memory, file])
          await Promise.all(
            group.map(({ key, change }) => {
              const made =
                change.kind === "put" ? { ...change, item: { ...change.item, ...key } } : change;
              return table.write({ step: "test", key, when: [], change: made });
            }),
          );
      const told = (changes: readonly ItemChange[]) =>
        changes.map(({ key, before, after }) => ({ key, before, after }));
      expect(told(file.feed.first(100))).toEqual(told(feed.first(100)));
    }),
  );
});

describe("a file that is opened again", () => {
  it("has the changes that nobody has published, and greater numbers for later ones", async () => {
    const path = join(await newDirectory(), "plat.lmdb");
    const before = await fileTable(path);
    await write(before, put({ revision: 1 }));
    await write(before, put({ revision: 2 }), []);
    const [first, last] = before.feed.first(10);
    await before.feed.forget(first?.sequence ?? "");
    await before.close();

    const hourEarlier = () => NOON_MS - 3_600_000;
    const after = await fileTable(path, hourEarlier);
    expect(after.feed.first(10)).toEqual([last]);
    await after.feed.forget(last?.sequence ?? "");
    await after.close();

    const again = await fileTable(path, hourEarlier);
    await write(again, put({ revision: 3 }), []);
    const [next] = again.feed.first(10);
    expect(next?.sequence && last && next.sequence > last.sequence).toBe(true);
  });
});

it("a table without a clock keeps no changes", async () => {
  const table = new LmdbTable(await openEnvironment(lmdb, join(await newDirectory(), "plat.lmdb")));
  open.push(table);
  await write(table, put({ revision: 1 }));
  expect(table.feed.first(10)).toEqual([]);
});
