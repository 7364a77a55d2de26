import { expect, it } from "vitest";
import { findViolations } from "../../src/invariants/invariants.ts";
import type { Item, Value } from "../../src/table/item.ts";
import { assigned, makeWorld, requestOf, type World } from "../world.ts";
import { readingOnce } from "./reading.ts";

const found = (violations: ReturnType<typeof findViolations>) =>
  violations.map(({ invariant }) => invariant);

it("a wrong item is seen as soon as it replaces a right one, and only as long as it is there", async () => {
  const world = await makeWorld();
  await assigned(world.calm, requestOf("web", 1));
  const read = readingOnce();
  const check = () => found(findViolations(read(world.table.items())));
  expect(check()).toEqual([]);

  const block = itemOf(world, "BLOCK#");
  const [[ordinal, tag] = []] = Object.entries(block.slots as Readonly<Record<string, Value>>);
  const other = String(1 - Number(ordinal));
  replace(world, { ...block, slots: { [String(ordinal)]: tag as Value, [other]: tag as Value } });
  expect(check()).toEqual(["I8"]);

  replace(world, block);
  expect(check()).toEqual([]);
});

it("an item that is gone is not read any more, though those that name it are known", async () => {
  const world = await makeWorld();
  await assigned(world.calm, requestOf("web", 1));
  const read = readingOnce();
  const check = () => found(findViolations(read(world.table.items())));
  expect(check()).toEqual([]);

  const allocation = itemOf(world, "HANDLE#");
  world.table.partitions.get(allocation.pk)?.delete(allocation.sk);
  expect(check()).toEqual(["I3"]);

  replace(world, allocation);
  expect(check()).toEqual([]);
});

function itemOf({ table }: World, head: string): Item {
  const item = table.items().find(({ pk }) => pk.startsWith(head));
  if (!item) throw new Error(`there is no item ${head}`);
  return item;
}

const replace = ({ table }: World, item: Item) => table.partitions.get(item.pk)?.set(item.sk, item);
