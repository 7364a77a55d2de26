import "./silent.ts";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { functionsOver } from "../../src/local/functions.ts";
import { readConsole, type Serving, serve } from "../../src/local/server.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { wiringOver } from "../../src/wiring.ts";

const TOKEN = "0123456789abcdef";

let folder: string;
let open: Serving;
let closed: Serving;
let unbuilt: Serving;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plat-console-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), "<!doctype html>the page");
  await writeFile(join(folder, "assets", "index-1a2b.js"), "the script");
  const { handlers } = functionsOver(wiringOver(new InMemoryTable()));
  const console = readConsole(folder);
  open = await serve(handlers, { port: 0, console });
  closed = await serve(handlers, { port: 0, console, token: TOKEN });
  unbuilt = await serve(handlers, { port: 0, console: readConsole(join(folder, "absent")) });
});

afterAll(async () => {
  await Promise.all([open.stop(), closed.stop(), unbuilt.stop()]);
  await rm(folder, { recursive: true });
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Sends a request with any headers and any path, which `fetch` would change. */
const ask = (
  serving: Serving,
  path: string,
  { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
) =>
  new Promise<Answer>((resolve, reject) => {
    const { port } = serving;
    const sent = request({ host: "127.0.0.1", port, path, method, headers }, (response) => {
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode, headers: response.headers, body }),
      );
    });
    sent.on("error", reject);
    sent.end();
  });

describe("the console's files", () => {
  it.each(["/console", "/console/", "/console/pools/main?by=host", "/console/handles/a/b%20c"])(
    "%s is the page, which may load what its server has and nothing else",
    async (path) => {
      const { status, headers, body } = await ask(open, path);
      expect({ status, body }).toEqual({ status: 200, body: "<!doctype html>the page" });
      expect(headers).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-cache",
        "x-content-type-options": "nosniff",
      });
      const policy = String(headers["content-security-policy"]).split("; ");
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("connect-src 'self'");
      expect(policy.join()).not.toMatch(/unsafe|https?:|\*/);
    },
  );

  it("server: leads a browser from its root to the console, and tells a program which paths there are", async () => {
    const accept = "text/html,application/xhtml+xml,*/*;q=0.8";
    for (const serving of [open, closed]) {
      const { status, headers } = await ask(serving, "/", { headers: { accept } });
      expect({ status, location: headers.location }).toEqual({
        status: 302,
        location: "/console/",
      });
    }
    for (const headers of [{}, { accept: "*/*" }, { accept: "application/json" }])
      expect(await ask(open, "/", { headers })).toMatchObject({ status: 404 });
    expect((await ask(open, "/", { method: "POST", headers: { accept } })).status).toBe(404);
    const foreign = { accept, host: "evil.example" };
    expect((await ask(open, "/", { headers: foreign })).status).toBe(403);
  });

  it("have names with a hash, and browsers keep them", async () => {
    const { status, headers, body } = await ask(open, "/console/assets/index-1a2b.js");
    expect({ status, body }).toEqual({ status: 200, body: "the script" });
    expect(headers["cache-control"]).toContain("immutable");
    expect(headers["content-type"]).toMatch(/^text\/javascript/);
  });

  it("are the built ones only, whatever the path", async () => {
    expect((await ask(open, "/console/assets/index-0000.js")).status).toBe(404);
    for (const path of ["/console/../package.json", "/console/assets/..%2f..%2fpackage.json"])
      expect((await ask(open, path)).body).not.toContain("plat-ipam");
    expect((await ask(open, "/consoles")).status).toBe(404);
  });

  it("are read, and not written: any other method leads to the API, which has no such path", async () => {
    expect(await ask(open, "/console/", { method: "HEAD" })).toMatchObject({
      status: 200,
      body: "",
    });
    expect((await ask(open, "/console/", { method: "POST" })).status).toBe(404);
  });

  it("need no token, and the API does", async () => {
    expect((await ask(closed, "/console/")).status).toBe(200);
    expect((await ask(closed, "/v1/pools")).status).toBe(401);
  });

  it("can be linked to from another site, which still cannot call the API", async () => {
    const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    expect((await ask(open, "/console/", { headers })).status).toBe(200);
    expect((await ask(open, "/v1/pools", { headers })).status).toBe(403);
  });

  it("belong to this machine: another name of the server is rejected", async () => {
    const headers = { host: "evil.example" };
    expect((await ask(open, "/console/", { headers })).status).toBe(403);
  });

  it("are missing before the first build, and the answer says how to build them", async () => {
    const { status, body } = await ask(unbuilt, "/console/");
    expect({ status, ...JSON.parse(body) }).toMatchObject({
      status: 404,
      code: "not_found",
      detail:
        "The console is not built, because that takes the packages of development. Run `npm ci` without `--omit=dev`, and start again.",
    });
  });
});
