import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as lmdb from "lmdb";
import { expect, it } from "vitest";
import { LmdbTable } from "../../src/store/lmdb-table.ts";
import { absent } from "../../src/table/clause.ts";
import {
  DISK_FREE_BYTES_MIN,
  openEnvironment,
  UnusableFile,
} from "../../src/table/lmdb-environment.ts";
import { scratchDirectory } from "./scratch-file.ts";

const newDirectory = scratchDirectory();
const fileIn = async () => join(await newDirectory(), "plat.lmdb");
const KEY = { pk: "p", sk: "s" };

/** Returns why a file cannot be opened. */
async function rejection(path: string): Promise<string> {
  const error = await openEnvironment(lmdb, path).catch((error) => error);
  expect(error).toBeInstanceOf(UnusableFile);
  return error.message;
}

it("a commit is over when the library says that it is flushed, and not before", async () => {
  let flush = () => {};
  const flushed = new Promise<void>((resolve) => {
    flush = resolve;
  });
  const open = ((options: lmdb.RootDatabaseOptionsWithPath) =>
    new Proxy(lmdb.open(options), {
      get(root, name) {
        if (name === "flushed") return flushed;
        const value = Reflect.get(root, name);
        return typeof value === "function" ? value.bind(root) : value;
      },
    })) as typeof lmdb.open;
  const environment = await openEnvironment({ open }, await fileIn());
  let isOver = false;
  const commit = environment.commit([{ key: KEY, from: undefined, to: KEY }], []).then(() => {
    isOver = true;
  });
  // The commit is done, so the library shows it. The test holds back the report that it is on the
  // disk.
  while (!environment.get(KEY)) await new Promise((resolve) => setImmediate(resolve));
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  flush();
  await commit;
  await environment.close();
});

it.each(["x", "this is a text, and longer than a header is. ".repeat(500)])(
  "a file that is no database is rejected as such: %.20s",
  async (text) => {
    const path = await fileIn();
    await writeFile(path, text);
    expect(await rejection(path)).toContain("plat.lmdb is not a database of Plat.");
  },
);

it("an empty file becomes a database", async () => {
  const path = await fileIn();
  await writeFile(path, "");
  const environment = await openEnvironment(lmdb, path);
  expect(environment.scan(1, undefined)).toEqual([]);
  await environment.close();
});

it("a directory in the place of the file is rejected as such", async () => {
  const path = await fileIn();
  await mkdir(path);
  expect(await rejection(path)).toMatch(/plat\.lmdb cannot be opened: .*\.$/);
});

it.each([
  ["another program's", "hello", "world", "is a database of another program"],
  [
    "of another format",
    "format",
    "plat-table-4",
    "has the format plat-table-4, and this version reads",
  ],
])("a database that is %s is rejected, and left as it is", async (_, key, value, sentence) => {
  const path = await fileIn();
  const other = lmdb.open<string, Uint8Array>({ path, noSubdir: true, keyEncoding: "binary" });
  await other.put(Buffer.from(key), value);
  await other.close();
  expect(await rejection(path)).toContain(sentence);
  const again = lmdb.open<string, Uint8Array>({ path, noSubdir: true, keyEncoding: "binary" });
  expect(Array.from(again.getRange(), ({ value }) => value)).toEqual([value]);
  await again.close();
});

it("a file that another process has is rejected with its number, also after much was written; and is free when that one was killed", async () => {
  const path = await fileIn();
  const program = `
    const lmdb = await import("lmdb");
    const { openEnvironment } = await import("./src/table/lmdb-environment.ts");
    const environment = await openEnvironment(lmdb, ${JSON.stringify(path)});
    for (let n = 0; n < 40; n++) {
      const key = { pk: "p", sk: String(n) };
      await environment.commit([{ key, from: undefined, to: { ...key, pad: "x".repeat(100_000) } }], []);
      environment.get(key);
    }
    console.log("open");
    setInterval(() => {}, 1_000);`;
  const child = spawn(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", program],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  expect(await rejection(path)).toContain(`is in use by process ${child.pid}.`);
  child.kill("SIGKILL");
  await exited;
  const environment = await openEnvironment(lmdb, path);
  expect(environment.scan(100, undefined)).toHaveLength(40);
  await environment.close();
});

it("of two that cannot tell each other apart by their process numbers the later one has the file: the earlier one writes nothing more, says so, and is lost", async () => {
  const path = await fileIn();
  const table = new LmdbTable(await openEnvironment(lmdb, path));
  const put = (sk: string) => {
    const key = { pk: "p", sk };
    return table.write({
      step: "test",
      key,
      when: [absent("absent", "pk")],
      change: { kind: "put", item: { ...key, by: "earlier" } },
    });
  };
  expect(await put("1")).toMatchObject({ outcome: "done" });
  await table.onDisk();
  // In a process namespace of its own, the second process would have the number of this one.
  const later = `
    const lmdb = await import("lmdb");
    const { openEnvironment } = await import("./src/table/lmdb-environment.ts");
    const open = (options) => Object.assign(lmdb.open(options), { readerList: () => "" });
    const environment = await openEnvironment({ open }, ${JSON.stringify(path)});
    const key = { pk: "p", sk: "2" };
    await environment.commit([{ key, from: undefined, to: { ...key, by: "later" } }], []);
    await environment.close();`;
  const child = spawn(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", later],
    { stdio: "inherit" },
  );
  expect(await once(child, "exit")).toEqual([0, null]);
  await Promise.all([put("3"), put("4")]);
  await expect(table.onDisk()).rejects.toThrow("another server has taken the file over");
  expect(await table.lost).toBe("another server has taken the file over");
  await table.close();

  const environment = await openEnvironment(lmdb, path);
  expect(environment.scan(10, undefined).map(({ sk, by }) => [sk, by])).toEqual([
    ["1", "earlier"],
    ["2", "later"],
  ]);
  await environment.close();
});

it("a file on a full disk is rejected with the room that there is, before the library touches it", async () => {
  const path = await fileIn();
  const error = await openEnvironment(lmdb, path, () => 8_192).catch((error) => error);
  expect(error).toBeInstanceOf(UnusableFile);
  expect(error.message).toBe(
    `${path} cannot be opened: no space is left on its disk, which has 8192 bytes free and needs ${DISK_FREE_BYTES_MIN}.`,
  );
  expect(existsSync(path)).toBe(false);
});

it("a disk that becomes full ends the table with that reason, and its last group is not written", async () => {
  const path = await fileIn();
  let free = DISK_FREE_BYTES_MIN;
  const table = new LmdbTable(await openEnvironment(lmdb, path, () => free));
  const put = (sk: string) =>
    table.write({
      step: "put",
      key: { pk: "p", sk },
      when: [absent("absent", "pk")],
      change: { kind: "put", item: { pk: "p", sk } },
    });
  await put("1");
  await table.onDisk();
  free--;
  await put("2");
  await expect(table.onDisk()).rejects.toThrow("no space is left on its disk");
  expect(await table.lost).toMatch(/^no space is left on its disk, which has \d+ bytes free/);
  await table.close();
  const after = new LmdbTable(await openEnvironment(lmdb, path));
  expect((await after.scan(9)).items).toEqual([{ pk: "p", sk: "1" }]);
  await after.close();
});
