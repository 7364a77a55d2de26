import { parseArgs } from "node:util";
import { simulate } from "./run.ts";

/** `npm run sim -- --runs N --seed S [--without CLAUSE]`: runs seeds S, S+1, … and stops at the first that breaks. */
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "500" },
    seed: { type: "string", default: "1" },
    without: { type: "string" },
  },
});
const runs = Number(values.runs);
const firstSeed = Number(values.seed);
if (!Number.isInteger(runs) || runs < 1 || !Number.isInteger(firstSeed)) {
  console.error("--runs takes a whole number above 0, --seed a whole number");
  process.exit(2);
}

const runsWith = new Map<string, number>();
let broken: number | undefined;
for (let seed = firstSeed; seed < firstSeed + runs && broken === undefined; seed++) {
  const { violations, seen } = await simulate({ seed, without: values.without });
  for (const what of seen.keys()) runsWith.set(what, (runsWith.get(what) ?? 0) + 1);
  if (violations.length > 0) {
    broken = seed;
    console.error(`seed ${seed} breaks:`);
    for (const { invariant, message } of violations) console.error(`  ${invariant}: ${message}`);
  }
}
console.table(
  Object.fromEntries(
    [...runsWith].sort().map(([what, count]) => [what, { "runs with it": count }]),
  ),
);
if (broken === undefined) console.log(`${runs} runs from seed ${firstSeed} hold`);
else process.exitCode = 1;
