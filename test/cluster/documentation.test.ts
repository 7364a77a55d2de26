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
  for (const [at, block] of BLOCKS.entries()) {
    // The page describes two ways, and the second one begins with the pool of its own.
    if (at > 0 && block.includes("plat pool create"))
      await shell("plat pool delete pods --yes --wait");
    const { code, printed } = await shell(block);
    expect(code, `${block}\n${printed}`).toBe(0);
  }
});

/** Runs commands as a user does whose terminal has `kubectl`, `plat` and `plat-controller`. */
async function shell(commands: string): Promise<{ code: number; printed: string }> {
  const child = spawn("sh", ["-e", "-c", commands], { env: lab.terminal });
  const parts: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => parts.push(chunk));
  const [code] = await once(child, "close");
  return { code, printed: Buffer.concat(parts).toString("utf8") };
}
