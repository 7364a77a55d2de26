import { describe, expect, test } from "vitest";
import { ThrottledError } from "../../src/base/outcome.ts";
import type { Item } from "../../src/table/item.ts";
import type { Write } from "../../src/table/table.ts";
import { itemBytes } from "../store/item-bytes.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { LargeTable } from "./large-table.ts";
import { CALL_MS, PAGE_BYTES_MAX, PARTITION_WRITE_UNITS_PER_S } from "./model.ts";
import { ModelledTable } from "./modelled-table.ts";

const KILOBYTE = 1_024;

function world() {
  const clock = new VirtualClock(0);
  const items = new LargeTable();
  return { clock, items, table: new ModelledTable(clock, items) };
}

/** Returns an item of about this many bytes. */
const itemOf = (pk: string, sk: string, bytes = 100): Item => ({
  pk,
  sk,
  filler: "x".repeat(bytes),
});

const put = (item: Item): Write => ({
  step: "put",
  key: item,
  when: [],
  change: { kind: "put", item },
});

describe("units", () => {
  test("a consistent read costs a unit for each 4 KB, an eventually consistent one half", async () => {
    const { clock, items, table } = world();
    for (let i = 0; i < 10; i++) items.put(itemOf("A", String(i), KILOBYTE));
    await clock.run(async () => {
      await table.query("A", {});
      expect(table.capacity.of("A").readUnits).toBe(3);
      await table.query("A", { consistent: false });
      expect(table.capacity.of("A").readUnits).toBe(4.5);
      await table.get({ pk: "A", sk: "nothing there" });
      expect(table.capacity.of("A").readUnits).toBe(5.5);
    });
  });

  test("a write costs a unit for each kilobyte of the larger of what stood there and what stands after it", async () => {
    const { clock, table } = world();
    await clock.run(async () => {
      await table.write(put(itemOf("A", "1", 3 * KILOBYTE)));
      expect(table.capacity.of("A").writeUnits).toBe(4);
      await table.write(put(itemOf("A", "1", 10)));
      expect(table.capacity.of("A").writeUnits).toBe(8);
      await table.write(put(itemOf("A", "1", 10)));
      expect(table.capacity.of("A").writeUnits).toBe(9);
    });
  });

  test("a change of when an item is due is a write of the index as well", async () => {
    const { clock, table } = world();
    await clock.run(async () => {
      await table.write(put({ ...itemOf("A", "1"), dueShard: "DUE#1", dueAt: 5 }));
      await table.write(put({ ...itemOf("A", "1"), dueShard: "DUE#1", dueAt: 5, other: true }));
      await table.write(put({ ...itemOf("A", "1"), dueShard: "DUE#2", dueAt: 6 }));
    });
    expect(table.capacity.of("DUE#1").writeUnits).toBe(2);
    expect(table.capacity.of("DUE#2").writeUnits).toBe(1);
  });
});

describe("throttling", () => {
  test("a partition that has given its units rejects, and nothing is done; a second later it gives again", async () => {
    const { clock, items, table } = world();
    const results = await clock.run(() =>
      Promise.allSettled(
        Array.from({ length: 1_500 }, (_, i) => table.write(put(itemOf("A", String(i))))),
      ),
    );
    const refused = results.filter(({ status }) => status === "rejected");
    expect(results.length - refused.length).toBe(PARTITION_WRITE_UNITS_PER_S);
    expect(
      refused.every((each) => each.status === "rejected" && each.reason instanceof ThrottledError),
    ).toBe(true);
    expect(items.partition("A")?.size).toBe(PARTITION_WRITE_UNITS_PER_S);
    expect(table.capacity.of("A").throttled).toBe(refused.length);
    await clock.run(async () => {
      await clock.sleep(1_000);
      await table.write(put(itemOf("A", "after a second")));
    });
    expect(items.get({ pk: "A", sk: "after a second" })).toBeDefined();
  });

  test("one partition takes nothing from another", async () => {
    const { clock, table } = world();
    await clock.run(() =>
      Promise.all(
        Array.from({ length: 5_000 }, (_, i) => table.write(put(itemOf(`P${i % 10}`, String(i))))),
      ),
    );
    expect(table.capacity.total()).toMatchObject({ calls: 5_000, writeUnits: 5_000, throttled: 0 });
  });
});

describe("pages", () => {
  test("a page ends at a megabyte, and the next goes on where it ended", async () => {
    const { clock, items, table } = world();
    for (let i = 0; i < 300; i++) items.put(itemOf("A", String(i).padStart(3, "0"), 10 * KILOBYTE));
    await clock.run(async () => {
      const sizes: number[] = [];
      let after: string | undefined;
      for (let more = true; more; ) {
        const { value, bytes } = await table.query("A", after === undefined ? {} : { after });
        sizes.push(value.items.length);
        expect(bytes).toBeLessThan(PAGE_BYTES_MAX + 11 * KILOBYTE);
        after = value.items.at(-1)?.sk;
        more = value.more;
      }
      expect(sizes).toEqual([103, 103, 94]);
    });
  });

  test("a page of a megabyte takes longer than an item", async () => {
    const { clock, items, table } = world();
    for (let i = 0; i < 200; i++) items.put(itemOf("A", String(i), 10 * KILOBYTE));
    await clock.run(() => table.get({ pk: "A", sk: "1" }));
    expect(clock.nowMs).toBe(CALL_MS);
    await clock.run(() => table.query("A", {}));
    expect(clock.nowMs).toBeGreaterThan(40);
  });
});

test("a deletion returns the item as it was, if it asks for it", async () => {
  const { clock, items, table } = world();
  const item = itemOf("A", "1");
  items.put(item);
  const change = { kind: "delete", returnsOld: true } as const;
  await clock.run(async () => {
    const { value } = await table.write({ step: "delete", key: item, when: [], change });
    expect(value).toEqual({ outcome: "done", item });
  });
});

test("an item has the size that DynamoDB counts", () => {
  // 2 + 1, 2 + 1, and a map: 5 + 3 + (1 + 1 + 20).
  const slots = { 7: new Uint8Array(20) };
  expect(itemBytes({ pk: "A", sk: "B", slots })).toBe(3 + 3 + 5 + 3 + 22);
  // A number has a byte, and one for each two digits.
  expect(itemBytes({ pk: "A", sk: "B", n: 1_700_000_000_001 })).toBe(3 + 3 + 1 + 8);
});
