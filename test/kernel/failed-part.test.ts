import { describe, expect, it } from "vitest";
import { EVERY_SHARD } from "../../src/base/hash.ts";
import { GRACE_MS } from "../../src/base/limits.ts";
import { ThrottledError } from "../../src/base/outcome.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { takenIn } from "../../src/kernel/values/block.ts";
import { repair } from "../../src/maintenance/repair/repair.ts";
import type { Item } from "../../src/table/item.ts";
import type { Table } from "../../src/table/table.ts";
import {
  assigned,
  contentsIn,
  contextOver,
  makeWorld,
  poolOf,
  requestOf,
  SPACE,
  tableOf,
  type World,
} from "../world.ts";

const ADDRESSES = 16;
const PER_BLOCK = 2;

/** Proves that a request of which one block fails finishes each other block once, and names it in the answer. */
describe("where one block of a request cannot be read", () => {
  it.each([
    ["with a key", "key"],
    ["without a key", undefined],
  ])("its release frees all others, and says which they are: a request %s", async (_, key) => {
    const { world, told, mend } = await withBlockOfAnotherVersion(key);
    const first = await releaseHandle(world.calm, SPACE, "pod");
    expect(first.released).toHaveLength(ADDRESSES - PER_BLOCK);
    expect(first).toMatchObject({ complete: false, unreadable: { length: 1 } });
    expect(await releaseHandle(world.calm, SPACE, "pod")).toMatchObject({
      released: [],
      complete: false,
      unreadable: { length: 1 },
    });
    mend();
    const last = await releaseHandle(world.calm, SPACE, "pod");
    expect(last.complete).toBe(true);
    const all = told.addresses.map(({ address }) => address);
    expect([...first.released, ...last.released].sort()).toEqual(all.sort());
  });

  it("its release that is repeated asks for nothing of the blocks that it has finished", async () => {
    const { world, mend } = await withBlockOfAnotherVersion("key");
    await releaseHandle(world.calm, SPACE, "pod");
    const { written, steps } = noting(world);
    await releaseHandle(contextOver(written, world.clock), SPACE, "pod");
    expect(steps.filter((step) => step.includes("BLOCK"))).toHaveLength(1);
    mend();
  });

  it.each(["released", "cut off before its answer", "leased, and its lease is over"] as const)(
    "the repair run finishes each other block once: a request that was %s",
    async (what) => {
      const { world, mend } =
        what === "leased, and its lease is over"
          ? await withBlockOfAnotherVersion("key", 30)
          : await withBlockOfAnotherVersion("key");
      if (what !== "leased, and its lease is over")
        changeAllocation(world, { state: what === "released" ? "released" : "pending" });
      world.clock.nowMs += 2 * GRACE_MS;
      await repairDue(contextOver(indexOnly(world), world.clock, 3));
      expect(contentsIn(world).allocations).toMatchObject([{ parts: { length: 1 } }]);
      expect(contentsIn(world).blocks.reduce((sum, block) => sum + takenIn(block), 0)).toBe(0);
      const { written, steps } = noting(world);
      for (let run = 0; run < 3; run++) {
        world.clock.nowMs += GRACE_MS + 1;
        const failures = await repairDue(
          contextOver({ ...written, scan: async () => ({ items: [] }) }, world.clock, run),
        );
        expect(failures.map(String)).toEqual([expect.stringContaining("block 10.0.0.")]);
      }
      // Each run tries the unreadable block alone, and writes nothing else but its progress.
      expect(steps.filter((step) => !step.startsWith("write-progress"))).toHaveLength(3);
      mend();
      world.clock.nowMs += GRACE_MS + 1;
      await repairDue(contextOver(indexOnly(world), world.clock, 3));
      expect(contentsIn(world).blocks.reduce((sum, block) => sum + takenIn(block), 0)).toBe(0);
    },
  );
});

it("where the database throttles one block of a request, its release says what it freed besides", async () => {
  const world = await makeWorld(poolOf("10.0.0.0/25", 31));
  const told = await assigned(world.calm, requestOf("pod", ADDRESSES));
  const hot = told.addresses[0]?.block.split("/")[0];
  const rejecting: Table = {
    ...tableOf(world),
    write: async (write) => {
      if (write.key.sk === hot) throw new ThrottledError("for now");
      return world.table.write(write);
    },
  };
  const first = await releaseHandle(contextOver(rejecting, world.clock), SPACE, "pod");
  expect(first.released).toHaveLength(ADDRESSES - PER_BLOCK);
  expect(first.complete).toBe(false);
  const last = await releaseHandle(world.calm, SPACE, "pod");
  expect(last).toMatchObject({ complete: true, released: { length: PER_BLOCK } });
});

/** Assigns addresses of several blocks and gives one block the format of another version; `mend` restores it. */
async function withBlockOfAnotherVersion(key?: string, leaseSeconds?: number) {
  const world = await makeWorld(poolOf("10.0.0.0/25", 31));
  const told = await assigned(world.calm, {
    ...requestOf("pod", ADDRESSES, key),
    ...(leaseSeconds && { leaseSeconds }),
  });
  const blocks = [...world.table.partitions].find(([pk]) => pk.startsWith("BLOCK#"))?.[1];
  const [sk, item] = [...(blocks ?? [])][3] as [string, Item];
  blocks?.set(sk, { ...item, f: 99 });
  return { world, told, mend: () => blocks?.set(sk, item) };
}

/** Changes the allocation to what a function that was cut off left behind, and makes it due. */
function changeAllocation({ table }: World, change: { readonly state: string }): void {
  for (const [pk, partition] of table.partitions)
    if (pk.startsWith("HANDLE#"))
      for (const [sk, item] of partition)
        partition.set(sk, {
          ...item,
          ...change,
          dueAt: 1,
          dueShard: "DUE#0",
        } as Item);
}

/** Returns a table that notes the step and the kind of item of each write, and its notes. */
function noting(world: World) {
  const steps: string[] = [];
  const written: Table = {
    ...tableOf(world),
    write: (write) => {
      steps.push(`${write.step} ${write.key.pk.split("#")[0]}`);
      return world.table.write(write);
    },
  };
  return { written, steps };
}

const indexOnly = (world: World): Table => ({
  ...tableOf(world),
  scan: async () => ({ items: [] }),
});

/** Runs the repair of every shard, and returns its failures. */
async function repairDue(context: ReturnType<typeof contextOver>): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  for (const shard of EVERY_SHARD) failures.push(...(await repair(context, shard)).failures);
  return failures;
}
