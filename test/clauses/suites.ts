import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Decision } from "./observed.ts";
import { decidersOf } from "./parts.ts";
import { noticerInTable } from "./table.ts";

/** Tests that look at each part together. */
interface Suite {
  readonly files: readonly string[];
  /** True if a sample of its calls is played: whole, it takes longer than all others together. */
  readonly isSampled?: true | undefined;
}

/**
 * The suites that should fail, the quick ones first. Each of their tables lacks the part that
 * `WITHOUT` names.
 */
export const SUITES: readonly Suite[] = [
  { files: ["test/kernel", "test/nouns", "test/maintenance", "test/invariants.test.ts"] },
  { files: ["test/simulation/crash-points.test.ts"] },
  { files: ["test/simulation/overtaking.test.ts"], isSampled: true },
  { files: ["test/simulation/interleavings.test.ts"], isSampled: true },
];
const SAMPLED = SUITES.filter(({ isSampled }) => isSampled);
/** The beginnings of lines of the table that name no test. */
const NO_TEST = /^(\*|It changes|not looked at|the simulation notices)/;

/** The variable with the file to which tests write the parts that decided their writes. */
export const OBSERVED = "OBSERVED";

/** A test, by its file and its full name, with the parts that decided its writes. */
export interface Observed {
  readonly suite: number;
  readonly file: string;
  readonly test: string;
  readonly names: readonly string[];
}

/** A line of that file. */
type Line = Omit<Observed, "suite" | "names"> & { readonly decisions: readonly Decision[] };

/** Runs all suites once with nothing left out. @returns their tests, and the parts that decided writes of any of them */
export async function observeSuites(): Promise<{
  readonly tests: readonly Observed[];
  readonly decisions: readonly Decision[];
}> {
  return inFolder(async (folder) => {
    const lists = SUITES.map(async ({ files, isSampled }, suite) => {
      const out = join(folder, String(suite));
      const code = await vitest(files, { [OBSERVED]: out, ...sampleOf(isSampled) });
      if (code !== 0) throw new Error(`${files.join(" ")}: fails with nothing left out`);
      return readFileSync(out, "utf8")
        .trim()
        .split("\n")
        .map((line) => ({ suite, ...(JSON.parse(line) as Line) }));
    });
    const lines = (await Promise.all(lists)).flat();
    const tests = lines.map(({ suite, file, test, decisions }) => ({
      ...{ suite, file: relative(ROOT, file), test },
      names: [...new Set(decisions.map(({ name }) => name))],
    }));
    return { tests, decisions: lines.flatMap(({ decisions }) => decisions) };
  });
}

/**
 * The maximum length of the names by which tests are run. If they are longer, their whole files are
 * run. Linux takes no argument of 131,072 bytes.
 */
const NAMES_CHARACTERS_MAX = 120_000;

/**
 * Returns the name of the first test that fails without a part; nothing if every test passes of
 * which it decides a write. The test that the table names goes first, because it likely fails again.
 */
export async function testThatNotices(
  without: string,
  observed: readonly Observed[],
): Promise<string | undefined> {
  const affected = affectedBy(without, observed);
  const known = noticerInTable(without);
  if (known !== undefined && !NO_TEST.test(known)) {
    const likely = observed.find(({ test }) => test.replaceAll(" > ", ": ") === known);
    // One test is played whole: its sample may leave out the call at which the part decides. A sample may leave out the test as well.
    const files = likely ? [likely.file] : SAMPLED.flatMap((suite) => suite.files);
    const failed = await firstFailed({ files }, [known], without);
    if (failed !== undefined) return failed;
  }
  for (const [suite, { isSampled }] of SUITES.entries()) {
    const tests = affected.filter((one) => one.suite === suite);
    if (tests.length === 0) continue;
    const files = [...new Set(tests.map(({ file }) => file))];
    const names = tests.map(({ test }) => test.replaceAll(" > ", " "));
    const failed = await firstFailed({ files, isSampled }, names, without);
    if (failed !== undefined) return failed;
  }
  return undefined;
}

/**
 * Returns the name of the first test that fails without a part in the suites that are played as samples, as `testThatNotices` does.
 * It plays them whole, and of them the operations in which the part decides.
 */
export async function testOfWhole(
  without: string,
  observed: readonly Observed[],
): Promise<string | undefined> {
  const affected = affectedBy(without, observed);
  const operations = [...new Set(affected.map(({ test }) => operationIn(test)))];
  const names = operations.flatMap((operation) => NAMES.map((named) => named(operation)));
  for (const { files } of SAMPLED) {
    const failed = await firstFailed({ files }, names, without);
    if (failed !== undefined) return failed;
  }
  return undefined;
}

/** The parts of names by which the tests of an operation are found. */
const NAMES: readonly ((operation: string) => string)[] = [
  (operation) => `no harm is done when ${operation} stands still`,
  (operation) => ` stands still, ${operation} comes, `,
  (operation) => `${operation} does and suffers no harm`,
];

/** Returns the operation of a test of crash points or of interleavings, or the first one of overtaking. */
const operationIn = (test: string): string =>
  /^no harm is done when > (.*?) stands still, /.exec(test)?.[1] ?? test.split(" > ")[0] ?? test;

/** Returns the tests of which a part decides a write. */
function affectedBy(without: string, observed: readonly Observed[]): readonly Observed[] {
  const deciders = decidersOf(without);
  return observed.filter(({ names }) => deciders.some((name) => names.includes(name)));
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly status: string;
      readonly ancestorTitles: readonly string[];
      readonly title: string;
    }[];
  }[];
}

const sampleOf = (isSampled: true | undefined) => (isSampled ? { SAMPLED_CALLS: "true" } : {});

async function firstFailed(
  { files, isSampled }: Suite,
  names: readonly string[],
  without: string,
): Promise<string | undefined> {
  return inFolder(async (folder) => {
    const report = join(folder, "report.json");
    // The table has a colon between the parts of a name, and Vitest a blank.
    const pattern = names
      .map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replaceAll(": ", ":? "))
      .join("|");
    const options = ["--bail=1", "--reporter=json", `--outputFile=${report}`];
    const named = pattern.length <= NAMES_CHARACTERS_MAX ? ["-t", pattern] : [];
    const code = await vitest([...files, ...options, ...named], {
      WITHOUT: without,
      ...sampleOf(isSampled),
    });
    if (code === 0) return undefined;
    const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
    const failed = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .find(({ status }) => status === "failed");
    if (!failed) throw new Error(`without ${without} the suites ended with ${code}, and no test`);
    return [...failed.ancestorTitles, failed.title].join(": ");
  });
}

/** The program that runs the suites, and the option with its configuration. */
export const VITEST = {
  program: join(ROOT, "node_modules/vitest/vitest.mjs"),
  config: "--config=test/clauses/vitest.config.ts",
};

async function vitest(
  options: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<number | null> {
  const { program, config } = VITEST;
  const child = spawn(process.execPath, [program, "run", config, ...options], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: "ignore",
  });
  const [code] = await once(child, "exit");
  return code;
}

async function inFolder<T>(act: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "plat-clauses-"));
  try {
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
