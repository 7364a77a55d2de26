import { tableText } from "../../src/local/tally.ts";
import { type Finding, type Form, find } from "./fact.ts";
import { allFacts } from "./facts.ts";

/** `npm run scale`: states what holds at any size, measured on a modelled table; fails when one of the facts does not hold. */
const args = process.argv.slice(2);
const form: Form = args.includes("--small") ? "small" : "full";
const only = args.find((arg) => !arg.startsWith("--"));

const findings: Finding[] = [];
for (const fact of allFacts(form)) {
  if (only && !`${fact.name} ${fact.size}`.includes(only)) continue;
  const startedAtMs = performance.now();
  const finding = await find(fact);
  findings.push(finding);
  const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
  console.error(`${finding.holds ? "holds" : "FAILS"}  ${fact.name}: ${fact.size} (${seconds} s)`);
}
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
process.exitCode = findings.every(({ holds }) => holds) ? 0 : 1;
