import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { deploymentOf } from "../twin/deployment.ts";
import { readStacks } from "../twin/stacks.ts";
import { load, loadInTurn } from "./loading.ts";

/**
 * `npm run bundles`: prints the size of each bundle that `npm run synth` wrote for prod, and its import time in
 * Lambda's Node.js.
 */

const ROUNDS = 5;
const BYTES_PER_KB = 1_000;

const TEMPLATES = fileURLToPath(new URL("../cdk.out", import.meta.url));
if (!existsSync(join(TEMPLATES, "manifest.json"))) {
  console.error("There are no bundles in cdk.out: run `npm run synth` first.");
  process.exit(1);
}
const { stacks, assets } = readStacks(TEMPLATES, "prod");
const bundles = await Promise.all(
  deploymentOf(stacks).functions.map(async ({ name, asset, variables }) => {
    const file = join(assets.get(asset) ?? "", "index.mjs");
    return { name, code: await readFile(file), load: () => load(file, variables) };
  }),
);
const times = await loadInTurn(
  bundles.map(({ load }) => load),
  ROUNDS,
);

console.table(
  bundles.map(({ name, code }, i) => ({
    // The name in the code; the CDK and CloudFormation add parts to it.
    function: /(\w+)Function[0-9A-F]{8}/.exec(name)?.[1],
    kB: Math.round(code.length / BYTES_PER_KB),
    "zipped kB": Math.round(gzipSync(code).length / BYTES_PER_KB),
    "import, ms": Math.round(times[i]?.wallMs ?? 0),
    "of the processor, ms": Math.round(times[i]?.processorMs ?? 0),
  })),
);
