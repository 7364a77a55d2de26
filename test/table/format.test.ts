import { describe, expect, it } from "vitest";
import { contentsOf } from "../../src/store/contents.ts";
import { makeStore } from "../../src/store/stack.ts";
import { formattedTable } from "../../src/table/format.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import type { Item } from "../../src/table/item.ts";
import type { Change, Write } from "../../src/table/table.ts";
import { blockWith, network } from "../builders.ts";

const KEY = { pk: "VERSION#default", sk: "VERSION" };
const NEWER = { ...KEY, version: "v1", f: 2 };

const write = (change: Change, ...when: Write["when"]): Write => ({
  step: "test",
  key: KEY,
  when,
  change,
});

function tableWith(...items: Item[]) {
  const table = new InMemoryTable();
  for (const item of items) table.partitions.set(item.pk, new Map([[item.sk, item]]));
  return table;
}

describe("a write", () => {
  it("gives its item the format, also where an update makes it", async () => {
    const table = tableWith();
    await formattedTable(table).write(write({ kind: "update", set: [[["version"], "v1"]] }));
    expect(await table.get(KEY)).toEqual({ ...KEY, version: "v1", f: 1 });
    await formattedTable(table).write(write({ kind: "update", set: [[["version"], "v2"]] }));
    expect(await table.get(KEY)).toEqual({ ...KEY, version: "v2", f: 1 });
    await formattedTable(table).write(write({ kind: "put", item: { ...KEY, version: "v3" } }));
    expect(await table.get(KEY)).toEqual({ ...KEY, version: "v3", f: 1 });
  });

  it.each<Change>([
    { kind: "put", item: { ...KEY, version: "v2" } },
    { kind: "update", set: [[["version"], "v2"]] },
    { kind: "delete" },
  ])("of another format's item is rejected, whatever its own condition: %j", async (change) => {
    const table = tableWith(NEWER);
    const outcome = await formattedTable(table).write(write(change));
    expect(outcome).toEqual({ outcome: "lost", item: NEWER });
    expect(await table.get(KEY)).toBe(NEWER);
  });

  it("of what is of no kind is a mistake of ours", () => {
    const key = { pk: "UNHEARD", sk: "OF" };
    const change = { kind: "put", item: key } as const;
    expect(() =>
      formattedTable(tableWith()).write({ step: "test", key, when: [], change }),
    ).toThrow("of no kind");
  });
});

describe("a block", () => {
  const block = blockWith({}, { cidr: network("10.0.0.0/26") });

  it("without an epoch is not written, and where it stands it is corrupt", async () => {
    const table = new InMemoryTable();
    const store = makeStore(table);
    await expect(store.createBlock({ ...block, epoch: "" })).rejects.toThrow("it has no epoch");
    await store.createBlock(block);
    const [item] = table.items() as [Item];
    const { epoch: _, ...bare } = item;
    table.partitions.get(item.pk)?.set(item.sk, bare as Item);
    await expect(store.readBlock(block.space, block.cidr)).rejects.toThrow(
      "the item of block 10.0.0.0 cannot be read: its epoch is no text",
    );
  });

  it("that cannot be read stands where it stands, and says why", async () => {
    const table = new InMemoryTable();
    const store = makeStore(table);
    await store.createBlock(block);
    const [item] = table.items() as [Item];
    table.partitions.get(item.pk)?.set(item.sk, { ...item, f: 99 });
    const group = { family: 4, base: 0x0a000000n, prefix: 20 } as const;
    const [current] = await store.scanGroup(block.space, group, { consistent: true });
    expect(current).toMatchObject({ cidr: block.cidr, unreadable: { members: { format: 99 } } });
  });
});

it("an item of no kind is reported, as any that cannot be read", () => {
  const { unreadable } = contentsOf([{ pk: "UNHEARD#default", sk: "OF" }]);
  expect(unreadable).toEqual([
    {
      key: "UNHEARD#default OF",
      reason: "the item of UNHEARD#default OF is of no kind that is known",
    },
  ]);
});
