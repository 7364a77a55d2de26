import { beforeEach, describe, expect, it } from "vitest";
import { handleHash } from "../../src/base/hash.ts";
import { CorruptItemError } from "../../src/base/outcome.ts";
import { putNode } from "../../src/nouns/registry/operations/nodes.ts";
import { knownKeysTable, openTable } from "../../src/table/format.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import type { Item } from "../../src/table/item.ts";
import { contextOf } from "../../src/wiring.ts";
import { contextOver } from "../world.ts";

const TOLD = { pk: "TABLE", sk: "FORMAT", f: 1, k: 2 };

let table: InMemoryTable;
beforeEach(() => {
  table = new InMemoryTable();
});
const put = (item: Item) =>
  table.partitions.set(item.pk, (table.partitions.get(item.pk) ?? new Map()).set(item.sk, item));
const clock = { nowMs: 1_700_000_000_000 };

describe("a start", () => {
  it("on an empty table says of what format its keys are, and on one that says so writes nothing", async () => {
    await openTable(table);
    expect(table.items()).toEqual([TOLD]);
    await openTable(table);
    expect(table.items()).toEqual([TOLD]);
  });

  it("on keys of another format is rejected by name, before anything is written", async () => {
    put({ ...TOLD, k: 3 });
    await expect(openTable(table)).rejects.toThrow(
      "the item of the table has format 3 of the keys of its table, and this version reads format 2",
    );
    expect(table.items()).toEqual([{ ...TOLD, k: 3 }]);
  });

  it("on items of which nothing says of what format their keys are is rejected as well", async () => {
    const item = { pk: "SPACES", sk: "default" };
    put(item);
    await expect(openTable(table)).rejects.toThrow(CorruptItemError);
    expect(table.items()).toEqual([item]);
  });
});

describe("a process that begins with the register, with jobs or with a scheduled run", () => {
  it("finds the keys of another format before it takes anything for absent, or writes", async () => {
    put({ ...TOLD, k: 3 });
    const { store } = contextOf(table);
    const acts = [
      () => store.listSpaces(),
      () => store.listJobs("default"),
      () => store.listNodeEntries("default", { after: undefined, limit: 1 }),
      () => store.readNode("default", "n1"),
      () => store.readNamespace("default", "shop"),
      () => store.listNamespaces("default", { after: undefined, limit: 1 }),
      () => store.readPlan("default"),
      () => store.readSpace("default"),
      () => store.listAllocations("default", handleHash("web")),
      () => store.listBorrowedBlocks("default", "host:n1"),
      () => store.readProgress(0),
      () => store.dueAllocations(0, { untilMs: 1, limit: 1 }),
      () => store.scanPage(1),
      () => store.registerSpace("default", "r"),
      () => store.checkKeys(),
    ];
    for (const act of acts) await expect(act(), String(act)).rejects.toThrow(CorruptItemError);
    expect(table.items()).toHaveLength(1);
  });

  it("asks once, and says of what format the keys are before it writes the first item", async () => {
    const gets: string[] = [];
    const counted = {
      ...contextOver(table, clock),
      store: contextOver(knownKeysTable(counting(table, gets)), clock).store,
    };
    await putNode(counted, "default", "n1", { labels: {} }, undefined);
    await putNode(counted, "default", "n2", { labels: {} }, undefined);
    await counted.store.readNode("default", "n3");
    expect(gets.filter((pk) => pk === "TABLE")).toHaveLength(1);
    expect(table.items()).toContainEqual(TOLD);
  });
});

function counting(under: InMemoryTable, gets: string[]) {
  return {
    get: (key: Parameters<InMemoryTable["get"]>[0]) => {
      gets.push(key.pk);
      return under.get(key);
    },
    query: (...of: Parameters<InMemoryTable["query"]>) => under.query(...of),
    scan: (...of: Parameters<InMemoryTable["scan"]>) => under.scan(...of),
    due: (...of: Parameters<InMemoryTable["due"]>) => under.due(...of),
    write: (...of: Parameters<InMemoryTable["write"]>) => under.write(...of),
  };
}
