import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "../../src/kernel/core/context.ts";
import { type Client, makeClient } from "../../src/local/client.ts";
import { seededRandom } from "../../test/simulation/random.ts";
import { OPERATOR_KEYS } from "../../twin/callers.ts";
import { deploymentOf } from "../../twin/deployment.ts";
import { freshAssembly } from "../../twin/fresh.ts";
import { GlobalTable } from "../../twin/global-table.ts";
import { signing } from "../../twin/signing.ts";
import { readStacks, type Synthesised, stacksIn } from "../../twin/stacks.ts";
import { startTwin, type Twin } from "../../twin/twin.ts";
import { comesToNothing, freeAll, type Grounds, isHeld } from "./aftermath.ts";
import { Api } from "./api.ts";
import { Caller } from "./caller.ts";
import { Ledger } from "./ledger.ts";
import { prepare } from "./world.ts";

export interface RegionsOptions {
  /** The directory of the twins' data. */
  readonly directory: string;
  readonly callers: number;
  /** The answers that callers get between two events. */
  readonly answersBetween: number;
  readonly seed: number;
  /** Called with a sentence at each event. */
  readonly say: (sentence: string) => void;
}

export interface RegionsReport {
  readonly calls: number;
  readonly answered: number;
  /** Writes that met a write of the item in another Region. */
  readonly conflicts: number;
  /** Repeats of a key that returned the same addresses. */
  readonly toldTheSame: number;
  /** Addresses that were held when the callers stopped. */
  readonly held: number;
  readonly violations: number;
  readonly failures: readonly string[];
}

const ENVIRONMENT = "prod";
const HOME = "eu-central-1";
const REPLICA = "eu-west-1";
const WITNESS = "eu-west-3";
const SERVING = [HOME, REPLICA] as const;
type Serving = (typeof SERVING)[number];

/** Rarely enough that the runs of two Regions leave the callers most of two cores. */
const SCHEDULE_SECONDS = 10;
/** The time that a message takes to another Region and back, while callers are at work. */
const ROUND_TRIP_MS = 5;
const ANSWERS_POLL_MS = 5;

/**
 * Lets callers use two Regions and a witness of one environment, while first one Region is lost and comes back, and then
 * the active one is lost, another is made active, and the first comes back. Then it compares all answers with the table.
 */
export async function runRegions(options: RegionsOptions): Promise<RegionsReport> {
  const { callers, answersBetween, seed, say } = options;
  const world = await Regions.open(options);
  const ledger = new Ledger();
  let over = false;
  try {
    const apis = SERVING.map((region) => new Api(world.clientOf(region)));
    const [home = new Api(world.clientOf(HOME))] = apis;
    const answered = () => apis.reduce((sum, each) => sum + each.answered, 0);
    const load = async () => {
      const until = answered() + answersBetween;
      while (!over && answered() < until && ledger.failures.length === 0)
        await sleep(ANSWERS_POLL_MS);
    };
    await prepare(home);
    const working = Array.from({ length: callers }, (_, i) =>
      // Callers of one host are in different Regions.
      new Caller(Math.floor(i / 2), apis[i % 2] ?? home, ledger, seededRandom(seed + i), {
        requests: (i % 2) * REQUESTS_MAX,
      }).run(() => over),
    );
    const events = async () => {
      await load();
      for (const { sentence, happen } of EVENTS) {
        if (ledger.failures.length > 0) break;
        say(`${sentence} after ${answered()} answers`);
        await happen(world);
        await load();
      }
      over = true;
    };
    await Promise.all([events(), ...working]);
    const report = {
      calls: apis.reduce((sum, each) => sum + each.calls, 0),
      answered: answered(),
      conflicts: world.table.conflicts,
      held: ledger.count,
    };
    // A duplicate is proven already, and what is left of one proves nothing more.
    const violations = ledger.failures.length > 0 ? 0 : await aftermath(world, home, ledger);
    const { failures, toldTheSame } = ledger;
    return { ...report, toldTheSame, violations, failures };
  } catch (cause) {
    const before = ledger.failures.map((failure) => `\n${failure}`).join("");
    throw new Error(`the run broke off: ${(cause as Error).message}${before}`, { cause });
  } finally {
    over = true;
    await world.close();
  }
}

/** Returns the number of violations that the checker finds in the table. */
async function aftermath(world: Regions, api: Api, ledger: Ledger): Promise<number> {
  const held = await isHeld(world, api, ledger);
  await world.start();
  await freeAll(api, ledger);
  const tidy = await comesToNothing(world, ledger);
  for (const key of await world.table.differences()) ledger.fail(`${key} differs by Region`);
  return held + tidy;
}

/** Two callers of one index number their requests apart. */
const REQUESTS_MAX = 1_000_000;

const EVENTS: readonly {
  readonly sentence: string;
  readonly happen: (world: Regions) => Promise<void>;
}[] = [
  { sentence: `${REPLICA} is lost`, happen: async (world) => world.lose(REPLICA) },
  { sentence: `${REPLICA} is back`, happen: (world) => world.restore(REPLICA) },
  { sentence: `${HOME}, the active one, is lost`, happen: async (world) => world.lose(HOME) },
  { sentence: `${REPLICA} is made active`, happen: (world) => world.activate(REPLICA) },
  { sentence: `${HOME} is back`, happen: (world) => world.restore(HOME) },
  { sentence: `${HOME} is deployed as not active`, happen: (world) => world.deploy(HOME) },
];

/** The twins of the Regions over one table. */
class Regions implements Grounds {
  readonly table: GlobalTable;
  readonly #templates: Templates;
  readonly #directory: string;
  readonly #twins = new Map<Serving, Deployed>();
  readonly #lost = new Set<Serving>();
  readonly #latency: { ms: number };
  #active: Serving = HOME;
  #deployments = 0;

  private constructor(
    table: GlobalTable,
    templates: Templates,
    directory: string,
    latency: { ms: number },
  ) {
    this.table = table;
    this.#templates = templates;
    this.#directory = directory;
    this.#latency = latency;
  }

  static async open({ directory }: RegionsOptions): Promise<Regions> {
    const templates = await templatesOf();
    const { deployment } = deploymentIn(HOME, templates[HOME]);
    const latency = { ms: ROUND_TRIP_MS };
    const table = await GlobalTable.open({
      ...deployment,
      regions: SERVING,
      witness: WITNESS,
      roundTrip: async () => latency.ms > 0 && sleep(latency.ms),
    });
    const world = new Regions(table, templates, directory, latency);
    await world.start();
    return world;
  }

  async start(): Promise<void> {
    for (const region of SERVING) await this.deploy(region);
  }

  /** Deploys a Region: new functions serve, and then the old ones end. */
  async deploy(region: Serving): Promise<void> {
    const { deployment, assets } = deploymentIn(region, this.#templates[this.#active]);
    const twin = await startTwin(deployment, assets, {
      port: 0,
      data: join(this.#directory, `${region}-${this.#deployments++}`),
      scheduleSeconds: SCHEDULE_SECONDS,
      database: this.table.databaseOf(region),
    });
    const before = this.#twins.get(region);
    this.#twins.set(region, { twin, client: clientTo(twin, region) });
    await before?.twin.stop();
    before?.client.close();
  }

  async activate(region: Serving): Promise<void> {
    this.#active = region;
    await this.deploy(region);
  }

  /** Loses a Region: its functions reach no table, and its callers no function. */
  lose(region: Serving): void {
    const { twin, client } = this.#deployed(region);
    this.#lost.add(region);
    twin.streams.isOff = true;
    this.table.lose(region);
    client.close();
  }

  async restore(region: Serving): Promise<void> {
    const { twin } = this.#deployed(region);
    await this.table.restore(region);
    twin.streams.isOff = false;
    this.#twins.set(region, { twin, client: clientTo(twin, region) });
    this.#lost.delete(region);
  }

  /** Returns a client of callers that use one Region, and another while that is lost. */
  clientOf(region: Serving): Client {
    const there = () =>
      this.#lost.has(region) ? SERVING.find((one) => !this.#lost.has(one)) : region;
    return {
      call: (...request) => this.#deployed(there() ?? region).client.call(...request),
      close() {},
    };
  }

  /** Stops the twins when the callers have stopped. The checks after that need no distance between the Regions. */
  async stop(): Promise<void> {
    this.#latency.ms = 0;
    for (const { twin, client } of this.#twins.values()) {
      client.close();
      await twin.stop();
    }
    this.#twins.clear();
  }

  async withTable<T>(look: (context: Context) => Promise<T>): Promise<T> {
    const { context, stop } = this.table.databaseOf(HOME);
    try {
      return await look(context);
    } finally {
      await stop();
    }
  }

  async close(): Promise<void> {
    await this.stop();
    await this.table.stop();
  }

  #deployed(region: Serving): Deployed {
    const deployed = this.#twins.get(region);
    if (!deployed) throw new Error(`nothing is deployed in ${region}`);
    return deployed;
  }
}

interface Deployed {
  readonly twin: Twin;
  readonly client: Client;
}

const SOCKETS_MAX = 64;

const clientTo = ({ url }: Twin, region: Serving): Client =>
  makeClient(url, SOCKETS_MAX, signing(OPERATOR_KEYS, region));

/** The templates of the environment, by the Region that is active. */
type Templates = Readonly<Record<Serving, Synthesised>>;

/** Makes all templates at once from the current sources, which can change during the drill. */
async function templatesOf(): Promise<Templates> {
  const withActive = async (active: Serving) => {
    const regions = { replicas: [REPLICA], witness: WITNESS, active };
    const settings = { account: "123456789012", region: HOME, regions };
    return readStacks(await freshAssembly(ENVIRONMENT, settings), ENVIRONMENT);
  };
  return { [HOME]: await withActive(HOME), [REPLICA]: await withActive(REPLICA) };
}

const deploymentIn = (region: Serving, { stacks, assets }: Synthesised) => ({
  deployment: deploymentOf(stacksIn(region, stacks, ENVIRONMENT)),
  assets,
});
