import "../src/local/environment.ts";
import { parseArgs } from "node:util";
import { tableText } from "../src/local/tally.ts";
import { runKills, VICTIMS } from "./load/kills.ts";
import { whole } from "./load/options.ts";
import { keptBy } from "./load/site.ts";
import { verdict } from "./load/verdict.ts";

/**
 * `npm run kill`: callers at work on `npm start -- --data DIR`, while the server is killed with -9 ten times; with
 * `-- --dynamodb` five times, and the embedded DynamoDB as often; with `-- --deployed prod` the twin of what is deployed, its
 * database and its functions in turn. What was answered, and not since asked to be released,
 * must still be so; everything else must be tidy.
 */

const CALLERS = 16;
const KILLS = 10;
const ANSWERS_BETWEEN = 150;

const { table, rest } = keptBy(process.argv.slice(2));
const { values } = parseArgs({
  args: [...rest],
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    keep: { type: "boolean", default: false },
  },
});
const seed = whole("seed", values.seed);
const victims = VICTIMS[table];
const killsEach = Math.ceil(KILLS / victims.length);
console.log(
  `${CALLERS} callers, ${killsEach} kills of the ${victims.join(" and of the ")} each, seed ${seed}.`,
);
await verdict(kill, {
  keep: values.keep,
  sentence: "Nothing that was answered was lost, and nothing is left over.",
});

async function kill(directory: string): Promise<readonly string[]> {
  const report = await runKills({
    table,
    directory,
    callers: CALLERS,
    killsEach,
    answersBetween: ANSWERS_BETWEEN,
    seed,
    say: (sentence) => console.log(sentence),
  });
  const row = {
    kills: killsEach * victims.length,
    calls: report.calls,
    answered: report.answered,
    unanswered: report.unanswered,
    "held at the end": report.held,
    "repeats told the same": report.toldTheSame,
    violations: report.violations,
  };
  console.log(tableText([row]));
  console.log(
    "What is tidy was judged after scheduled passes over the same table, in this process, with its clock set forward.",
  );
  return report.failures;
}
