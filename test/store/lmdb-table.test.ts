import { join } from "node:path";
import * as lmdb from "lmdb";
import { afterAll, describe, expect, it } from "vitest";
import { flushedTable, LmdbTable } from "../../src/store/lmdb-table.ts";
import { absent, equals } from "../../src/table/clause.ts";
import type { Item, Key } from "../../src/table/item.ts";
import { type Environment, openEnvironment } from "../../src/table/lmdb-environment.ts";
import type { Change, Table } from "../../src/table/table.ts";
import { tableContract } from "../table/contract.ts";
import { scratchDirectory } from "../table/scratch-file.ts";

const newDirectory = scratchDirectory();
const fileIn = async () => join(await newDirectory(), "plat.lmdb");

describe("the table in a file", () => {
  let table: LmdbTable;
  afterAll(() => table.close());
  tableContract(async () => {
    table = new LmdbTable(await openEnvironment(lmdb, await fileIn()));
    return table;
  });
});

const KEY: Key = { pk: "p", sk: "s" };
const item = (revision: string): Item => ({ ...KEY, revision });
const put = (to: Item): Change => ({ kind: "put", item: to });
const write = (table: Table, change: Change, when = [absent("absent", "pk")], key = KEY) =>
  table.write({ step: "test", key, when, change });

describe("a table whose disk is slow", () => {
  it.each(["before it is carried out", "after it can be seen"] as const)(
    "tells nobody of a write that is held back %s, if somebody waits for the disk",
    async (moment) => {
      const disk = await heldDisk(moment);
      const plain = new LmdbTable(disk.environment);
      const table = flushedTable(plain);
      const answers: string[] = [];
      const hear = (name: string, answer: Promise<unknown>) =>
        answer.then((told) => {
          answers.push(name);
          return told;
        });

      const first = hear("first", write(table, put({ ...item("1"), dueShard: "d", dueAt: 1 })));
      await disk.reached(1);
      const told = [
        first,
        hear("second", write(table, put(item("2")), [equals("rev", "1", "revision")])),
        hear("loser", write(table, put(item("3")))),
        hear("get", table.get(KEY)),
        hear("query", table.query("p")),
        hear("scan", table.scan(10)),
        hear("due", table.due("d", { untilMs: 9, limit: 10 })),
      ];
      await eventLoopTurns();
      expect(answers).toEqual([]);

      disk.letThrough(1);
      expect(await first).toEqual({
        outcome: "done",
        item: { ...item("1"), dueShard: "d", dueAt: 1 },
      });
      await disk.reached(2);
      await eventLoopTurns();
      expect(answers).toEqual(["first"]);

      disk.letThrough(2);
      const [, second, loser, got, queried] = await Promise.all(told);
      expect(second).toEqual({ outcome: "done", item: item("2") });
      expect(loser).toEqual({ outcome: "lost", item: item("2") });
      expect(got).toEqual(item("2"));
      expect(queried).toEqual([item("2")]);
      expect(await table.due("d", { untilMs: 9, limit: 10 })).toEqual([]);
      await plain.close();
    },
  );

  it("lets a request go on from its own writes, which then share a group", async () => {
    const disk = await heldDisk("before it is carried out");
    const table = new LmdbTable(disk.environment);
    expect(await write(table, put(item("1")))).toEqual({ outcome: "done", item: item("1") });
    expect(await table.get(KEY)).toEqual(item("1"));
    expect(await table.query("p")).toEqual([item("1")]);
    const second = await write(table, put(item("2")), [equals("rev", "1", "revision")]);
    expect(second).toEqual({ outcome: "done", item: item("2") });
    const scanned = table.scan(10);
    await disk.reached(1);
    disk.letThrough(1);
    expect(await scanned).toEqual({ items: [item("2")] });
    expect(disk.groups()).toEqual([1]);
    await table.close();
  });

  it("sends writes that come meanwhile in one group, of each key the last", async () => {
    const disk = await heldDisk("before it is carried out");
    const table = new LmdbTable(disk.environment);
    const first = write(table, put(item("0")));
    await disk.reached(1);
    const later = Array.from({ length: 50 }, (_, n) =>
      write(table, put(item(String(n + 1))), [equals("rev", String(n), "revision")]),
    );
    disk.letThrough(1);
    await disk.reached(2);
    disk.letThrough(2);
    await table.onDisk();
    const outcomes = await Promise.all([first, ...later]);
    expect(outcomes.map((told) => told.outcome === "done" && told.item.revision)).toEqual(
      Array.from({ length: 51 }, (_, n) => String(n)),
    );
    expect(disk.groups()).toEqual([1, 1]);
    await table.close();
  });
});

describe("a table whose disk fails", () => {
  it("has nothing to tell of the writes on their way and of those judged by them, and ends", async () => {
    const disk = await heldDisk("before it is carried out");
    const table = new LmdbTable(disk.environment);
    const first = write(table, put(item("1")));
    await disk.reached(1);
    const second = write(table, put(item("2")), [equals("rev", "1", "revision")]);
    const told = [table.onDisk(), table.scan(10), table.due("d", { untilMs: 9, limit: 10 })];
    const refused = told.map((answer) => expect(answer).rejects.toThrow("used no more: disk full"));
    await Promise.all([first, second]);
    disk.fail(1, new Error("disk full"));
    await Promise.all(refused);
    await expect(table.onDisk()).rejects.toThrow("disk full");
    expect(await table.lost).toBe("disk full");
    await expect(table.get(KEY)).rejects.toThrow("disk full");
    await expect(table.scan(1)).rejects.toThrow("disk full");
    await expect(write(table, put(item("4")))).rejects.toThrow("disk full");
    await table.close();
  });
});

it("what was answered is there when the file is opened again, and in the index", async () => {
  const path = await fileIn();
  const before = new LmdbTable(await openEnvironment(lmdb, path));
  const kept = {
    ...item("1"),
    dueShard: "d",
    dueAt: 5,
    names: new Set(["a"]),
    bytes: Uint8Array.of(0, 255),
  };
  await write(before, put(kept));
  await write(before, { kind: "update", set: [[["dueAt"], 7]] }, []);
  await before.onDisk();
  await before.close();
  await expect(before.get(KEY)).rejects.toThrow("it is closed");

  const after = new LmdbTable(await openEnvironment(lmdb, path));
  expect(await after.get(KEY)).toEqual({ ...kept, dueAt: 7 });
  expect(await after.due("d", { untilMs: 6, limit: 10 })).toEqual([]);
  expect(await after.due("d", { untilMs: 7, limit: 10 })).toEqual([{ ...KEY, dueAtMs: 7 }]);
  await write(after, { kind: "delete" }, []);
  expect(await after.due("d", { untilMs: 7, limit: 10 })).toEqual([]);
  await after.close();
});

/** Waits long enough for every act that waits only for the event loop. */
async function eventLoopTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Opens a real file whose commits wait until the test lets them through: before they are carried
 * out, or afterwards but before they are flushed.
 */
async function heldDisk(moment: "before it is carried out" | "after it can be seen") {
  const real = await openEnvironment(lmdb, await fileIn());
  const groups: number[] = [];
  const gates = new Map<number, PromiseWithResolvers>();
  const reached = new Map<number, PromiseWithResolvers>();
  const of = (map: typeof gates, number: number) => {
    const known = map.get(number) ?? withResolvers();
    map.set(number, known);
    return known;
  };
  const environment: Environment = {
    ...real,
    async commit(replacements, changes) {
      const number = groups.push(replacements.length);
      if (moment === "after it can be seen") await real.commit(replacements, changes);
      of(reached, number).resolve();
      await of(gates, number).promise;
      if (moment === "before it is carried out") await real.commit(replacements, changes);
    },
  };
  return {
    environment,
    groups: () => groups,
    reached: (number: number) => of(reached, number).promise,
    letThrough: (number: number) => of(gates, number).resolve(),
    fail: (number: number, error: Error) => of(gates, number).reject(error),
  };
}

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: Error): void;
}

function withResolvers(): PromiseWithResolvers {
  let resolve!: () => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<void>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { promise, resolve, reject };
}
