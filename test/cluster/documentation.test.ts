import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Lab, printedBy, startLab } from "./lab.ts";
import { helm } from "./servers.ts";

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
  const blocks = BLOCKS.filter((block) => !usesHelm(block));
  expect(blocks.length).toBeGreaterThan(3);
  await lab.putNode("node-1", { podCIDR: "10.64.3.0/24", podCIDRs: ["10.64.3.0/24"] });
  let ways = 0;
  for (const block of blocks) {
    // The page describes two ways, each of which begins with its pool.
    if (block.includes("plat pool create")) ways++;
    await runs(block, lab, `way-${ways}`);
  }
});

it("the commands for Helm run as written, and leave nothing behind", async () => {
  const blocks = BLOCKS.filter(usesHelm);
  const [install = "", uninstall = ""] = blocks;
  expect(blocks).toHaveLength(2);
  // Helm takes over no object that somebody else has made.
  const other = await startLab(lab);
  const named = () =>
    other.plane.kubectl([
      ...["get", "deployments,configmaps,clusterroles,validatingadmissionpolicies"],
      ...["--all-namespaces", "-o", "name"],
    ]);
  const mine = async () =>
    (await named()).split("\n").filter((name) => name.includes("/plat-controller"));
  try {
    await runs(install, other, "default");
    expect(await mine()).toHaveLength(4);
    await runs(uninstall, other, "default");
    expect(await mine()).toEqual([]);
  } finally {
    await other.stop();
  }
});

const usesHelm = (block: string) => /^helm /m.test(block);

/** Runs commands as a user does whose terminal has `kubectl`, `helm`, `plat` and `plat-controller`. */
async function runs(commands: string, { terminal }: Lab, space: string): Promise<void> {
  const env = {
    ...terminal,
    PATH: `${dirname(await helm())}:${terminal.PATH}`,
    PLAT_SPACE: space,
  };
  const shell = spawn("sh", ["-e", "-c", commands], { cwd: folder, env });
  const { code, text } = await printedBy(shell);
  expect(code, `${commands}\n${text}`).toBe(0);
}
