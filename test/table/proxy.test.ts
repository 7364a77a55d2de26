import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ThrottledError } from "../../src/base/outcome.ts";
import { createTable } from "../../src/local/create-table.ts";
import { type Emulator, emulatorBinary, startEmulator } from "../../src/local/emulator.ts";
import { dynamoTable } from "../../src/table/dynamodb-table.ts";
import type { Table } from "../../src/table/table.ts";
import { dynamoClient } from "../../src/wiring.ts";
import { seededRandom } from "../simulation/random.ts";
import { tableContract } from "./contract.ts";
import { BadDay, type Troubles } from "./proxy.ts";
import { scratchTable } from "./scratch-table.ts";
import { SleepersClock } from "./sleepers.ts";

const TABLE = "plat";
const SEED = 20;

describe.runIf(emulatorBinary())("a DynamoDB on a bad day", () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator();
    const client = dynamoClient(emulator.endpoint);
    await createTable(client, TABLE);
    client.destroy();
  });
  afterAll(() => emulator.stop());

  const clock = new SleepersClock(0);
  const surroundings = { random: seededRandom(SEED), now: clock.now, sleep: clock.sleep };

  /** Runs a test on a table behind a proxy that adds these faults. */
  async function through(troubles: Troubles, test: (table: Table, proxy: BadDay) => Promise<void>) {
    const proxy = await BadDay.open({ endpoint: emulator.endpoint, ...surroundings, ...troubles });
    const client = dynamoClient(proxy.endpoint);
    await test(dynamoTable(client, TABLE), proxy);
    client.destroy();
    await proxy.stop();
  }

  const put = (table: Table, pk: string, n: number) => {
    const item = { pk, sk: "item", n };
    return table.write({ step: "test", key: item, when: [], change: { kind: "put", item } });
  };

  it("rejects what a key is asked for beyond its write units a second, and nothing of another key", () =>
    through({ unitsPerSecond: 3 }, async (table) => {
      for (const n of [1, 2, 3])
        expect(await put(table, "hot", n)).toMatchObject({ outcome: "done" });
      await expect(put(table, "hot", 4)).rejects.toBeInstanceOf(ThrottledError);
      await expect(put(table, "hot", 5)).rejects.toBeInstanceOf(ThrottledError);
      expect(await put(table, "cold", 1)).toMatchObject({ outcome: "done" });
      await clock.sleep(1_000);
      expect(await put(table, "hot", 6)).toMatchObject({ outcome: "done" });
      expect(await table.get({ pk: "hot", sk: "item" })).toMatchObject({ n: 6 });
    }));

  it("leaves the author of a write without an answer; the write is done, or will be", () =>
    through({ cutShare: 1 }, async (table, proxy) => {
      const keys = ["a", "b", "c", "d", "e", "f", "g", "h"];
      for (const key of keys) expect(await put(table, key, 1)).toEqual({ outcome: "unknown" });
      await proxy.settled();
      for (const key of keys) expect(await table.get({ pk: key, sk: "item" })).toBeDefined();
      expect(proxy.seen.get("late")).toBeGreaterThan(0);
      expect(proxy.seen.get("answer cut")).toBeGreaterThan(0);
    }));

  it("lets later requests overtake earlier ones", () =>
    through({ delayMsMax: 100 }, async (table, proxy) => {
      const numbers = Array.from({ length: 20 }, (_, n) => n);
      const outcomes = await Promise.all(numbers.map((n) => put(table, "order", n)));
      expect(outcomes.filter(({ outcome }) => outcome === "done")).toHaveLength(20);
      expect(proxy.seen.get("overtaken")).toBeGreaterThan(0);
    }));
});

describe.runIf(emulatorBinary())("DynamoDB that answers late and out of order", () => {
  const clock = new SleepersClock(0);
  tableContract(
    scratchTable(async () => {
      const emulator = await startEmulator();
      const proxy = await BadDay.open({
        endpoint: emulator.endpoint,
        random: seededRandom(SEED),
        now: clock.now,
        sleep: clock.sleep,
        delayMsMax: 100,
      });
      const stop = async () => {
        await proxy.stop();
        await emulator.stop();
      };
      return { endpoint: proxy.endpoint, stop };
    }),
  );
});
