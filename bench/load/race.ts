import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "../../test/simulation/random.ts";
import { comesToNothing, freeAll, isAssignable, isHeld } from "./aftermath.ts";
import { Api } from "./api.ts";
import { Caller } from "./caller.ts";
import { Drain } from "./drain.ts";
import { Ledger } from "./ledger.ts";
import { type Kept, Site } from "./site.ts";
import { prepare } from "./world.ts";

export interface RaceOptions {
  readonly table: Kept;
  /** The directory of the server's data. */
  readonly directory: string;
  readonly operations: number;
  readonly callers: number;
  readonly seed: number;
  /** The addresses that each request at the end asks for, when all are assigned again; 1 if absent. */
  readonly filledBy?: number;
  /** Called with the results once the callers have stopped, before anything is released. */
  readonly raced?: (api: Api, ledger: Ledger, seconds: number) => void;
}

export interface RaceReport {
  /** Addresses that were held when the callers stopped. */
  readonly held: number;
  /** Repeats of a key that returned the same addresses. */
  readonly toldTheSame: number;
  /** Repeats of a key that returned that its addresses were released. */
  readonly toldReleased: number;
  /** The number of addresses of the drained pool that answers contained. */
  readonly drained: number;
  readonly violations: number;
  readonly failures: readonly string[];
}

const POLL_MS = 20;

/**
 * Lets callers race on pools that they can just fill, while one of the pools is drained, and compares their answers
 * with the table.
 */
export async function runRace(options: RaceOptions): Promise<RaceReport> {
  const { table, directory, operations, callers, seed, filledBy = 1, raced } = options;
  const site = await Site.open(table, directory, 2 * callers);
  const ledger = new Ledger();
  let violations = 0;
  let drained = 0;
  let held = 0;
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
    raced?.(api, ledger, (performance.now() - startedAtMs) / 1000);
    held = ledger.count;
    violations += await isHeld(site, api, ledger);
    await site.start();
    await freeAll(api, ledger);
    const end = await drain.end();
    drained = drain.given;
    if (end !== "done" || drained === 0)
      ledger.fail(`the drain of a pool that gave ${drained} addresses ended as ${end}`);
    violations += await comesToNothing(site, ledger);
    await site.start();
    violations += await isAssignable(site, api, ledger, filledBy);
  } catch (error) {
    ledger.fail(`the race broke off: ${(error as Error).message}`);
  } finally {
    await site.close();
  }
  const { failures, toldTheSame, toldReleased } = ledger;
  return { held, toldTheSame, toldReleased, drained, violations, failures };
}
