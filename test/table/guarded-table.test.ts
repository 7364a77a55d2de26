import { beforeEach, describe, expect, it } from "vitest";
import { TableFrozenError, UnavailableError } from "../../src/base/outcome.ts";
import { guardedTable, REGISTER_FRESH_MS } from "../../src/table/guarded-table.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import type { Item } from "../../src/table/item.ts";
import type { Write } from "../../src/table/table.ts";

const REGISTER = { pk: "TABLE", sk: "FORMAT", f: 1, k: 2 };
const OWN = { region: "eu-central-1", id: "table-1", replicas: [] };

const WRITE: Write = {
  step: "test",
  key: { pk: "SPACE#s", sk: "POOL#p" },
  when: [],
  change: { kind: "put", item: { pk: "SPACE#s", sk: "POOL#p" } },
};

let table: InMemoryTable;
let nowMs = 0;
beforeEach(() => {
  table = new InMemoryTable();
  nowMs = 0;
});
const put = (item: Item) => table.partitions.set(item.pk, new Map([[item.sk, item]]));
const guarded = (identify = async () => OWN) => guardedTable(table, { identify, now: () => nowMs });

describe("a guarded table", () => {
  it("serves if its register names it, or names no table yet", async () => {
    for (const register of [
      undefined,
      REGISTER,
      { ...REGISTER, ids: { "eu-central-1": "table-1" } },
    ]) {
      if (register) put(register);
      expect(await guarded().write(WRITE)).toMatchObject({ outcome: "done" });
    }
  });

  it.each([
    [{ ids: { "eu-central-1": "table-0" } }, "the table was restored from a backup"],
    [{ ids: { "eu-west-1": "table-0" } }, "the table was copied to a Region"],
    [
      { ids: { "eu-central-1": "table-1" }, frozen: "went back in time" },
      "the table went back in time",
    ],
  ])("serves reads and no write under the register %j", async (register, why) => {
    put({ ...REGISTER, ...register });
    const frozen = guarded();
    await expect(frozen.write(WRITE)).rejects.toThrow(TableFrozenError);
    await expect(frozen.assertServing()).rejects.toThrow(why);
    expect(await frozen.get(REGISTER)).toMatchObject(register);
    expect(await frozen.query("SPACE#s")).toEqual([]);
  });

  describe("beside a marker", () => {
    let beside: number | undefined;
    let asked: number;
    const marker = {
      name: "plat-prod-table-mark",
      read: async () => {
        asked++;
        return beside;
      },
    };
    beforeEach(() => {
      beside = undefined;
      asked = 0;
    });
    const besideMarker = (other = marker) =>
      guardedTable(table, { identify: async () => OWN, marker: other, now: () => nowMs });

    it("serves if it is empty and no table was before it, and asks nobody once its register names it", async () => {
      expect(await besideMarker().write(WRITE)).toMatchObject({ outcome: "done" });
      expect(asked).toBe(1);
      put({ ...REGISTER, ids: { "eu-central-1": "table-1" } });
      await besideMarker().write(WRITE);
      expect(asked).toBe(1);
    });

    it.each([[undefined], [REGISTER]])(
      "serves no write if another table was before it, and names the way out: register %j",
      async (register) => {
        if (register) put(register);
        beside = Date.UTC(2026, 0, 31);
        const second = besideMarker();
        await expect(second.write(WRITE)).rejects.toThrow(TableFrozenError);
        await expect(second.assertServing()).rejects.toThrow(
          "the table is empty, and the parameter plat-prod-table-mark says that this environment had another one at 2026-01-31T00:00:00.000Z",
        );
        await expect(second.assertServing()).rejects.toMatchObject({
          wayOut: expect.stringMatching(
            /^An operator must deploy with the construct id and the Regions .* is set to 0;/,
          ),
        });
        expect(await second.query("SPACE#s")).toEqual([]);
        beside = undefined;
        expect(await second.write(WRITE)).toMatchObject({ outcome: "done" });
      },
    );

    it("serves if the first run names the table and writes the marker while it looks", async () => {
      const overtaken = {
        ...marker,
        read: async () => {
          put({ ...REGISTER, ids: { "eu-central-1": "table-1" } });
          return Date.UTC(2026, 0, 31);
        },
      };
      expect(await besideMarker(overtaken).write(WRITE)).toMatchObject({ outcome: "done" });
    });

    it("serves no write if its register names another table by the time it looks again", async () => {
      const overtaken = {
        ...marker,
        read: async () => {
          put({ ...REGISTER, ids: { "eu-central-1": "table-0" } });
          return Date.UTC(2026, 0, 31);
        },
      };
      await expect(besideMarker(overtaken).write(WRITE)).rejects.toThrow("from a backup");
    });

    it("serves no write while an empty table cannot learn whether another was before it", async () => {
      const away = { ...marker, read: () => Promise.reject(new Error("away")) };
      await expect(besideMarker(away).write(WRITE)).rejects.toThrow(UnavailableError);
    });
  });

  it("asks the database once in a process, and reads the register once a minute", async () => {
    let asked = 0;
    let gets = 0;
    const get = table.get.bind(table);
    table.get = (key) => {
      gets++;
      return get(key);
    };
    const serving = guarded(async () => {
      asked++;
      return OWN;
    });
    await Promise.all([serving.write(WRITE), serving.write(WRITE), serving.write(WRITE)]);
    nowMs = REGISTER_FRESH_MS - 1;
    await serving.write(WRITE);
    expect([asked, gets]).toEqual([1, 1]);
    nowMs = REGISTER_FRESH_MS;
    await serving.write(WRITE);
    expect([asked, gets]).toEqual([1, 2]);
  });

  it("sees within a minute that the table was frozen, and at once that it serves again", async () => {
    put({ ...REGISTER, ids: { "eu-central-1": "table-1" } });
    const warm = guarded();
    await warm.write(WRITE);
    put({ ...REGISTER, ids: { "eu-central-1": "table-1" }, frozen: "went back in time" });
    nowMs = REGISTER_FRESH_MS;
    await expect(warm.write(WRITE)).rejects.toThrow(TableFrozenError);
    put({ ...REGISTER, ids: { "eu-central-1": "table-1" } });
    expect(await warm.write(WRITE)).toMatchObject({ outcome: "done" });
  });

  it("writes nothing while it does not know which table it is, and asks again", async () => {
    let asked = 0;
    const answering = guarded(async () => {
      if (asked++ === 0) throw new UnavailableError("the database did not answer a read");
      return OWN;
    });
    await expect(answering.write(WRITE)).rejects.toThrow(UnavailableError);
    expect(table.items()).toEqual([]);
    expect(await answering.write(WRITE)).toMatchObject({ outcome: "done" });
  });
});
