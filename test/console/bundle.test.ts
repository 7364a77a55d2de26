import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { CONSOLE_FOLDER } from "../../src/local/server.ts";

const BYTES_MAX = 150_000;

const files = readdirSync(CONSOLE_FOLDER, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => readFileSync(join(entry.parentPath, entry.name)));

it("all files of the console together have 150 kB at most, compressed", () => {
  expect(files.length).toBeGreaterThan(3);
  const bytes = files.reduce((sum, file) => sum + gzipSync(file).length, 0);
  expect(bytes).toBeLessThan(BYTES_MAX);
});

it("no file of the console names another site, but those of licences and of SVG, and the machine itself", () => {
  const sites = files.flatMap((file) => file.toString("utf8").match(/https?:\/\/[\w.]+/g) ?? []);
  expect(sites.filter((site) => !/www\.w3\.org|127\.0\.0\.1/.test(site))).toEqual([]);
});
