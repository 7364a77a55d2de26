import { beforeEach, describe, expect, it } from "vitest";
import { TableFrozenError } from "../../src/base/outcome.ts";
import { MARK_MS_MIN, markTable } from "../../src/restore/mark-table.ts";
import { openTable } from "../../src/table/format.ts";
import { guardedTable } from "../../src/table/guarded-table.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { readRegister, thawTable } from "../../src/table/register-item.ts";

const OWN = { region: "eu-central-1", id: "table-1", replicas: [] };

let table: InMemoryTable;
let nowMs: number;
let beside: number | undefined;
const marker = {
  name: "plat-marker",
  read: async () => beside,
  write: async (atMs: number) => {
    beside = atMs;
  },
};

beforeEach(async () => {
  table = new InMemoryTable();
  await openTable(table);
  nowMs = 1_700_000_000_000;
  beside = undefined;
});

const guarded = () => guardedTable(table, { identify: async () => OWN, now: () => nowMs });
const identifyReplica = async (region: string) => ({ region, id: `replica-in-${region}` });
const run = (other: Partial<Parameters<typeof markTable>[0]> = {}) =>
  markTable({ table: guarded(), identifyReplica, marker, now: () => nowMs, ...other });
const copyOf = (from: InMemoryTable) =>
  new Map([...from.partitions].map(([pk, of]) => [pk, new Map(of)]));

describe("a run of the repair run's first shard", () => {
  it("names a new table in its register, and leaves another name alone", async () => {
    await run();
    expect((await readRegister(table)).ids).toEqual({ "eu-central-1": "table-1" });
    await thawTable(table, { ...OWN, id: "table-2" }, nowMs);
    await expect(run()).resolves.toEqual([]);
    expect((await readRegister(table)).ids).toEqual({ "eu-central-1": "table-2" });
  });

  it("names the replicas of a table that serves, and a new one later", async () => {
    const inRegions = (...replicas: string[]) =>
      guardedTable(table, { identify: async () => ({ ...OWN, replicas }), now: () => nowMs });
    await run({ table: inRegions("eu-west-1") });
    const both = { "eu-central-1": "table-1", "eu-west-1": "replica-in-eu-west-1" };
    expect((await readRegister(table)).ids).toEqual(both);
    await run({ table: inRegions("eu-west-1", "eu-west-3") });
    const three = { ...both, "eu-west-3": "replica-in-eu-west-3" };
    expect((await readRegister(table)).ids).toEqual(three);
    const elsewhere = { region: "eu-west-1", id: "replica-in-eu-west-1", replicas: [] };
    const replica = guardedTable(table, { identify: async () => elsewhere, now: () => nowMs });
    await expect(replica.assertServing()).resolves.toBeUndefined();
  });

  it("leaves a table without a register alone, because the format of its keys comes first", async () => {
    table = new InMemoryTable();
    await run();
    expect(table.items()).toEqual([]);
  });

  it("marks the table and the marker every ten minutes", async () => {
    await run();
    expect([beside, (await readRegister(table)).markedAtMs]).toEqual([nowMs, nowMs]);
    const first = nowMs;
    nowMs += MARK_MS_MIN - 1;
    await run();
    expect(beside).toBe(first);
    nowMs += 1;
    await run();
    expect(beside).toBe(first + MARK_MS_MIN);
  });

  it("brings the marker to the last mark of the table if a run was cut off before it could", async () => {
    const lost = { ...marker, write: () => Promise.reject(new Error("away")) };
    expect(await run({ marker: lost })).toEqual([new Error("away")]);
    expect(beside).toBeUndefined();
    const first = nowMs;
    nowMs += 60_000;
    await run();
    expect([beside, (await readRegister(table)).markedAtMs]).toEqual([first, first]);
  });

  it("freezes a table that went back in time under its own id", async () => {
    await run();
    const backup = copyOf(table);
    nowMs += MARK_MS_MIN;
    await run();
    table.partitions.clear();
    for (const [pk, of] of backup) table.partitions.set(pk, of);
    nowMs += MARK_MS_MIN;
    await expect(run()).rejects.toThrow(TableFrozenError);
    await expect(guarded().assertServing()).rejects.toThrow("the table went back in time");
  });

  it("does not freeze a table whose marker it cannot reach, and reports that", async () => {
    await run();
    nowMs += MARK_MS_MIN;
    const away = { ...marker, read: () => Promise.reject(new Error("away")) };
    expect(await run({ marker: away })).toEqual([new Error("away")]);
    expect((await readRegister(table)).frozenBecause).toBeUndefined();
  });

  it("does not take the mark of a run beside it for a table that went back", async () => {
    await run();
    nowMs += MARK_MS_MIN;
    // The other run writes both while this one reads the marker.
    const overtaken = {
      ...marker,
      read: async () => {
        await run();
        return beside;
      },
    };
    await expect(run({ marker: overtaken })).resolves.toEqual([]);
  });

  it("marks on after the clock stepped back", async () => {
    await run();
    const before = nowMs;
    nowMs += 2 * MARK_MS_MIN;
    await run();
    nowMs = before + MARK_MS_MIN;
    await expect(run()).resolves.toEqual([]);
    expect(beside).toBe(before + 2 * MARK_MS_MIN);
  });

  it("goes on after a restore, whose thaw is later than every mark", async () => {
    await run();
    const backup = copyOf(table);
    nowMs += 3 * MARK_MS_MIN;
    await run();
    table.partitions.clear();
    for (const [pk, of] of backup) table.partitions.set(pk, of);
    nowMs += 1_000;
    await thawTable(table, OWN, nowMs);
    nowMs += MARK_MS_MIN;
    await expect(run()).resolves.toEqual([]);
    expect(beside).toBe(nowMs);
  });
});
