import "../local/silent.ts";
import { afterEach, describe, expect, it } from "vitest";
import { ThrottledError } from "../../src/base/outcome.ts";
import { emulatorBinary } from "../../src/local/emulator.ts";
import { absent } from "../../src/table/clause.ts";
import { TABLE } from "../../src/table/definition.ts";
import { identityIn, tableIn } from "../../src/wiring.ts";
import { type Consistency, GlobalTable } from "../../twin/global-table.ts";
import { eventually } from "../eventually.ts";

const HOME = "eu-central-1";
const REPLICA = "eu-west-1";
const WITNESS = "eu-west-3";
const KEY = { pk: "p", sk: "s" };
/** So many that a Region takes longer for them than for the answer to a read. */
const MISSED = 100;

const { partitionKey, sortKey } = TABLE;
const DEFINITION = {
  name: "plat",
  arn: "arn:aws:dynamodb:eu-central-1:123456789012:table/plat",
  AttributeDefinitions: [
    { AttributeName: partitionKey, AttributeType: "S" as const },
    { AttributeName: sortKey, AttributeType: "S" as const },
  ],
  KeySchema: [
    { AttributeName: partitionKey, KeyType: "HASH" as const },
    { AttributeName: sortKey, KeyType: "RANGE" as const },
  ],
  GlobalSecondaryIndexes: [],
};

describe.runIf(emulatorBinary())("a global table of two Regions and a witness", () => {
  let stop = async () => {};
  afterEach(() => stop());

  /** Opens a table whose writes are on their way until `arrive` lets them. */
  async function opened(consistency?: Consistency) {
    const waiting: (() => void)[] = [];
    let isHeld = false;
    const global = await GlobalTable.open({
      table: DEFINITION,
      otherTables: [],
      regions: [HOME, REPLICA],
      witness: WITNESS,
      consistency,
      roundTrip: () =>
        isHeld ? new Promise<void>((resolve) => waiting.push(resolve)) : Promise.resolve(),
    });
    const databases = [HOME, REPLICA].map((region) => global.databaseOf(region));
    stop = async () => {
      for (const { stop } of databases) await stop();
      await global.stop();
    };
    const [home, replica] = databases.map(({ client }) => tableIn(client, "plat"));
    if (!home || !replica) throw new Error("there are not two Regions");
    return {
      global,
      home,
      replica,
      clients: databases.map(({ client }) => client),
      hold: () => {
        isHeld = true;
      },
      isUnderway: () => eventually(() => expect(waiting).toHaveLength(1)),
      arrive: () => {
        isHeld = false;
        for (const resolve of waiting.splice(0)) resolve();
      },
    };
  }

  /** Takes the item for an owner, unless another one has it. */
  const taking = (owner: string) => ({
    step: "take",
    key: KEY,
    when: [absent("take-free", "pk")],
    change: { kind: "put", item: { ...KEY, owner } } as const,
  });

  it("shows a write of one Region in the other as soon as it is answered", async () => {
    const { home, replica, global } = await opened();
    expect(await home.write(taking("a"))).toMatchObject({ outcome: "done" });
    expect(await replica.get(KEY)).toMatchObject({ owner: "a" });
    expect(await replica.write(taking("b"))).toMatchObject({
      outcome: "lost",
      item: { owner: "a" },
    });
    expect(await global.differences()).toEqual([]);
  });

  it("refuses a write of an item that another Region's write is on its way to, and does not apply it", async () => {
    const { home, replica, hold, isUnderway, arrive, global } = await opened();
    hold();
    const first = home.write(taking("a"));
    await isUnderway();
    await expect(replica.write(taking("b"))).rejects.toThrow(ThrottledError);
    arrive();
    expect(await first).toMatchObject({ outcome: "done" });
    expect(await replica.get(KEY)).toMatchObject({ owner: "a" });
    expect(global.conflicts).toBe(1);
  });

  it.each<Consistency>(["unchecked", "eventual"])(
    "that is %s gives one item to two owners, which strong consistency does not",
    async (consistency) => {
      const { home, replica, hold, isUnderway, arrive } = await opened(consistency);
      hold();
      const first = home.write(taking("a"));
      await isUnderway();
      const second = replica.write(taking("b"));
      if (consistency === "eventual") expect(await second).toMatchObject({ outcome: "done" });
      else
        await eventually(async () => expect(await replica.get(KEY)).toMatchObject({ owner: "b" }));
      arrive();
      expect(await first).toMatchObject({ outcome: "done" });
      expect(await second).toMatchObject({ outcome: "done" });
    },
  );

  it("answers nobody in a lost Region, and brings it up to date from the witness alone", async () => {
    const { home, replica, global } = await opened();
    global.lose(REPLICA);
    expect(await replica.write(taking("b"))).toEqual({ outcome: "unknown" });
    expect(await home.write(taking("a"))).toMatchObject({ outcome: "done" });
    global.lose(HOME);
    await global.restore(REPLICA);
    expect(await replica.get(KEY)).toMatchObject({ owner: "a" });
    expect(await replica.write(taking("b"))).toMatchObject({ outcome: "lost" });
  });

  it("answers nobody in a Region that returns, before that has what it missed", async () => {
    const { home, replica, global } = await opened();
    global.lose(REPLICA);
    const keys = Array.from({ length: MISSED }, (_, i) => ({ pk: "p", sk: `${i}` }));
    for (const key of keys)
      await home.write({ step: "put", key, when: [], change: { kind: "put", item: key } });
    const back = global.restore(REPLICA);
    // The last one arrives last.
    const read = await replica.get(keys.at(-1) ?? KEY).catch(() => "no answer");
    expect(read).toBeDefined();
    await back;
    expect(await replica.query("p")).toHaveLength(MISSED);
  });

  it("accepts no write while one Region is left", async () => {
    const { home, global } = await opened();
    global.lose(REPLICA);
    global.lose(WITNESS);
    expect(await home.write(taking("a"))).toEqual({ outcome: "unknown" });
    await global.restore(WITNESS);
    expect(await home.get(KEY)).toBeUndefined();
    expect(await home.write(taking("a"))).toMatchObject({ outcome: "done" });
  });

  it("names its Region and the replica of the other", async () => {
    const { clients } = await opened();
    const [home, replica] = await Promise.all(clients.map((client) => identityIn(client, "plat")));
    expect(home).toMatchObject({ region: HOME, replicas: [REPLICA] });
    expect(replica).toMatchObject({ region: REPLICA, replicas: [HOME] });
    expect(home?.id).not.toBe(replica?.id);
  });
});
