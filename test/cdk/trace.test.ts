import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { deploymentOf } from "../../twin/deployment.ts";
import { freshAssembly } from "../../twin/fresh.ts";
import { readStacks } from "../../twin/stacks.ts";
import { bundledProgram } from "../programs.ts";

const program = await bundledProgram("src/cli/main.ts");
const { stacks, assets } = readStacks(await freshAssembly("prod"), "prod");

const trace = (args: readonly string[], input = "") =>
  spawnSync(process.execPath, [program, "trace", ...args], {
    input,
    encoding: "utf8",
  });

it("plat trace says which line of the sources a place in a bundle is", async () => {
  const assign = deploymentOf(stacks).functions.find(({ name }) => name.includes("assignFunction"));
  const bundle = join(assets.get(assign?.asset ?? "") ?? "", "index.mjs");
  const message = "TABLE_NAME is not set";
  const place = placeOf(message, await readFile(bundle, "utf8"));
  const { stdout } = trace(
    [`${bundle}.map`],
    `Error: no\n    at x (file:///var/task/index.mjs:${place})\n    at node:internal\n`,
  );
  const [, line] =
    /^Error: no\n {4}at x \(src\/wiring\.ts:(\d+):\d+\)\n {4}at node:internal\n$/.exec(stdout) ??
    [];
  const sources = await readFile(new URL("../../src/wiring.ts", import.meta.url), "utf8");
  expect(sources.split("\n")[Number(line) - 1]).toContain(message);
});

function placeOf(text: string, bundle: string): string {
  const before = bundle.slice(0, bundle.indexOf(text)).split("\n");
  return `${before.length}:${(before.at(-1) ?? "").length + 1}`;
}
