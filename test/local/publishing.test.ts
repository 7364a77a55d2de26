import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as lmdb from "lmdb";
import { afterEach, expect, it, vi } from "vitest";
import { deleteExpired } from "../../src/local/publishing.ts";
import { InMemoryTable } from "../../src/store/in-memory-table.ts";
import { openEnvironment } from "../../src/store/lmdb-environment.ts";
import { LmdbTable } from "../../src/store/lmdb-table.ts";
import { HANGS_MS } from "../patience.ts";
import { scratchDirectory } from "../store/scratch-file.ts";
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
  await vi.waitFor(async () => {
    const kinds = (await trailIn(data)).map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(["SPACE/POOL", "HANDLE", "BLOCK"]));
  }, HANGS_MS);
  again.process.kill("SIGTERM");
  expect(await again.ended).toMatchObject({ code: 0, errors: "" });

  const history = new LmdbTable(await openEnvironment(lmdb, join(data, "plat-history.lmdb")));
  const entries = await history.query(`ADDRESS#default#${address}`);
  await history.close();
  expect(entries.map(({ event }) => JSON.parse(String(event ?? "{}")))).toContainEqual(
    expect.objectContaining({ type: "AddressAssigned", handle: "web-0" }),
  );
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
