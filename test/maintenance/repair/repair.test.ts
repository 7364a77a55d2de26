import { describe, expect, it } from "vitest";
import { EVERY_SHARD, handleHash, shardOf } from "../../../src/base/hash.ts";
import { GRACE_MS, SCHEDULED_RUN_MS_MAX } from "../../../src/base/limits.ts";
import { releaseHandle } from "../../../src/kernel/release/release-handle.ts";
import type { Allocation } from "../../../src/kernel/values/allocation.ts";
import { freshAllocationId } from "../../../src/kernel/values/fresh.ts";
import { COLLECT_DUE_MS_MAX, repair } from "../../../src/maintenance/repair/repair.ts";
import { isInSegment } from "../../../src/table/in-memory-table.ts";
import type { Item } from "../../../src/table/item.ts";
import { allocationKey, allocationPk } from "../../../src/table/key.ts";
import type { Table } from "../../../src/table/table.ts";
import { crowd } from "../../crowd.ts";
import { repairAll } from "../../scheduled-runs.ts";
import { slowTable, VirtualClock } from "../../virtual-clock.ts";
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
} from "../../world.ts";

const HANDLE = "vm";
const SHARD = shardOf(BigInt(`0x${handleHash(HANDLE)}`));
const LEASE_MS = 60_000;
/** The number of allocations of a shard that become due between two runs, if 1,000 become due each second. */
const DUE_PER_MINUTE = (1_000 * 60) / EVERY_SHARD.length;
const CALL_MS = 15;

describe("an allocation that is due", () => {
  it("is looked at though a hundred before it cannot be read", async () => {
    const world = await makeWorld();
    const told = await assigned(world.calm, { ...requestOf(HANDLE, 1), leaseSeconds: 60 });
    unreadable(world, 100);
    world.clock.nowMs += LEASE_MS + GRACE_MS + 1;
    const done = await repair(contextOver(indexOnly(world), world.clock, 3), SHARD);
    expect(done.failures).toHaveLength(100);
    expect(contentsIn(world).allocations).toEqual([]);
    expect(told.addresses).toHaveLength(1);
    world.table.partitions.delete(partition());
  });

  it("is written to once for each step of its end, and in vain never, where its lease is over", async () => {
    const world = await makeWorld();
    await assigned(world.calm, { ...requestOf(HANDLE, 1, "key"), leaseSeconds: 60 });
    world.clock.nowMs += LEASE_MS + GRACE_MS + 1;
    const writes: string[] = [];
    const noted: Table = {
      ...indexOnly(world),
      write: async (write) => {
        const result = await world.table.write(write);
        if (!write.key.pk.startsWith("SWEEP")) writes.push(`${write.step} ${result.outcome}`);
        return result;
      },
    };
    await repair(contextOver(noted, world.clock, 3), SHARD);
    expect(writes).toEqual(["expire done", "free-slots done", "settle-kept done"]);
  });

  it("is looked at within two runs where a thousand are each second", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/18", 26));
    await leases(world, DUE_PER_MINUTE);
    const time = timeOf(world);
    const slow = contextOver(slowTable(indexOnly(world), time, CALL_MS), time, 3);
    let allocations = 0;
    for (let run = 0; run < 2; run++) {
      const done = await time.run(() => repair(slow, SHARD));
      expect(done.failures).toEqual([]);
      allocations += done.allocations;
    }
    expect(allocations).toBe(DUE_PER_MINUTE);
    expect(contentsIn(world).allocations).toEqual([]);
  });

  it("is looked at in the next run where the time of one is over before it, and then those that stayed due", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/24", 26));
    await leases(world, 100);
    unreadable(world, 60);
    const time = timeOf(world);
    // Calls take so long that a run reaches 64 allocations.
    const callMs = COLLECT_DUE_MS_MAX / 4 - 1;
    const slow = contextOver(slowTable(indexOnly(world), time, callMs), time, 3);
    const looked: number[] = [];
    while (contentsIn(world).allocations.length > 0 && looked.length < 20)
      looked.push((await time.run(() => repair(slow, SHARD))).due);
    expect(looked.length).toBeLessThan(20);
    expect(contentsIn(world).blocks.flatMap(({ slots }) => [...slots.values()])).not.toContainEqual(
      expect.objectContaining({ kind: "taken" }),
    );
    world.table.partitions.delete(partition());
  });
});

describe("the walk of the repair run over the table", () => {
  it("ends in time however slow the table, and the next run goes on where it stopped", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/22", 28));
    await crowd(
      world,
      HANDLE,
      Array.from({ length: 400 }, () => ({})),
    );
    const time = timeOf(world);
    time.nowMs += GRACE_MS + 1;
    const reads = new Map<string, number>();
    const counted: Table = {
      ...tableOf(world),
      get: (key) => {
        if (key.pk.startsWith("BLOCK")) reads.set(key.sk, (reads.get(key.sk) ?? 0) + 1);
        return world.table.get(key);
      },
    };
    const slow = contextOver(slowTable(counted, time, 5_000), time, 3);
    const swept = new Set<number>();
    let items = 0;
    for (let run = 0; run < 10 && swept.size < EVERY_SHARD.length; run++)
      for (const shard of EVERY_SHARD) {
        if (swept.has(shard)) continue;
        const startedAtMs = time.nowMs;
        const done = await time.run(() => repair(slow, shard));
        // The last item can exceed the time of the run by a few calls.
        expect(time.nowMs - startedAtMs).toBeLessThanOrEqual(SCHEDULED_RUN_MS_MAX + 4 * 5_000);
        items += done.items;
        if (done.swept) swept.add(shard);
      }
    expect(swept.size).toBe(EVERY_SHARD.length);
    expect(items).toBeGreaterThanOrEqual(400);
    // The run reads the block of each of the 400 allocations once, because it meets no item twice.
    expect([...reads.values()].reduce((sum, n) => sum + n, 0)).toBeLessThan(450);
  });

  it("comes by what lies far behind as well where another version keeps how far it is", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/16", 32));
    const segment = { index: SHARD, of: EVERY_SHARD.length };
    const handles = Array.from({ length: 8_000 }, (_, n) => `vm-${n}`).filter((handle) =>
      isInSegment(
        allocationKey({ ...placeOf(""), space: SPACE, handleHash: handleHash(handle) }).pk,
        segment,
      ),
    );
    for (const [n, handle] of handles.entries())
      await assigned(world.calm, { ...requestOf(handle, 1), host: `host:node-${n % 50}` });
    const kept: Item = { pk: "SWEEP", sk: String(SHARD), f: 2 };
    world.table.partitions.set("SWEEP", new Map([[kept.sk, kept]]));
    const looked = new Set<string>();
    const writes: string[] = [];
    const time = timeOf(world);
    time.nowMs += GRACE_MS + 1;
    const slow: Table = {
      ...tableOf(world),
      scan: async (limit, options) => {
        await time.sleep(10);
        return world.table.scan(limit, options);
      },
      get: async (key) => {
        if (key.pk.startsWith("BLOCK")) {
          await time.sleep(3_000);
          looked.add(key.sk);
        }
        return world.table.get(key);
      },
      write: (write) => {
        writes.push(write.step);
        return world.table.write(write);
      },
    };
    const seen: number[] = [];
    for (let run = 0; run < 6; run++) {
      const startedAtMs = time.nowMs;
      const done = await time.run(() => repair(contextOver(slow, time, run), SHARD));
      expect(done.failures.map(String)).toEqual([
        expect.stringContaining("progress of the repair run"),
      ]);
      expect(time.nowMs - startedAtMs).toBeLessThanOrEqual(SCHEDULED_RUN_MS_MAX + 4 * 3_000);
      seen.push(looked.size);
    }
    // A run reaches a part of the segment, and the next runs reach other parts.
    expect(seen[0]).toBeLessThan(handles.length);
    expect(seen).toEqual([...new Set(seen)]);
    expect(world.table.partitions.get("SWEEP")?.get(kept.sk)).toBe(kept);
    expect(writes).toEqual([]);
    world.table.partitions.delete("SWEEP");
  });

  it("costs a live allocation that is held one eventually consistent read, and no more", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/24", 28));
    await crowd(
      world,
      HANDLE,
      Array.from({ length: 100 }, () => ({})),
    );
    world.clock.nowMs += GRACE_MS + 1;
    const calls: string[] = [];
    const noted: Table = {
      ...tableOf(world),
      get: (key, options) => {
        calls.push(`get ${key.pk.split("#")[0]} ${options?.consistent}`);
        return world.table.get(key);
      },
      write: (write) => {
        calls.push(write.step);
        return world.table.write(write);
      },
    };
    await repairAll(contextOver(noted, world.clock, 3));
    const of = (call: string) => calls.filter((one) => one === call).length;
    const { affinities } = contentsIn(world);
    expect(of("get BLOCK false")).toBe(100 + affinities.length);
    expect(new Set(calls)).toEqual(
      new Set(["get SWEEP false", "get BLOCK false", "write-progress"]),
    );
  });

  /** Assigns each address of a block of 64 to another host. `sweep` runs the repair and counts its reads of allocations. */
  async function lentBlock() {
    const world = await makeWorld(poolOf("10.0.0.0/26", 26));
    for (let n = 0; n < 64; n++)
      await assigned(world.calm, { ...requestOf(`pod-${n}`, 1), host: `host:node-${n}` });
    expect(contentsIn(world).borrowedBlocks).toHaveLength(63);
    return {
      world,
      async sweep() {
        world.clock.nowMs += 10 * GRACE_MS;
        let reads = 0;
        const counted: Table = {
          ...tableOf(world),
          query: (pk, options) => {
            if (pk.startsWith("HANDLE#")) reads++;
            return world.table.query(pk, options);
          },
          // The table has one segment, so that one run walks over all items.
          scan: (limit, { after } = {}) => world.table.scan(limit, { after }),
        };
        const done = await repair(contextOver(counted, world.clock, 3), 0);
        return { ...done, reads };
      },
    };
  }

  it("reads the allocation of a slot once for all borrowed blocks of its block", async () => {
    const { world, sweep } = await lentBlock();
    // The release leaves one borrowed block that nothing needs.
    await releaseHandle(world.calm, SPACE, "pod-63");
    const { reads, ...done } = await sweep();
    expect(done).toMatchObject({ borrowedBlocksDeleted: 1, failures: [] });
    expect(contentsIn(world).borrowedBlocks).toHaveLength(62);
    expect(reads).toBeLessThanOrEqual(64);
  });

  it("reads the others once beside one that nobody can read, and keeps the borrowed block that may be its", async () => {
    const { world, sweep } = await lentBlock();
    const key = allocationPk(SPACE, handleHash("pod-63"));
    const [sk, item] = [...(world.table.partitions.get(key) ?? [])][0] ?? [];
    if (sk === undefined || !item) throw new Error("no allocation");
    world.table.partitions.get(key)?.set(sk, { ...item, f: 99 });
    const { reads, ...done } = await sweep();
    expect(done.failures.length).toBeGreaterThan(0);
    expect(contentsIn(world).borrowedBlocks).toHaveLength(63);
    // The unreadable allocation is the only one of its handle. The run looks for it again with each borrowed block that may be its.
    expect(reads).toBeLessThanOrEqual(63 + 63);
    world.table.partitions.get(key)?.set(sk, item);
  });

  it("gives a host the affinity of a block back that it has lost, also of an old one that is in use", async () => {
    const world = await makeWorld();
    await assigned(world.calm, requestOf("pod", 1));
    for (const partition of world.table.partitions.values())
      for (const sk of partition.keys()) if (sk.startsWith("AFFINITY#")) partition.delete(sk);
    expect(contentsIn(world).affinities).toEqual([]);
    world.clock.nowMs += 100 * GRACE_MS;
    expect(await repairAll(world.calm)).toMatchObject({ affinities: 1 });
    expect(contentsIn(world).affinities).toMatchObject([
      { host: "host:node-1", state: "confirmed" },
    ]);
  });
});

const timeOf = ({ clock }: World): VirtualClock => new VirtualClock(clock.nowMs);

/** Returns a table whose scan is empty, so that the repair run finds its work by the index alone. */
const indexOnly = (world: World): Table => ({
  ...tableOf(world),
  scan: async () => ({ items: [] }),
});

const partition = () => allocationKey(placeOf("")).pk;
const placeOf = (id: string) => ({
  space: "other",
  handleHash: handleHash(HANDLE),
  id,
  keyed: false,
});

/** Writes `count` allocations in the format of another version that are due before all others. */
function unreadable({ table, calm, clock }: World, count: number): void {
  for (let n = 0; n < count; n++) {
    const key = allocationKey(placeOf(freshAllocationId(clock.nowMs, calm.random)));
    const item: Item = { ...key, f: 99, dueShard: `DUE#${SHARD}`, dueAt: n + 1 };
    table.partitions.set(key.pk, (table.partitions.get(key.pk) ?? new Map()).set(key.sk, item));
  }
}

/** Creates `count` allocations of one handle, each with an address, and lets their leases expire. */
async function leases(world: World, count: number): Promise<void> {
  const { calm, clock } = world;
  const occupied = await crowd(
    world,
    HANDLE,
    Array.from({ length: count }, () => ({})),
  );
  for (const { allocation } of occupied) {
    const leased: Allocation = { ...allocation, expiresAtMs: clock.nowMs + LEASE_MS };
    await calm.store.changeAllocation("amend", allocation, leased);
  }
  clock.nowMs += LEASE_MS + GRACE_MS + 1;
}
