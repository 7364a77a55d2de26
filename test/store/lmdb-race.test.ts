import "../local/silent.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { comesToNothing, freeAll, type Grounds, isHeld } from "../../bench/load/aftermath.ts";
import { Api } from "../../bench/load/api.ts";
import { Caller } from "../../bench/load/caller.ts";
import { openFunctions } from "../../bench/load/functions.ts";
import { Ledger } from "../../bench/load/ledger.ts";
import { prepare } from "../../bench/load/world.ts";
import { openStorage } from "../../src/local/storage.ts";
import { contextOf } from "../../src/wiring.ts";
import { seededRandom } from "../simulation/random.ts";
import { scratchDirectory } from "../table/scratch-file.ts";

const SEED = 11;
const CALLERS = 64;
const OPERATIONS = 600;
const HABITS = { hosts: 4, keyedShare: 0.4 };

const newDirectory = scratchDirectory();

it("callers race over a table in a file: no duplicate, nothing lost, all of it there when the file is opened again, nothing left", async () => {
  const data = await newDirectory();
  const storage = await openStorage({ table: "file", data });
  const context = contextOf(storage.table);
  const { client } = openFunctions(storage.table, context);
  const api = new Api(client, sleep);
  const ledger = new Ledger();
  const grounds: Grounds = { stop: async () => {}, withTable: (look) => look(context) };
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
  await isHeld(grounds, api, ledger);
  await freeAll(api, ledger);
  await storage.stop();

  const again = await openStorage({ table: "file", data });
  await comesToNothing(
    { stop: async () => {}, withTable: (look) => look(contextOf(again.table)) },
    ledger,
  );
  expect(ledger.failures).toEqual([]);
  await again.stop();
});
