import { setTimeout as sleep } from "node:timers/promises";
import { randomBelow, shuffled } from "../../src/kernel/values/fresh.ts";
import { seededRandom } from "../../test/simulation/random.ts";
import { comesToNothing, freeAll, isHeld } from "./aftermath.ts";
import { Api } from "./api.ts";
import { Caller } from "./caller.ts";
import { Ledger } from "./ledger.ts";
import { type Kept, Site } from "./site.ts";
import { prepare } from "./world.ts";

export interface KillOptions {
  readonly table: Kept;
  /** The directory of the server's data. */
  readonly directory: string;
  readonly callers: number;
  /** The number of kills of the server, and of the database and the functions each if they are separate processes. */
  readonly killsEach: number;
  /** The minimum number of answers before each kill; the maximum is twice as many. */
  readonly answersBetween: number;
  readonly seed: number;
  /** Called with a sentence at each kill. */
  readonly say: (sentence: string) => void;
}

export interface KillReport {
  readonly calls: number;
  readonly answered: number;
  /** Repeats of a key that returned the same addresses. */
  readonly toldTheSame: number;
  /** Calls without an answer. */
  readonly unanswered: number;
  /** Addresses in the ledger when the callers stopped. */
  readonly held: number;
  readonly violations: number;
  readonly failures: readonly string[];
}

const OF_TWIN = ["server", "database", "functions"] as const;
export const VICTIMS = {
  file: ["server"],
  dynamodb: ["server", "database"],
  dev: OF_TWIN,
  prod: OF_TWIN,
} as const satisfies Record<Kept, readonly (typeof OF_TWIN)[number][]>;

const KILLING = {
  server: (site: Site) => site.killServer(),
  database: (site: Site) => site.killDatabase(),
  functions: (site: Site) => site.killFunctions(),
};

const ANSWERS_POLL_MS = 5;

/**
 * Runs callers on `npm start -- --data DIR`, while it kills the server with -9. It also kills the database and the
 * functions if they are separate processes, in random order. Then it compares all answers with the table.
 */
export async function runKills(options: KillOptions): Promise<KillReport> {
  const { table, directory, callers, killsEach, answersBetween, seed, say } = options;
  const site = await Site.open(table, directory, 2 * callers);
  const ledger = new Ledger();
  let over = false;
  try {
    const api = new Api(site.client);
    await prepare(api);

    const working = Array.from({ length: callers }, (_, i) =>
      new Caller(i, api, ledger, seededRandom(seed + i)).run(() => over),
    );
    const random = seededRandom(seed - 1);
    const victims = shuffled(
      VICTIMS[table].flatMap((victim) => Array<(typeof OF_TWIN)[number]>(killsEach).fill(victim)),
      random,
    );
    const killing = async () => {
      for (const victim of victims) {
        await load(answersBetween + randomBelow(answersBetween, random));
        say(`kill -9 of the ${victim} after ${api.answered} answers`);
        await KILLING[victim](site);
        await api.ready();
      }
      await load(answersBetween);
      over = true;
    };
    /** Waits until the callers have received the given number of further answers. */
    const load = async (answers: number) => {
      const until = api.answered + answers;
      while (!over && api.answered < until) await sleep(ANSWERS_POLL_MS);
    };
    await Promise.all([killing(), ...working]);

    const held = ledger.count;
    const { calls, answered, unanswered } = api;
    let violations = await isHeld(site, api, ledger);
    await site.start();
    await freeAll(api, ledger);
    violations += await comesToNothing(site, ledger);
    const { failures, toldTheSame } = ledger;
    return { calls, answered, unanswered, held, toldTheSame, violations, failures };
  } catch (cause) {
    const before = ledger.failures.map((failure) => `\n${failure}`).join("");
    throw new Error(`the run broke off: ${(cause as Error).message}${before}`, { cause });
  } finally {
    over = true;
    await site.close();
  }
}
