import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { REPLACED } from "../cdk/bundling.ts";
import { bundled, type LoadTime, load, loadInTurn } from "./loading.ts";

/**
 * `npm run bench:load [-- ROUNDS]`: prints the time that Lambda's Node.js takes to import the bundle of `assign`. It
 * compares it with bundles that make one GetItem. Those are minified bundles with the SDK: one as usual, and one with
 * the files that replace packages in Plat's bundles. It imports all of them in turn, and compares the medians.
 */

const ROUNDS = Number(process.argv[2] ?? 40);
const RATIO_MAX = 1.15;
const GET_ITEM = "bench/get-item/client.ts";
const GET = "bench/get-item/document-client.ts";

const directory = await mkdtemp(join(tmpdir(), "plat-"));
const loading = async (entry: string, replaced: Readonly<Record<string, string>>) => {
  const file = await bundled(entry, replaced, directory);
  return () => load(file, { TABLE_NAME: "plat" });
};
const assign = await loading("functions/assign.ts", REPLACED);
const others = {
  "one GetItem": await loading(GET_ITEM, {}),
  "one GetItem by the document client": await loading(GET, {}),
  "one GetItem, packages replaced": await loading(GET_ITEM, REPLACED),
  "one GetItem by the document client, packages replaced": await loading(GET, REPLACED),
};
const [ours, ...theirs] = await loadInTurn([assign, ...Object.values(others)], ROUNDS);
await rm(directory, { recursive: true });

console.table(
  Object.fromEntries([
    ["assign", lineOf(ours)],
    ...Object.keys(others).map((name, i) => [name, lineOf(theirs[i])]),
  ]),
);
const ratio = (ours?.processorMs ?? Number.NaN) / (theirs[0]?.processorMs ?? Number.NaN);
console.log(
  `assign takes ${ratio.toFixed(2)} of the processor time of one GetItem; the goal is ${RATIO_MAX} at most.`,
);
process.exitCode = ratio <= RATIO_MAX ? 0 : 1;

function lineOf(time: LoadTime | undefined) {
  if (!time || !ours) throw new Error("nothing was loaded");
  return {
    "ms by the clock": time.wallMs.toFixed(1),
    "ms of the processor": time.processorMs.toFixed(1),
    "assign against it, by the clock": (ours.wallMs / time.wallMs).toFixed(2),
    "of the processor": (ours.processorMs / time.processorMs).toFixed(2),
  };
}
