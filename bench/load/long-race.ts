import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { randomBelow } from "../../src/kernel/values/fresh.ts";
import { seededRandom } from "../../test/simulation/random.ts";
import {
  AHEAD_AFTER_CHECK_MS,
  comesToNothing,
  freeAll,
  freeUnheard,
  isHeld,
  MUCH_LATER_MS,
} from "./aftermath.ts";
import { Api } from "./api.ts";
import { Caller } from "./caller.ts";
import { Crew } from "./crew.ts";
import { copyDatabase, databaseIn } from "./database.ts";
import { Ledger } from "./ledger.ts";
import { nextCopy, type Progress, readProgress, writeProgress } from "./progress.ts";
import { HOSTS, prepare } from "./world.ts";

export interface LongRaceOptions {
  /** The directory of the database and the progress. */
  readonly directory: string;
  readonly operations: number;
  readonly callers: number;
  /** The total number of processes to kill. */
  readonly kills: number;
  readonly seed: number;
  /** Returns true if the race must stop now and continue in a later run. It is called often. */
  readonly isSuspended: () => boolean;
  readonly say: (sentence: string) => void;
}

export interface LongRaceReport {
  /** The progress of all runs together. */
  readonly progress: Progress;
  readonly finished: boolean;
  readonly failures: readonly string[];
}

const WORKERS = 2;
/** Keyed allocations are kept for a day, so few requests are keyed; otherwise they would fill the table. */
const HABITS = { hosts: HOSTS, keyedShare: 0.05 };
const CHECK_OPERATIONS_MAX = 100_000;
const CHECKS_MIN = 4;
/** Under load, reclaim and repair run once per this many operations. */
const RUN_OPERATIONS = 1_000;
const POLL_MS = 10;

/**
 * Lets callers race on a database on disk for any number of operations, over one or more runs. It kills the functions'
 * processes and the database with -9. From time to time the callers pause, and the clock moves a day ahead, with its
 * scheduled runs. Then it checks the whole table, and compares it with the answers.
 */
export async function runLongRace(options: LongRaceOptions): Promise<LongRaceReport> {
  const { directory, operations, callers, kills, isSuspended, say } = options;
  const before = await readProgress(directory, options.seed);
  const { seed } = before;
  const done = { ...before, runs: before.runs + 1 };
  // A run that dies before its first check saves nothing else, so the next one begins at the same point.
  await save(before, (to) => copyDatabase(databaseIn(directory), to));

  const crew = await Crew.open(directory, WORKERS, before.aheadMs);
  const ledger = new Ledger();
  const holdings = ledger.resume(before.ledger);
  const api = new Api(crew.client);
  const working = Array.from({ length: callers }, (_, i) => {
    const random = seededRandom(seed + before.runs * callers + i);
    const own = holdings.filter(({ call }) => call.body.handle.startsWith(`caller-${i}-`));
    const requests = before.requests[i] ?? 0;
    return new Caller(i, api, ledger, random, { habits: HABITS, holdings: own, requests });
  });
  const progress = (): Progress => ({
    ...done,
    unanswered: before.unanswered + api.unanswered,
    aheadMs: crew.aheadMs,
    requests: working.map(({ requests }) => requests),
    ledger: ledger.written(),
  });
  let finished = false;
  try {
    if (before.runs === 0) await prepare(api);
    const step = Math.min(CHECK_OPERATIONS_MAX, Math.ceil(operations / CHECKS_MIN));
    while (done.operations < operations && !isSuspended() && ledger.failures.length === 0) {
      await load(Math.min(operations, step * (Math.floor(done.operations / step) + 1)));
      if (!isSuspended()) await check();
    }
    if (done.operations === operations && !isSuspended() && ledger.failures.length === 0) {
      // An earlier run was interrupted just before its last check.
      if (done.checkedAt < operations) await check();
      await end();
      finished = true;
    }
  } catch (error) {
    ledger.fail(`the race broke off: ${(error as Error).stack}`);
  } finally {
    await crew.close();
  }
  const { failures } = ledger;
  await writeProgress(directory, { ...progress(), ...(failures.length > 0 && { failures }) });
  return { progress: progress(), finished, failures };

  /** Runs callers, killer and scheduled runs until the given number of operations is done. */
  async function load(until: number): Promise<void> {
    const startedAtMs = performance.now();
    const from = done.operations;
    const isOver = () => isSuspended() || done.operations >= until;
    const reached = async (count: number) => {
      while (!isOver() && done.operations < count) await sleep(POLL_MS);
      return done.operations >= count;
    };
    const killing = async () => {
      const due = killsOf(seed, operations, kills).slice(done.kills);
      for (const { at, victim } of due.filter(({ at }) => at < until)) {
        if (!(await reached(at))) return;
        say(
          `kill -9 of ${victim === "database" ? "the database" : "a worker"} after ${done.operations} operations`,
        );
        await (victim === "database" ? crew.killDatabase() : crew.killWorker(victim));
        done.kills++;
      }
    };
    const passing = async () => {
      while (await reached(done.operations + RUN_OPERATIONS)) {
        await crew.scheduledRun("reclaim");
        await crew.scheduledRun("repair");
      }
    };
    const call = (caller: Caller) =>
      caller.run(() => {
        if (isOver()) return true;
        done.operations++;
        return false;
      });
    await Promise.all([killing(), passing(), ...working.map(call)]);
    const seconds = (performance.now() - startedAtMs) / 1000;
    say(
      `${done.operations} operations, ${((done.operations - from) / seconds).toFixed(0)} a second; ${done.kills} kills, ${progress().unanswered} calls unanswered.`,
    );
  }

  async function check(): Promise<void> {
    await freeUnheard(api, ledger);
    done.violations += await isHeld(crew, api, ledger, MUCH_LATER_MS);
    done.checks++;
    done.checkedAt = done.operations;
    crew.advance(AHEAD_AFTER_CHECK_MS);
    if (ledger.failures.length === 0) await save(progress(), (to) => crew.copyDatabase(to));
    await crew.start();
    say(
      `Check ${done.checks}: ${ledger.count} addresses are held, each its owner's; ${done.violations} violations, ${ledger.failures.length} failures.`,
    );
  }

  /**
   * Saves the point from which the next run continues if this one dies: first the copy, then the callers' holdings in
   * it.
   */
  async function save(now: Progress, copyTo: (path: string) => Promise<void>): Promise<void> {
    done.copy = nextCopy(done);
    await copyTo(join(directory, done.copy));
    await writeProgress(directory, { ...now, copy: done.copy, pid: process.pid });
  }

  /** Releases everything, and checks that nothing is left. */
  async function end(): Promise<void> {
    done.held = ledger.count;
    await freeAll(api, ledger);
    done.violations += await comesToNothing(crew, ledger);
  }
}

/** Plans the time and the process of each kill, the same for every run of one race. */
function killsOf(seed: number, operations: number, kills: number) {
  const random = seededRandom(seed - 1);
  return Array.from({ length: kills }, () => ({
    at: randomBelow(operations, random),
    victim: random.fraction() < 0.5 ? ("database" as const) : randomBelow(WORKERS, random),
  })).toSorted((a, b) => a.at - b.at);
}
