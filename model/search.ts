import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Configuration } from "./configurations.ts";

const run = promisify(execFile);

/** What one search may take; one that takes more has shown nothing. */
const SEARCH_MS_MAX = 10 * 60_000;
const MEMORY_MB_MAX = 16_384;
const DEPTH_MAX = 100_000;
const STATE_BYTES_MAX = 512;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
const SOURCES = import.meta.dirname;

/** What an exhaustive search has found. */
export interface Found {
  readonly broken: boolean;
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  readonly seconds: number;
  readonly megabytes: number;
  /** The way to the state that is wrong, a line for each thing that happened to the table; empty where it holds. */
  readonly story: readonly string[];
}

/** Searches every state, with one thing left out, or with nothing. */
export type Search = (without?: string) => Promise<Found>;

/** Throws with the way out when a program that the model needs is not there. */
export async function findPrograms(): Promise<void> {
  for (const [program, flag, way] of [
    ["spin", "-V", "apt-get install spin, brew install spin, or https://spinroot.com"],
    ["cc", "--version", "apt-get install gcc, or xcode-select --install"],
  ] as const)
    await run(program, [flag]).catch(() => {
      throw new Error(`npm run model needs \`${program}\` on the PATH: ${way}`);
    });
}

/** Makes the verifier of a configuration, once for all that is to be left out of it, and hands it to `use`. */
export async function withVerifier(
  { file, constants = {} }: Configuration,
  use: (search: Search) => Promise<void>,
): Promise<void> {
  const cwd = await mkdtemp(join(tmpdir(), "plat-model-"));
  try {
    const names = await readdir(SOURCES);
    for (const name of names.filter((name) => name.endsWith(".pml")))
      await copyFile(join(SOURCES, name), join(cwd, name));
    const numbers = numbersOf(await readFile(join(cwd, "clauses.pml"), "utf8"));
    const defines = Object.entries(constants).map(([name, value]) => `-D${name}=${value}`);
    await run("spin", [...defines, "-a", file], { cwd });
    // COLLAPSE packs the states that are kept, and leaves none out; SAFETY leaves out the search for cycles.
    const options = [
      "SAFETY",
      "COLLAPSE",
      `VECTORSZ=${STATE_BYTES_MAX}`,
      `MEMLIM=${MEMORY_MB_MAX}`,
    ];
    await run("cc", ["-O1", ...options.map((option) => `-D${option}`), "-o", "pan", "pan.c"], {
      cwd,
    });
    await use(async (without) => {
      const number = without === undefined ? 0 : numbers.get(without);
      if (number === undefined) throw new Error(`clauses.pml has no ${without}`);
      const options = {
        cwd,
        env: { ...process.env, WITHOUT: String(number) },
        timeout: SEARCH_MS_MAX,
        maxBuffer: OUTPUT_BYTES_MAX,
      };
      const figures = found((await run("./pan", [`-m${DEPTH_MAX}`], options)).stdout);
      if (!figures.broken) return { ...figures, story: [] };
      const { stdout } = await run("./pan", ["-r"], options);
      return { ...figures, story: stdout.match(/^\d+: .*$/gm) ?? [] };
    });
  } finally {
    await rm(cwd, { recursive: true });
  }
}

function numbersOf(clauses: string): ReadonlyMap<string, number> {
  const lines = clauses.matchAll(/^#define (\w+)\s+(\d+)\b/gm);
  return new Map([...lines].map(([, name, number]) => [name as string, Number(number)]));
}

/** Reads what the verifier says; throws when it has not seen every state. */
function found(output: string): Omit<Found, "story"> {
  const cut = /max search depth too small|out of memory|MEMLIM|VECTORSZ/.exec(output);
  if (cut) throw new Error(`the search was cut short: ${cut[0]}`);
  const number = (pattern: RegExp) => {
    const match = pattern.exec(output);
    if (!match) throw new Error(`the verifier did not say ${pattern}:\n${output}`);
    return Number(match[1]);
  };
  const broken = number(/errors: (\d+)/) > 0;
  if (!broken && output.includes("Search not completed")) throw new Error("the search did not end");
  return {
    broken,
    states: number(/([\d.e+]+) states, stored/),
    transitions: number(/([\d.e+]+) transitions/),
    depth: number(/depth reached (\d+)/),
    seconds: number(/elapsed time ([\d.e+-]+) seconds/),
    megabytes: number(/([\d.]+)\s+total actual memory usage/),
  };
}
