import "../src/local/environment.ts";
import { parseArgs } from "node:util";
import { tableText } from "../src/local/tally.ts";
import { whole } from "./load/options.ts";
import { runRegions } from "./load/regions.ts";
import { verdict } from "./load/verdict.ts";

/**
 * `npm run regions`: loses Regions of the twin of prod while callers use them. The table is as DynamoDB describes
 * multi-Region strong consistency: two Regions and a witness. No address may be given twice, and every answered
 * assignment must survive until its release is requested.
 */

const CALLERS = 16;

const { values } = parseArgs({
  options: {
    answers: { type: "string", default: "150" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const seed = whole("seed", values.seed);
const answersBetween = whole("answers", values.answers);
console.log(`${CALLERS} callers, ${answersBetween} answers between two events, seed ${seed}.`);
await verdict(
  async (directory) => {
    const report = await runRegions({
      directory,
      callers: CALLERS,
      answersBetween,
      seed,
      say: (sentence) => console.log(sentence),
    });
    const row = {
      calls: report.calls,
      answered: report.answered,
      "conflicts of writes": report.conflicts,
      "held at the end": report.held,
      "repeats told the same": report.toldTheSame,
      violations: report.violations,
    };
    console.log(tableText([row]));
    return report.failures;
  },
  { sentence: "No address was given twice, and nothing that was answered was lost." },
);
