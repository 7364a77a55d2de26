import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as lmdb from "lmdb";
import { afterEach, expect, it } from "vitest";
import { assigned } from "../../bench/asked.ts";
import { makePool } from "../../bench/pool.ts";
import { requestOf } from "../../bench/speed/bed.ts";
import { deleteExpired, neverBack, Pace, Publishing } from "../../src/local/publishing.ts";
import { LmdbTable } from "../../src/store/lmdb-table.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { openEnvironment } from "../../src/table/lmdb-environment.ts";
import { contextOf } from "../../src/wiring.ts";
import { eventually } from "../eventually.ts";
import { scratchDirectory } from "../table/scratch-file.ts";
import { call, type Started, start } from "./process.ts";

const newDirectory = scratchDirectory();
const running: Started[] = [];
afterEach(async () => {
  for (const { process, ended } of running.splice(0)) {
    process.kill("SIGKILL");
    await ended;
  }
});

async function started(data: string): Promise<Started> {
  const plat = await start(["--port", "0", "--data", data]);
  running.push(plat);
  return plat;
}

/** Returns the lines of the trail in a directory of data. */
async function trailIn(data: string) {
  const folder = join(data, "trail/changes");
  const files = (await readdir(folder, { recursive: true })).filter((name) =>
    /^\d{4}\/\d\d\/\d\d\/\d\d\.jsonl$/.test(name),
  );
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
  return texts.flatMap((text) => text.trimEnd().split("\n")).map((line) => JSON.parse(line));
}

it("a change that was not published before kill -9 is in the trail and the history after the next start", async () => {
  const data = await newDirectory();
  const first = await started(data);
  await call(first.url, "PUT", "/v1/pools/main", { cidr: "10.0.0.0/16" });
  const { body } = await call(first.url, "POST", "/v1/assign", {
    host: "node-1",
    ipv4: 1,
    handle: "web-0",
  });
  const [{ address }] = body.addresses;
  first.process.kill("SIGKILL");
  await first.ended;

  const again = await started(data);
  await eventually(async () => {
    const kinds = (await trailIn(data)).map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(["SPACE/POOL", "HANDLE", "BLOCK"]));
  });
  const ids = (await trailIn(data)).map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)]);
  again.process.kill("SIGTERM");
  expect(await again.ended).toMatchObject({ code: 0, errors: "" });

  const history = new LmdbTable(await openEnvironment(lmdb, join(data, "plat-history.lmdb")));
  const entries = await history.query(`ADDRESS#default#${address}`);
  await history.close();
  expect(entries.map(({ event }) => JSON.parse(String(event ?? "{}")))).toContainEqual(
    expect.objectContaining({ type: "AddressAssigned", handle: "web-0" }),
  );
});

it("what was published before a crash, but not reported, is published again and changes nothing", async () => {
  const data = await newDirectory();
  const table = new LmdbTable(await openEnvironment(lmdb, join(data, "plat.lmdb")), Date.now);
  const history = new InMemoryTable();
  const { feed } = table;
  const context = contextOf(table);
  await makePool(context, { space: "default", name: "main", cidr: "10.0.0.0/24" });
  await assigned(context, requestOf("default", "node-1"));
  await table.onDisk();
  const { store } = context;
  const trail = join(data, "trail");
  const options = { history, store, trail, now: Date.now, batchChanges: 100 };
  const silent = { first: (limit: number) => feed.first(limit), forget: () => Promise.reject("!") };
  await expect(new Publishing({ ...options, feed: silent }).run()).rejects.toBe("!");
  const [lines, items] = [await trailIn(data), await entriesOf(history)];
  expect(lines.map(({ kind }) => kind)).toContain("HANDLE");
  expect(items.length).toBeGreaterThan(1);

  await new Publishing({ ...options, feed }).run();
  expect(await trailIn(data)).toEqual(lines);
  expect(await entriesOf(history)).toEqual(items);
  expect(feed.first(1)).toEqual([]);
  await table.close();
});

it("a clock that is set back goes on from the latest time that was read", () => {
  let nowMs = 1_000;
  const now = neverBack(() => nowMs);
  expect([now(), now()]).toEqual([1_000, 1_000]);
  nowMs = 60_000;
  expect(now()).toBe(60_000);
  nowMs = 10_000;
  expect([now(), now()]).toEqual([60_001, 60_002]);
  nowMs = 61_000;
  expect(now()).toBe(61_000);
});

/** Returns the items of a history, except those of the log, whose events may come more than once. */
async function entriesOf(history: InMemoryTable) {
  return history.items().filter(({ pk }) => !pk.startsWith("EVENTS#"));
}

it("every fifth turn publishes, and each one for half a minute after a read", () => {
  let nowMs = 0;
  const pace = new Pace(() => nowMs);
  const turns = (count: number) =>
    Array.from({ length: count }, () => {
      nowMs += 1_000;
      return pace.takeTurn();
    });
  expect(turns(7)).toEqual([true, false, false, false, false, true, false]);
  pace.read();
  expect(turns(29)).not.toContain(false);
  expect(turns(5).filter((isDue) => isDue)).toHaveLength(1);
});

it("expired entries of the history are deleted, and no others", async () => {
  const history = new InMemoryTable();
  const put = (sk: string, attributes: object) =>
    history.write({
      step: "test",
      key: { pk: "p", sk },
      when: [],
      change: { kind: "put", item: { pk: "p", sk, ...attributes } },
    });
  for (let n = 0; n < 1_200; n++) await put(`old-${n}`, { expires: 99 });
  await put("current", { expires: 101 });
  await put("holder", {});
  await deleteExpired(history, 100_000);
  expect((await history.query("p")).map(({ sk }) => sk)).toEqual(["current", "holder"]);
});
