import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { consoleHandler } from "../../../../src/nouns/console/serve/answer.ts";
import type { ConsoleSettings } from "../../../../src/nouns/console/serve/files.ts";

const SETTINGS: ConsoleSettings = {
  signIn: { type: "jwt", issuer: "https://a.example.com", clientId: "c", scope: "openid" },
  origins: ["https://a.example.com"],
};

let folder: string;
let ask: (
  path: string,
  headers?: Record<string, string>,
) => ReturnType<ReturnType<typeof consoleHandler>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plat-console-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), "<!doctype html>the page");
  await writeFile(join(folder, "assets", "index-1a2b.js"), "the script");
  const handler = consoleHandler(folder, SETTINGS);
  ask = (rawPath, headers = {}) => handler({ rawPath, headers });
});

afterAll(() => rm(folder, { recursive: true }));

it("every page is the one file, which may ask its own API and the issuer", async () => {
  const { statusCode, headers, body } = await ask("/console/pools/main");
  expect({ statusCode, body }).toEqual({ statusCode: 200, body: "<!doctype html>the page" });
  expect(headers?.["content-security-policy"]).toContain(
    "connect-src 'self' https://a.example.com;",
  );
});

it("the console is told how to sign in, and nothing of the deployment besides", async () => {
  const { headers, body = "" } = await ask("/console/config.json");
  expect(headers?.["content-type"]).toBe("application/json");
  expect(JSON.parse(body)).toEqual({ signIn: SETTINGS.signIn });
});

it("a browser that takes compressed files gets them", async () => {
  const answer = await ask("/console/assets/index-1a2b.js", { "accept-encoding": "br, gzip" });
  expect(answer.headers).toMatchObject({ "content-encoding": "gzip", vary: "accept-encoding" });
  expect(answer.isBase64Encoded).toBe(true);
  expect(gunzipSync(Buffer.from(answer.body ?? "", "base64")).toString()).toBe("the script");
});

it.each(["/console/assets/absent.js", "/healthz", "/consolex"])("%s is no file", async (path) => {
  expect((await ask(path)).statusCode).toBe(404);
});
