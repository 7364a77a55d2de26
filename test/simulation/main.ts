import { parseArgs } from "node:util";
import { campaign } from "./campaign.ts";
import { printCoverage, printShares } from "./report.ts";
import { shrink } from "./shrink.ts";

/**
 * The program of `npm run sim -- --runs N --seed S`. It runs the seeds S, S+1, … and stops at the
 * first that breaks. `--workers N` is the number of parallel processes. `--coverage` counts the
 * branches of the walks, and fails if a branch is taken too rarely. `--resume FILE` continues a
 * campaign. `--without CLAUSE` leaves a part out of the protocol. `--only A,B` runs some of the
 * processes, and `--schedule N` selects another order of events. `--agents` gives every run agents
 * of Cilium.
 */
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
    workers: { type: "string", default: "1" },
    coverage: { type: "boolean", default: false },
    resume: { type: "string" },
    without: { type: "string" },
    only: { type: "string" },
    schedule: { type: "string", default: "0" },
    agents: { type: "boolean", default: false },
  },
});
const runs = Number(values.runs);
const seed = Number(values.seed);
const workers = Number(values.workers);
const schedule = Number(values.schedule);
if (![runs, workers].every((n) => Number.isInteger(n) && n > 0) || !Number.isInteger(seed)) {
  console.error("--runs and --workers take a whole number above 0, --seed a whole number");
  process.exit(2);
}

const { coverage, without, agents } = values;
const only = values.only?.split(",");
const { tally, broken } = await campaign({
  seed,
  runs,
  workers,
  coverage,
  without,
  only,
  schedule,
  agents,
  file: values.resume,
});
printShares(tally);
const { processes, calls } = tally.means;
console.log(`a run has ${processes.toFixed(1)} processes and ${calls.toFixed(0)} calls on average`);
const rare = coverage && !broken ? printCoverage(tally) : [];
if (rare.length > 0) {
  process.exitCode = 1;
  console.error(`in less than 1 % of the runs:\n${rare.join("\n")}`);
}
if (broken) {
  process.exitCode = 1;
  console.error(`seed ${broken.seed} breaks:`);
  for (const { invariant, message } of broken.violations)
    console.error(`  ${invariant}: ${message}`);
  const flags = `${without === undefined ? "" : ` --without ${without}`}${agents ? " --agents" : ""}`;
  const replay = `npm run sim -- --seed ${broken.seed} --runs 1${flags}`;
  console.error(`${replay}\nleaving processes out as long as it breaks …`);
  const least = await shrink({ seed: broken.seed, without, agents });
  const processes = least.processes.join(",");
  console.error(`${replay} --schedule ${least.schedule} --only "${processes}"`);
} else console.log(`${tally.runs} runs from seed ${seed} hold`);
