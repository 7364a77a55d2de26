import "../src/local/environment.ts";
import { parseArgs } from "node:util";
import { tableText } from "../src/local/tally.ts";
import { runKills, VICTIMS } from "./load/kills.ts";
import { whole } from "./load/options.ts";
import { keptBy } from "./load/site.ts";
import { verdict } from "./load/verdict.ts";

/**
 * `npm run kill`: kills the server of `npm start -- --data DIR` with -9 ten times while callers use it. With `--
 * --dynamodb` it kills the server and the embedded DynamoDB five times each. With `-- --deployed prod` it kills the
 * database and the functions of the twin in turn. Every answered assignment must survive until its release is
 * requested, and everything else must be tidy.
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
