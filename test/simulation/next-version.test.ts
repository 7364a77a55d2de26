import { describe, expect, it } from "vitest";
import { CorruptItemError } from "../../src/base/outcome.ts";
import { parseCidr } from "../../src/net/cidr.ts";
import { assigned, contextOver, makeWorld, requestOf, SPACE } from "../world.ts";
import { nextVersionTable } from "./next-version.ts";

describe("the next version", () => {
  it("adds an attribute to what it writes, which this version reads", async () => {
    const world = await makeWorld();
    const next = contextOver(nextVersionTable(world.table, {}), world.clock);
    const { addresses } = await assigned(next, requestOf("pod", 1));
    const blocks = world.table.items().filter(({ pk }) => pk.startsWith("BLOCK#"));
    expect(blocks.map(({ next: added }) => added)).toEqual([1]);
    const others = await assigned(world.calm, requestOf("other", 1));
    expect(others.addresses[0]?.address).not.toBe(addresses[0]?.address);
  });

  it("reads no item of this version of the kind whose format it raises, nor this version an item of it", async () => {
    const world = await makeWorld();
    const next = contextOver(nextVersionTable(world.table, { raised: "BLOCK" }), world.clock);
    const { addresses } = await assigned(world.calm, requestOf("pod", 1));
    const cidr = parseCidr(String(addresses[0]?.block));
    if (!cidr.ok) throw new Error(cidr.problem);
    const blockOf = ({ store }: typeof next) => store.readBlock(SPACE, cidr.value);
    await expect(blockOf(next)).rejects.toBeInstanceOf(CorruptItemError);
    for (const item of world.table.items())
      if (item.pk.startsWith("BLOCK#"))
        world.table.partitions.get(item.pk)?.set(item.sk, { ...item, f: Number(item.f) + 1 });
    expect(await blockOf(next)).toMatchObject({ cidr: cidr.value });
    await expect(blockOf(world.calm)).rejects.toBeInstanceOf(CorruptItemError);
    world.table.partitions.clear();
  });
});
