import "../src/local/environment.ts";
import { parseArgs } from "node:util";
import { tableText } from "../src/local/tally.ts";
import type { Api } from "./load/api.ts";
import type { Ledger } from "./load/ledger.ts";
import { runLongRace } from "./load/long-race.ts";
import { whole } from "./load/options.ts";
import { runRace } from "./load/race.ts";
import { keptBy } from "./load/site.ts";
import { verdict } from "./load/verdict.ts";
import { HOSTS, POOLS } from "./load/world.ts";

/**
 * `npm run race`: lets many callers race over HTTP on pools that they can just fill. They use every operation of the
 * API, while the scheduled runs run and a pool is drained. A ledger of the callers proves that no address is held twice
 * and that none is lost. The table is that of `npm start`. With `-- --dynamodb` it is the embedded DynamoDB, and with
 * `-- --deployed prod` all of it is the twin of the deployment.
 *
 * `npm run race -- --operations 1000000 --resume DIR --kills 100` races without HTTP, so that a million operations are
 * feasible. Ctrl-C interrupts it, and the same command continues; after a crash it continues from its last check.
 */

/** The minimum share of served assigns, because a race of rejections proves nothing. A busy machine serves fewer. */
const SERVED_SHARE_MIN = 0.7;

const { table, rest } = keptBy(process.argv.slice(2));
const { values } = parseArgs({
  args: [...rest],
  options: {
    operations: { type: "string", default: "2500" },
    resume: { type: "string" },
    kills: { type: "string" },
    callers: { type: "string", default: "64" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const operations = whole("operations", values.operations);
const callers = whole("callers", values.callers);
const seed = whole("seed", values.seed);
const pools = POOLS.map(({ cidr, blockSize }) => `${cidr} in /${blockSize} blocks`).join(" and ");
console.log(
  `${callers} callers, ${operations} operations, ${HOSTS} hosts on ${pools}, seed ${seed}.`,
);
const sentence = "No address was held twice, and none was lost.";
if (values.resume !== undefined && table !== "file") {
  console.error("--resume DIR races on a database of its own, without --dynamodb and --deployed.");
  process.exit(2);
}
if (values.resume === undefined && values.kills !== undefined) {
  console.error("--kills needs --resume DIR, the race whose processes may be killed.");
  process.exit(2);
}
if (values.resume === undefined) await verdict(race, { sentence });
else await verdict(raceOn, { directory: values.resume, sentence });

async function raceOn(directory: string): Promise<readonly string[]> {
  let suspended = false;
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => (suspended = true));
  const { progress, finished, failures } = await runLongRace({
    directory,
    operations,
    callers,
    kills: whole("kills", values.kills ?? "0"),
    seed,
    isSuspended: () => suspended,
    say: (line) => console.log(line),
  });
  const { runs, checks, kills, unanswered, held, violations, ledger } = progress;
  console.log(
    tableText([
      { runs, operations: progress.operations, kills, unanswered, checks, held, violations },
    ]),
  );
  console.log(
    `${ledger.toldTheSame} repeats of a key were told the same, ${ledger.toldReleased} that it was released.`,
  );
  if (!finished && failures.length === 0)
    console.log("Left for another time: the same command goes on.");
  return failures;
}

async function race(directory: string): Promise<readonly string[]> {
  let served = 0;
  const raced = (api: Api, ledger: Ledger, seconds: number) => {
    print(api, ledger, seconds);
    served = servedShare(api);
  };
  const report = await runRace({ table, directory, operations, callers, seed, raced });
  console.log(
    `${report.toldTheSame} repeats of a key were told the same, ${report.toldReleased} that it was released; a pool that had given ${report.drained} addresses was drained; ${report.violations} violations in the table.`,
  );
  return served >= SERVED_SHARE_MIN
    ? report.failures
    : [...report.failures, `only ${(100 * served).toFixed(1)} % of the assigns were served`];
}

function servedShare({ tallies }: Api): number {
  const assigns = [...tallies].filter(([calls]) => calls.startsWith("assign"));
  const [ok, count] = assigns.reduce(
    ([ok, count], [, tally]) => [ok + tally.ok, count + tally.count],
    [0, 0],
  );
  return ok / count;
}

function print({ tallies, answered, unanswered }: Api, { count }: Ledger, seconds: number): void {
  const rows = [...tallies]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([calls, tally]) => ({
      calls,
      count: tally.count,
      ok: tally.ok,
      other: tally.rejections,
      "p50 ms": tally.quantileMs(0.5).toFixed(1),
      "p99 ms": tally.quantileMs(0.99).toFixed(1),
    }));
  console.log(tableText(rows));
  console.log(
    `${answered} calls in ${seconds.toFixed(1)} s, ${(answered / seconds).toFixed(0)} a second, ${unanswered} unanswered; ${count} addresses are held.`,
  );
}
