import "../src/local/environment.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { tableText } from "../src/local/tally.ts";
import { seededRandom } from "../test/simulation/random.ts";
import { comesToNothing, giveBackAll, isAssignable, isHeld } from "./load/aftermath.ts";
import { Api } from "./load/api.ts";
import { Caller } from "./load/caller.ts";
import { Drain } from "./load/drain.ts";
import { Ledger } from "./load/ledger.ts";
import { runLongRace } from "./load/long-race.ts";
import { whole } from "./load/options.ts";
import { keptBy, Site } from "./load/site.ts";
import { verdict } from "./load/verdict.ts";
import { HOSTS, POOLS, prepare } from "./load/world.ts";

/**
 * `npm run race`: many callers race over HTTP on pools that they can just fill, in every way that the API has, while the
 * scheduled passes run and a pool is drained. A ledger on this side proves that no address is held twice and that none is lost.
 * The table is a laptop's; with `-- --dynamodb` it is the embedded DynamoDB, and
 * with `-- --deployed prod` all of it is the twin of what is deployed.
 *
 * `npm run race -- --operations 1000000 --resume DIR --kills 100` races without HTTP in between, so that as many are feasible:
 * Ctrl-C leaves it for another time, and the same command goes on with it; from its last check, where it died.
 */

/** A race of refusals would prove nothing. */
const SERVED_SHARE_MIN = 0.7;
const POLL_MS = 20;

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
  const site = await Site.open(table, directory, 2 * callers);
  const ledger = new Ledger();
  try {
    const api = new Api(site.client);
    const drain = new Drain(api);
    await prepare(api);
    await drain.prepare();
    let begun = 0;
    const startedAtMs = performance.now();
    const working = Array.from({ length: callers }, (_, i) =>
      new Caller(i, api, ledger, seededRandom(seed + i), { drain }).run(
        () => begun++ >= operations,
      ),
    );
    const draining = async () => {
      while (begun < operations / 3) await sleep(POLL_MS);
      await drain.begin();
    };
    await Promise.all([draining(), ...working]);
    print(api, ledger, (performance.now() - startedAtMs) / 1000);
    const share = servedShare(api);
    if (share < SERVED_SHARE_MIN)
      ledger.fail(`only ${(100 * share).toFixed(1)} % of the assigns were served`);
    let violations = await isHeld(site, api, ledger);
    await site.start();
    await giveBackAll(api, ledger);
    const drained = await drain.end();
    if (drained !== "done" || drain.given === 0)
      ledger.fail(`the drain of a pool that gave ${drain.given} addresses ended as ${drained}`);
    violations += await comesToNothing(site, ledger);
    await site.start();
    violations += await isAssignable(site, api, ledger);
    console.log(
      `${ledger.toldTheSame} repeats of a key were told the same, ${ledger.toldReleased} that it was released; a pool that had given ${drain.given} addresses was drained; ${violations} violations in the table.`,
    );
  } catch (error) {
    ledger.fail(`the race broke off: ${(error as Error).message}`);
  } finally {
    await site.close();
  }
  return ledger.failures;
}

function print({ tallies, answered, unanswered }: Api, { count }: Ledger, seconds: number): void {
  const rows = [...tallies]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([calls, tally]) => ({
      calls,
      count: tally.count,
      ok: tally.ok,
      other: tally.refusals,
      "p50 ms": tally.quantileMs(0.5).toFixed(1),
      "p99 ms": tally.quantileMs(0.99).toFixed(1),
    }));
  console.log(tableText(rows));
  console.log(
    `${answered} calls in ${seconds.toFixed(1)} s, ${(answered / seconds).toFixed(0)} a second, ${unanswered} unanswered; ${count} addresses are held.`,
  );
}

function servedShare({ tallies }: Api): number {
  const assigns = [...tallies].filter(([calls]) => calls.startsWith("assign"));
  const [ok, count] = assigns.reduce(
    ([ok, count], [, tally]) => [ok + tally.ok, count + tally.count],
    [0, 0],
  );
  return ok / count;
}
