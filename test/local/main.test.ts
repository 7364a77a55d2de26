import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { call, run, type Started, start } from "./process.ts";

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

async function started(args: readonly string[]): Promise<Started> {
  const plat = await start(["--port", "0", ...args]);
  running.push(plat);
  return plat;
}

describe("npm start", () => {
  it("serves from memory, says so first, and stops with a word", async () => {
    const plat = await started([]);
    expect(plat.lines).toEqual([
      "Data is kept in memory only and is gone when this stops",
      `Plat listens on ${plat.url}`,
    ]);
    expect(await call(plat.url, "GET", "/readyz")).toMatchObject({ status: 200 });
    plat.process.kill("SIGTERM");
    const { code, lines, errors } = await plat.ended;
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(lines.at(-1)).toBe("Plat has stopped.");
  });

  it("keeps what was assigned through kill -9 when it keeps data", async () => {
    const data = join(await newDirectory(), "new", "data");
    const before = await started(["--data", data]);
    expect(before.lines[0]).toBe(`Data is kept in ${data}`);
    await call(before.url, "PUT", "/v1/pools/main", { cidr: "10.0.0.0/24" });
    const request = { host: "n1", ipv4: 3, handle: "h" };
    const assigned = await call(before.url, "POST", "/v1/assign", request);
    expect(assigned.status).toBe(200);
    before.process.kill("SIGKILL");
    await before.ended;

    const after = await started(["--data", data]);
    const { body } = await call(after.url, "GET", "/v1/handles/h");
    const addresses = (of: { addresses: { address: string }[] }) =>
      of.addresses.map(({ address }) => address).sort();
    expect(addresses(body)).toEqual(addresses(assigned.body));
  });

  it("says in a sentence that its port is taken", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as { port: number };
    const { code, lines, errors } = await run(["--port", String(port)]).ended;
    other.close();
    expect({ code, lines }).toEqual({ code: 1, lines: [] });
    expect(errors).toBe(
      `Port ${port} is taken by another program; choose another one with --port.\n`,
    );
  });

  it("says in a sentence that the DynamoDB it was pointed to does not answer", async () => {
    const endpoint = "http://127.0.0.1:1";
    const { code, errors } = await run(["--port", "0"], { DYNAMODB_ENDPOINT: endpoint }).ended;
    expect(code).toBe(1);
    expect(errors).toMatch(/^The DynamoDB at http:\/\/127\.0\.0\.1:1 cannot be used: .*\n$/);
  });
});
