import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Lab, startLab } from "./lab.ts";

const PAGE = new URL("../../docs/controller.md", import.meta.url);
const BLOCKS = [...readFileSync(PAGE, "utf8").matchAll(/^```sh cluster\n(.*?)^```$/gms)].map(
  ([, block = ""]) => block,
);

let lab: Lab;
beforeAll(async () => {
  lab = await startLab();
});
afterAll(() => lab?.stop());

it("the commands of docs/controller.md run as written, in their order", async () => {
  expect(BLOCKS.length).toBeGreaterThan(3);
  await lab.putNode("node-1", { podCIDR: "10.64.3.0/24", podCIDRs: ["10.64.3.0/24"] });
  let ways = 0;
  for (const block of BLOCKS) {
    // The page describes two ways, each of which begins with its pool.
    if (block.includes("plat pool create")) ways++;
    const { code, printed } = await shell(block, `way-${ways}`);
    expect(code, `${block}\n${printed}`).toBe(0);
  }
});

/** Runs commands as a user does whose terminal has `kubectl`, `plat` and `plat-controller`. */
async function shell(
  commands: string,
  space: string,
): Promise<{ readonly code: number; readonly printed: string }> {
  const env = { ...lab.terminal, PLAT_SPACE: space };
  const child = spawn("sh", ["-e", "-c", commands], { env });
  const parts: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => parts.push(chunk));
  const [code] = await once(child, "close");
  return { code, printed: Buffer.concat(parts).toString("utf8") };
}
