import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { lambdaNode } from "../twin/node.ts";

/** The time of importing a bundle: by the clock, and of the processor. Other processes disturb the latter less. */
export interface LoadTime {
  readonly wallMs: number;
  readonly processorMs: number;
}

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LOADER = fileURLToPath(new URL("./loader.mjs", import.meta.url));
/** The variables of Lambda that affect loading. */
export const LAMBDA = {
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
  AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};

/**
 * Bundles a function as `cdk/bundling.ts` does.
 *
 * @param entry the source, from the root of the repository
 * @returns the path of the bundle, in a folder of its own
 */
export async function bundled(
  entry: string,
  replaced: Readonly<Record<string, string>>,
  directory: string,
): Promise<string> {
  const outfile = join(await mkdtemp(join(directory, "bundle-")), "index.mjs");
  await build({
    entryPoints: [join(ROOT, entry)],
    outfile,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: ["module", "main"],
    minify: true,
    alias: { ...replaced },
  });
  return outfile;
}

/**
 * Imports a bundle in a fresh process of Lambda's Node.js.
 *
 * @param variables those of the template
 * @throws the output of the process, if the bundle throws
 */
export async function load(
  file: string,
  variables: Readonly<Record<string, string>>,
): Promise<LoadTime> {
  const node = await lambdaNode();
  const { stdout } = await promisify(execFile)(node, [LOADER, pathToFileURL(file).href], {
    env: { ...LAMBDA, ...variables },
  });
  return JSON.parse(stdout);
}

/**
 * Imports every bundle the given number of times, in turn, so that disturbances affect all alike. Returns the medians.
 */
export async function loadInTurn(
  loads: readonly (() => Promise<LoadTime>)[],
  rounds: number,
): Promise<readonly LoadTime[]> {
  const all: LoadTime[][] = loads.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [i, load] of loads.entries()) all[i]?.push(await load());
  return all.map((times) => ({
    wallMs: median(times.map(({ wallMs }) => wallMs)),
    processorMs: median(times.map(({ processorMs }) => processorMs)),
  }));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
