import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/**
 * Test files of minutes: those that try every call or thousands of callers, and those that start processes or build
 * what is deployed. `npm run test:long` runs them but for the drills, the longest of a kind first, and `npm test` runs
 * all others. For each of them, another file tests a sample or its parts.
 */

/** The faults, the races and the crowds of the kernel, over tables in the memory of the test. */
const FAULT_SUITES = [
  "test/simulation/interleavings.test.ts",
  "test/simulation/crash-points.test.ts",
  "test/simulation/simulation.test.ts",
  "test/simulation/overtaking.test.ts",
  "test/simulation/noticed.test.ts",
  "test/simulation/two-versions.test.ts",
  "test/churn/churn.test.ts",
  "test/scale/facts.test.ts",
  "test/restore/histories.test.ts",
  "test/clauses/healing.test.ts",
  "test/nouns/pool/operations/large-jobs.test.ts",
  "test/nouns/node/operations/churn.test.ts",
  "test/functions/whole-pages.test.ts",
];

/** What runs in processes of its own, or as it is deployed. */
const PROCESS_SUITES = [
  "test/local/race.test.ts",
  "test/cli/import/proof.test.ts",
  "test/cli/recipes.test.ts",
  "test/twin/tour.test.ts",
  "test/twin/race.test.ts",
  "test/twin/prod.test.ts",
  "test/twin/kill.test.ts",
  "test/twin/private-api.test.ts",
  "test/local/kill.test.ts",
  "test/cni/lab.test.ts",
  "test/cni/agent-lab.test.ts",
  "test/cli/tour.test.ts",
  "test/cdk/rollback.test.ts",
  "test/cdk/deploy.test.ts",
  "test/local/main.test.ts",
  "test/local/publishing.test.ts",
  "test/local/throttled-start.test.ts",
  "test/local/demo.test.ts",
  "test/twin/runbook.test.ts",
  "test/twin/publishing.test.ts",
  "test/twin/restore.test.ts",
  "test/twin/lambda.test.ts",
  "test/twin/gateway.test.ts",
  "test/twin/token.test.ts",
  "test/twin/rolling.test.ts",
  "test/twin/death.test.ts",
  "test/twin/jwt.test.ts",
  "test/twin/intake.test.ts",
  "test/twin/schedules.test.ts",
  "test/twin/marker.test.ts",
  "test/cdk/bundles.test.ts",
  "test/cdk/callers.test.ts",
  "test/cdk/choices.test.ts",
  "test/cdk/plat-environment.test.ts",
  "test/cdk/private-api.test.ts",
  "test/cdk/regions.test.ts",
  "test/store/race.test.ts",
  "test/store/lmdb-race.test.ts",
  "test/bench/speed.test.ts",
  "test/bench/profile.test.ts",
  "test/cli/build.test.ts",
  "test/twin/metrics.test.ts",
  "test/examples/github-actions.test.ts",
  "test/local/death.test.ts",
  "test/clauses/suites.test.ts",
  "test/simulation/campaign.test.ts",
];

/** Drills of many minutes, whose parts other tests hold. `npm run test:whole` alone runs them. */
const DRILLS = ["test/twin/regions.test.ts"];

/** Processes are waited for, while other steps of `.ci/run` work. The faults keep the cores busy when these are over. */
export const LONG_TESTS: readonly string[] = [...PROCESS_SUITES, ...FAULT_SUITES, ...DRILLS];

/** Returns the test files that assert properties, which `npm run test:long` tries with more cases. */
export const propertyTests = (): readonly string[] =>
  readdirSync("test", { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts") && !path.startsWith("console/"))
    .map((path) => `test/${path}`)
    .filter((path) => readFileSync(path, "utf8").includes("fc.assert("));

/** Folders whose changes break no suite of minutes. A `*` is the name of one folder. */
const HARMLESS = [
  "docs",
  "console",
  "model",
  "test/console",
  "test/openapi",
  "test/prose",
  "test/templates",
];

/** Folders whose changes break no suite of a kind. A change of any other file but documentation can break all. */
export const HARMLESS_TO = {
  faults: [
    ...HARMLESS,
    ...["bench", "cdk", "functions", "pack", "terraform", "twin"],
    ...["api", "cli", "client", "cni", "constructs", "contract", "local", "netbox"].flatMap(
      onBothSides,
    ),
    ...["contract", "serve"].flatMap((part) => onBothSides(`nouns/*/${part}`)),
    ...["bench", "cdk", "examples", "functions", "pack", "terraform", "twin"].map(
      (of) => `test/${of}`,
    ),
  ],
  processes: [
    ...HARMLESS,
    ...["terraform", "test/terraform"],
    ...["clauses", "functions", "kernel", "net", "nouns", "scale", "simulation"].map(
      (of) => `test/${of}`,
    ),
  ],
};

/**
 * Returns the suites of faults and those of processes that a change can break: all of them if nothing says since when.
 *
 * @param base the commit with which to compare the checkout, such as that of the branch to merge into
 * @throws if there is no such commit
 */
export function suitesSince(base: string | undefined) {
  if (base === undefined) return { faults: FAULT_SUITES, processes: PROCESS_SUITES };
  const list = execFileSync("git", ["diff", "--name-only", base], { encoding: "utf8" });
  const changed = list.split("\n").filter((path) => path !== "");
  return {
    faults: changed.some(canBreak(HARMLESS_TO.faults)) ? FAULT_SUITES : [],
    processes: changed.some(canBreak(HARMLESS_TO.processes)) ? PROCESS_SUITES : [],
  };
}

function onBothSides(folder: string): readonly string[] {
  return [`src/${folder}`, `test/${folder}`];
}

/** Returns whether a change of a file can break a suite to which the changes of some folders are harmless. */
export function canBreak(harmless: readonly string[]): (path: string) => boolean {
  const within = harmless.map((folder) => new RegExp(`^${folder.replaceAll("*", "[^/]+")}/`));
  return (path) => !path.endsWith(".md") && !within.some((folder) => folder.test(path));
}
