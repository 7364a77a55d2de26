import "../local/silent.ts";
import { expect, it } from "vitest";
import { comesToNothing, freeAll, type Grounds, isHeld } from "../../bench/load/aftermath.ts";
import { Api } from "../../bench/load/api.ts";
import { Caller } from "../../bench/load/caller.ts";
import { openFunctions } from "../../bench/load/functions.ts";
import { Ledger } from "../../bench/load/ledger.ts";
import { prepare } from "../../bench/load/world.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { WarmCache } from "../../src/kernel/core/warm-cache.ts";
import { createTable } from "../../src/local/create-table.ts";
import { emulatorBinary, startEmulator } from "../../src/local/emulator.ts";
import { makeStore, retryingTable } from "../../src/store/stack.ts";
import { dynamoTable } from "../../src/table/dynamodb-table.ts";
import { dynamoClient } from "../../src/wiring.ts";
import { seededRandom } from "../simulation/random.ts";
import { BadDay } from "../table/proxy.ts";
import { SleepersClock } from "../table/sleepers.ts";

const TABLE = "plat";
const SEED = 7;
const START_MS = 1_700_000_000_000;
const CALLERS = 16;
const OPERATIONS = 100;
/** Four callers for each host, so that they meet in its blocks. */
const HABITS = { hosts: 4, keyedShare: 0.4 };
/**
 * The faults of the race. An assign costs a hot key a few units, so many callers of one block group
 * soon exceed these.
 */
const TROUBLES = { delayMsMax: 20, cutShare: 0.06, unitsPerSecond: 15 };

it.runIf(emulatorBinary())(
  "callers race through throttling, cut answers, late and reordered requests: no duplicate, nothing lost, nothing left",
  async () => {
    const clock = new SleepersClock(START_MS);
    const random = seededRandom(SEED);
    const surroundings = { random, now: clock.now, sleep: clock.sleep };
    const emulator = await startEmulator();
    const proxy = await BadDay.open({ endpoint: emulator.endpoint, ...surroundings, ...TROUBLES });
    const [direct, troubled] = [dynamoClient(emulator.endpoint), dynamoClient(proxy.endpoint)];
    await createTable(direct, TABLE);
    const { client } = openFunctions(dynamoTable(troubled, TABLE), clock);
    const api = new Api(client, clock.sleep);
    const ledger = new Ledger();
    const calm: Context = {
      ...surroundings,
      store: makeStore(retryingTable(dynamoTable(direct, TABLE), surroundings)),
      cache: new WarmCache(),
    };
    const grounds: Grounds = { stop: () => proxy.settled(), withTable: (look) => look(calm) };
    await prepare(api);
    let begun = 0;
    await Promise.all(
      Array.from({ length: CALLERS }, (_, i) =>
        new Caller(i, api, ledger, seededRandom(SEED + i), { habits: HABITS }).run(
          () => begun++ >= OPERATIONS,
        ),
      ),
    );
    expect(ledger.count).toBeGreaterThan(0);
    for (const [trouble, count] of proxy.seen) expect(count, trouble).toBeGreaterThan(0);
    await isHeld(grounds, api, ledger);
    await freeAll(api, ledger);
    await comesToNothing(grounds, ledger);
    expect(ledger.failures.join("\n")).toBe("");
    for (const client of [direct, troubled]) client.destroy();
    await proxy.stop();
    await emulator.stop();
  },
);
