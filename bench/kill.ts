import "../src/local/environment.ts";
import { parseArgs } from "node:util";
import { tableText } from "../src/local/tally.ts";
import { runKills } from "./load/kills.ts";
import { whole } from "./load/options.ts";
import { verdict } from "./load/verdict.ts";

/**
 * `npm run kill`: callers at work on `npm start -- --data DIR`, while the server and the database are each killed with -9
 * five times. What was answered, and not since asked to be released, must still be so; everything else must be tidy.
 */

const CALLERS = 16;
const KILLS_EACH = 5;
const ANSWERS_BETWEEN = 150;

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    keep: { type: "boolean", default: false },
  },
});
const seed = whole("seed", values.seed);
console.log(
  `${CALLERS} callers, ${KILLS_EACH} kills of the server and ${KILLS_EACH} of the database, seed ${seed}.`,
);
await verdict(kill, {
  keep: values.keep,
  sentence: "Nothing that was answered was lost, and nothing is left over.",
});

async function kill(directory: string): Promise<readonly string[]> {
  const report = await runKills({
    directory,
    callers: CALLERS,
    killsEach: KILLS_EACH,
    answersBetween: ANSWERS_BETWEEN,
    seed,
    say: (sentence) => console.log(sentence),
  });
  const row = {
    kills: 2 * KILLS_EACH,
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
