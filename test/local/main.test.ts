import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { dataDirectory } from "../../src/local/data-directory.ts";
import { openStorage } from "../../src/local/storage.ts";
import type { Item } from "../../src/table/item.ts";
import { call, runToEnd, type Started, start, startByScript } from "./process.ts";

const directories: string[] = [];
const running: Started[] = [];

afterEach(async () => {
  for (const { process, ended } of running.splice(0)) {
    process.kill("SIGKILL");
    await ended;
  }
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true });
});

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "plat-"));
  directories.push(directory);
  return directory;
}

async function started(args: readonly string[], env?: Record<string, string>): Promise<Started> {
  const plat = await start(["--port", "0", ...args], env);
  running.push(plat);
  return plat;
}

describe("npm start", () => {
  it.each([
    ["--memory", startByScript],
    ["--dynamodb", start],
  ])(
    "with %s serves from memory, says so first, and stops with a word",
    async (option, startBy) => {
      const plat = await startBy(["--port", "0", option]);
      running.push(plat);
      expect(plat.lines.slice(0, 2)).toEqual([
        "Data is kept in memory only and is gone when this stops",
        `Plat listens on ${plat.url}`,
      ]);
      expect(await call(plat.url, "GET", "/readyz")).toMatchObject({ status: 200 });
      plat.process.kill("SIGTERM");
      const { code, lines, errors } = await plat.ended;
      expect({ code, errors }).toEqual({ code: 0, errors: "" });
      expect(lines).toContain(
        `Next, in another terminal: npm run plat -- show --endpoint ${plat.url}`,
      );
      expect(lines.at(-1)).toBe("Plat has stopped.");
    },
  );

  it("keeps data in the user's data directory where nothing else is said, and says where first", async () => {
    const home = await newDirectory();
    const plat = await started([], { HOME: home, XDG_DATA_HOME: "", LOCALAPPDATA: "" });
    expect(plat.lines[0]).toBe(`Data is kept in ${dataDirectory(process.platform, home, {})}`);
    expect(await readdir(dataDirectory(process.platform, home, {}))).toContain("plat.lmdb");
  });

  it.each([[[]], [["--dynamodb"]]])(
    "with %j keeps what was assigned through kill -9",
    async (table) => {
      const data = join(await newDirectory(), "new", "data");
      const before = await started(["--data", data, ...table]);
      expect(before.lines[0]).toBe(`Data is kept in ${data}`);
      await call(before.url, "PUT", "/v1/pools/main", { cidr: "10.0.0.0/24" });
      const request = { host: "n1", ipv4: 3, handle: "h" };
      const assigned = await call(before.url, "POST", "/v1/assign", request);
      expect(assigned.status).toBe(200);
      before.process.kill("SIGKILL");
      await before.ended;

      const after = await started(["--data", data, ...table]);
      const { body } = await call(after.url, "GET", "/v1/handles/h");
      const addresses = (of: { addresses: { address: string }[] }) =>
        of.addresses.map(({ address }) => address).sort();
      expect(addresses(body)).toEqual(addresses(assigned.body));
    },
  );

  it("rejects a directory that another server has, with the number of its process", async () => {
    const data = await newDirectory();
    const first = await started(["--data", data]);
    const { code, lines, errors } = await runToEnd(["--port", "0", "--data", data]);
    expect({ code, lines }).toEqual({ code: 2, lines: [] });
    expect(errors).toBe(
      `${join(data, "plat.lmdb")} is in use by process ${first.process.pid}. Another directory can be named with --data.\n`,
    );
    expect((await call(first.url, "GET", "/readyz")).status).toBe(200);
  });

  it.each([
    ["plat.db", [], "has the data of the embedded DynamoDB; start with --dynamodb, or name"],
    ["plat.lmdb", ["--dynamodb"], "has the data of the table without --dynamodb; start without it"],
  ])("rejects a directory with a %s of the other table", async (file, table, sentence) => {
    const data = await newDirectory();
    await writeFile(join(data, file), "");
    const { code, errors } = await runToEnd(["--port", "0", "--data", data, ...table]);
    expect(code).toBe(2);
    expect(errors).toContain(`${data} ${sentence}`);
  });

  it.each<[string, Item | undefined, string]>([
    [
      "keys of another format",
      { pk: "TABLE", sk: "FORMAT", f: 1, k: 3 },
      "The item of the table has format 3 of the keys of its table, and this version reads format 2.",
    ],
    ["items from before formats were", undefined, "The item of the table is missing,"],
  ])("rejects a table with %s, and writes nothing", async (_, told, sentence) => {
    const data = await newDirectory();
    const item = { pk: "SPACES", sk: "default" };
    const before = await openStorage({ table: "file", data });
    for (const one of told ? [item, told] : [item])
      await before.table.write({
        step: "test",
        key: one,
        when: [],
        change: { kind: "put", item: one },
      });
    await before.stop();
    const { code, lines, errors } = await runToEnd(["--port", "0", "--data", data]);
    expect({ code, lines }).toEqual({ code: 1, lines: [] });
    expect(errors).toContain(sentence);
    expect(errors).toContain("Start the version that wrote it");
    const after = await openStorage({ table: "file", data });
    expect((await after.table.scan(10)).items).toEqual(told ? [item, told] : [item]);
    await after.stop();
  });

  it("lets in with a token only who has it, on any address", async () => {
    const token = "0123456789abcdef";
    const plat = await started(["--memory", "--listen", "0.0.0.0"], { PLAT_TOKEN: token });
    const status = async (headers: Record<string, string>) =>
      (await fetch(`${plat.url}/healthz`, { headers })).status;
    expect(await status({})).toBe(401);
    expect(await status({ authorization: `Bearer ${token}` })).toBe(200);
  });

  it("says in a sentence that its port is taken", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as { port: number };
    const { code, lines, errors } = await runToEnd(["--port", String(port), "--memory"]);
    other.close();
    expect({ code, lines }).toEqual({ code: 1, lines: [] });
    expect(errors).toBe(
      `Port ${port} is taken by another program; choose another one with --port.\n`,
    );
  });

  it.skipIf(process.platform !== "linux").each([[[]], [["--dynamodb"]], [["--deployed"]]])(
    "says in a sentence that a directory cannot be created, in place of trying for ever: %j",
    async (more) => {
      const { code, errors } = await runToEnd(["--port", "0", "--data", "/proc/foo/bar", ...more]);
      expect(code).toBe(2);
      expect(errors).toBe(
        "The directory /proc/foo/bar cannot be created: ENOENT: no such file or directory, mkdir '/proc/foo'. Another one can be named with --data.\n",
      );
    },
  );

  it("rejects the endpoint of a DynamoDB beside --deployed, which has a table of its own", async () => {
    const endpoint = "http://127.0.0.1:1";
    const ended = await runToEnd(["--deployed", "--port", "0"], { DYNAMODB_ENDPOINT: endpoint });
    expect(ended).toMatchObject({
      code: 2,
      errors: `--deployed keeps data of its own, and DYNAMODB_ENDPOINT is set to ${endpoint}; unset it.\n`,
    });
  });

  it("says in a sentence that the DynamoDB it was pointed to does not answer", async () => {
    const endpoint = "http://127.0.0.1:1";
    const { code, errors } = await runToEnd(["--port", "0"], { DYNAMODB_ENDPOINT: endpoint });
    expect(code).toBe(1);
    expect(errors).toMatch(/^The DynamoDB at http:\/\/127\.0\.0\.1:1 cannot be used: .*\n$/);
  });
});
