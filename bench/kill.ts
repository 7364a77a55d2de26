import "../src/local/environment.ts";
import { parseArgs } from "node:util";
import { tableText } from "../src/local/tally.ts";
import { runKills } from "./load/kills.ts";
import { whole } from "./load/options.ts";
import { verdict } from "./load/verdict.ts";

/**
 * `npm run kill`: callers at work on `npm start -- --data DIR`, while the server is killed with -9 ten times; with
 * `-- --dynamodb` five times, and the embedded DynamoDB as often. What was answered, and not since asked to be released,
 * must still be so; everything else must be tidy.
 */

const CALLERS = 16;
const KILLS = 10;
const ANSWERS_BETWEEN = 150;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    dynamodb: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  },
});
const seed = whole("seed", values.seed);
const table = values.dynamodb ? "dynamodb" : "file";
const killsEach = table === "dynamodb" ? KILLS / 2 : KILLS;
const victims = table === "dynamodb" ? "the server and of the database each" : "the server";
console.log(`${CALLERS} callers, ${killsEach} kills of ${victims}, seed ${seed}.`);
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
    kills: KILLS,
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
