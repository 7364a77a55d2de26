import "../src/local/environment.ts";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { run } from "../src/cli/program.ts";
import { startPlat } from "../src/local/plat.ts";
import { proveImport } from "../test/cli/import/proof.ts";

/**
 * `npm run import:proof`: imports a generated cluster of 500 nodes and 20,000 addresses from its Calico dump, exports it
 * unchanged, and checks the table.
 */

const SECONDS_NEVER = 86_400;

const { values } = parseArgs({
  options: {
    nodes: { type: "string", default: "500" },
    addresses: { type: "string", default: "20000" },
  },
});
const size = { nodes: Number(values.nodes), addresses: Number(values.addresses) };
const plat = await startPlat({
  storage: { table: "dynamodb" },
  port: 0,
  reclaimSeconds: SECONDS_NEVER,
  repairSeconds: SECONDS_NEVER,
  workSeconds: SECONDS_NEVER,
});
console.log(plat.sentence);
const { failures, seconds } = await proveImport(size, plat.context, async (stdin, ...args) => {
  const said = { out: "", err: "" };
  const exit = await run(args, {
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    progress: () => ({ update: () => {}, done: () => {} }),
    terminal: { columns: undefined, outHasColors: false, errHasColors: false },
    env: { PLAT_ENDPOINT: plat.url },
    stdin: () => Readable.from([Buffer.from(stdin)]),
    nowMs: Date.now,
    sleep: (ms) => sleep(ms),
    ask: async () => true,
    onInterrupt: () => () => {},
    outlastReader: () => {},
  });
  return { exit, ...said };
});
await plat.stop();
console.log(`${size.nodes} nodes, ${size.addresses} addresses`);
for (const [step, taken] of Object.entries(seconds)) console.log(`${step}: ${taken.toFixed(1)} s`);
for (const failure of failures) console.log(failure);
console.log(`${failures.length} failures`);
process.exitCode = failures.length > 0 ? 1 : 0;
