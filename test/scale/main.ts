import { tableText } from "../../src/local/tally.ts";
import { type Costs, costsOf } from "./costs.ts";
import { type Finding, type Form, find, RUN_MS_MAX } from "./fact.ts";
import { BUDGET } from "./facts/budget.ts";
import { allFacts } from "./facts.ts";

/**
 * The program of `npm run scale`. It measures the facts that must hold at any size, and fails if
 * one does not. `--small` selects smaller scenes, and a text selects the facts with it in their
 * names. `--costs` prints the costs of tables of three sizes.
 */
const args = process.argv.slice(2);
if (args.includes("--costs")) await printCosts();
else await printFacts(args.includes("--small") ? "small" : "full");

async function printFacts(form: Form): Promise<void> {
  const only = args.find((arg) => !arg.startsWith("--"));
  const findings: Finding[] = [];
  for (const fact of allFacts(form)) {
    if (only && !`${fact.name}: ${fact.size}`.includes(only)) continue;
    const startedAtMs = performance.now();
    const finding = await find(fact);
    findings.push(finding);
    const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
    const holds = finding.holds ? "holds" : "FAILS";
    console.error(`${holds}  ${fact.name}: ${fact.size} (${seconds} s)`);
  }
  if (findings.length === 0) throw new Error(`no fact has "${only}" in its name`);
  console.log(
    tableText(
      findings.map(({ fact, measured, holds }) => ({
        fact: fact.name,
        size: fact.size,
        bound: `${fact.bound} ${fact.unit}`,
        measured: `${Math.ceil(measured * 10) / 10} ${fact.unit}`,
        holds: holds ? "yes" : "NO",
      })),
    ),
  );
  const scheduledRuns = findings.flatMap((finding) => finding.scheduledRuns);
  const longestMs = scheduledRuns.reduce((longest, ms) => Math.max(longest, ms), 0);
  const inBudget = longestMs <= RUN_MS_MAX;
  console.log(
    `${BUDGET}: ${scheduledRuns.length} runs in all these scenes, the longest of ${(longestMs / 1_000).toFixed(1)} seconds, of at most ${RUN_MS_MAX / 1_000}: ${inBudget ? "yes" : "NO"}`,
  );
  process.exitCode = inBudget && findings.every(({ holds }) => holds) ? 0 : 1;
}

async function printCosts(): Promise<void> {
  const measured: Costs[] = [];
  for (const addresses of [10_000, 1_000_000, 100_000_000]) measured.push(await costsOf(addresses));
  const names = Object.keys(measured[0] ?? {}) as (keyof Costs)[];
  console.log(
    tableText(
      names.map((name) => ({
        name,
        ...Object.fromEntries(
          measured.map((costs) => [
            `${costs.addresses} addresses`,
            costs[name].toLocaleString("en-US", { maximumSignificantDigits: 4 }),
          ]),
        ),
      })),
    ),
  );
}
