import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { terminal } from "../terminal.ts";

const { plat, platWith } = terminal();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plat-trace-"));
  const map = { version: 3, sources: ["src/wiring.ts"], names: [], mappings: "AACA" };
  await writeFile(join(folder, "index.mjs.map"), JSON.stringify(map));
});
afterAll(() => rm(folder, { recursive: true }));

it("plat trace puts the place in the sources for that in the bundle, and leaves all else", async () => {
  const stdin = "Error: no\n    at x (file:///var/task/index.mjs:1:1)\n    at node:internal\n";
  expect(await platWith({ stdin }, "trace", join(folder, "index.mjs.map"))).toEqual({
    exit: 0,
    out: "Error: no\n    at x (src/wiring.ts:2:1)\n    at node:internal\n",
    err: "",
  });
});

it("plat trace rejects a file that is no source map, by its name", async () => {
  const file = join(folder, "trace.txt");
  await writeFile(file, "Error: no");
  const { exit, err } = await plat("trace", file);
  expect(exit).toBe(2);
  expect(err).toContain(`${file} is no source map: `);
});
