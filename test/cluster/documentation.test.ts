import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Lab, printedBy, startLab } from "./lab.ts";

const PAGE = new URL("../../docs/controller.md", import.meta.url);
const BLOCKS = [...readFileSync(PAGE, "utf8").matchAll(/^```sh cluster\n(.*?)^```$/gms)].map(
  ([, block = ""]) => block,
);

let lab: Lab;
/** The folder in which the commands run. */
let folder: string;
beforeAll(async () => {
  lab = await startLab();
  folder = await mkdtemp(join(tmpdir(), "plat-controller-page-"));
});
afterAll(async () => {
  await lab?.stop();
  await rm(folder, { recursive: true, force: true });
});

it("the commands of docs/controller.md run as written, in their order", async () => {
  expect(BLOCKS.length).toBeGreaterThan(3);
  await lab.putNode("node-1", { podCIDR: "10.64.3.0/24", podCIDRs: ["10.64.3.0/24"] });
  let ways = 0;
  for (const block of BLOCKS) {
    // The page describes two ways, each of which begins with its pool.
    if (block.includes("plat pool create")) ways++;
    const { code, text } = await shell(block, `way-${ways}`);
    expect(code, `${block}\n${text}`).toBe(0);
  }
});

/** Runs commands as a user does whose terminal has `kubectl`, `plat` and `plat-controller`. */
const shell = (commands: string, space: string) =>
  printedBy(
    spawn("sh", ["-e", "-c", commands], {
      cwd: folder,
      env: { ...lab.terminal, PLAT_SPACE: space },
    }),
  );
