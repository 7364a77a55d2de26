import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { spaceWithPool } from "../cli/space.ts";
import { terminal } from "../cli/terminal.ts";

const DOCS = new URL("../../docs/", import.meta.url);
const FILE = fileURLToPath(new URL("examples/batch/machines.ndjson", DOCS));

const shell = terminal({ table: "memory" });

it("docs/clients.md shows how machines.ndjson gets its addresses, and gets them once", async () => {
  await spaceWithPool(shell)();
  const page = readFileSync(new URL("clients.md", DOCS), "utf8");
  const [, command = ""] = /^plat (batch machines\.ndjson)/m.exec(page) ?? [];
  const run = () => shell.plat(...command.replace("machines.ndjson", FILE).split(" "));
  const first = await run();
  expect(first.exit).toBe(0);
  expect(page).toContain(first.err.trim());
  const results = first.out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(results.map(({ assigned }) => assigned.handle)).toEqual(["vm-1", "vm-2", "vm-3"]);
  const addressesOf = (text: string) => text.match(/"address":"[^"]*"/g);
  expect(addressesOf((await run()).out)).toEqual(addressesOf(first.out));
});
