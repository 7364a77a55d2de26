import { describe, expect, it } from "vitest";
import { EVERY_SHARD } from "../../src/base/hash.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import { withCalls } from "../../src/kernel/core/store.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { isOver } from "../../src/kernel/values/allocation.ts";
import { putSettings } from "../../src/nouns/pool/operations/administration.ts";
import { SETTINGS_DEFAULT } from "../../src/nouns/settings/settings.ts";
import { makeStore } from "../../src/store/stack.ts";
import { reclaimAll, repairAll } from "../scheduled-runs.ts";
import { withMishap } from "../simulation/crash-points.ts";
import {
  addressOf,
  assigned,
  contentsIn,
  contextOver,
  makeWorld,
  poolNamed,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  scheduledRuns,
} from "../world.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

describe("the reclaimer", () => {
  it("goes on in its next scheduled run where it had to stop", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/16", 28)); // The pool has 64 block groups.
    const { calm, clock } = world;
    for (let n = 0; n < 40; n++)
      await assigned(calm, { ...requestOf(`pod-${n}`, 1), host: `host:node-${n}` });
    // Each call takes 1 s, so that the time of a scheduled run ends before it has read all block groups.
    const slow = {
      ...calm,
      now: () => clock.nowMs++ + calls * 1000,
      store: makeStore(world.table),
    };
    let calls = 0;
    const counting = new Proxy(slow.store, {
      get: (store, name) => {
        calls++;
        return Reflect.get(store, name);
      },
    });
    let groups = 0;
    for (let round = 0; round < 12; round++) {
      calls = 0;
      const done = await reclaimAll({ ...slow, store: counting });
      groups += done.groups;
      const { items: spaces } = await calm.store.listSpaces();
      if (spaces.every(({ position }) => position === undefined)) break;
    }
    const { groups: current } = await calm.store.readBlockGroupIndex(
      SPACE,
      (await poolNamed(world)).id,
      {
        consistent: true,
      },
    );
    expect(current.size).toBeGreaterThan(10);
    expect(groups).toBe(current.size);
  });

  it("judges each block group by the cooldown of its own time, however long the scheduled run (I9)", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/16", 28), { cooldownSeconds: 0 });
    const { calm, clock } = world;
    const at = (address: string, handle: string) =>
      assigned(calm, { ...requestOf(handle, 1), addresses: [addressOf(address)] });
    await at("10.0.0.1", "first");
    const later = await at("10.0.200.1", "later");
    let groups = 0;
    const scanGroup: typeof calm.store.scanGroup = async (...look) => {
      if (++groups === 2) {
        // The operator sets a cooldown during the scheduled run. The release of an address follows once the cooldown is in force.
        const { settingsRevision } = await calm.store.readSpace(SPACE);
        const settings = { ...SETTINGS_DEFAULT, cooldownSeconds: 1200 };
        const operator = contextOver(world.table, clock, 8);
        await putSettings(operator, SPACE, settings, settingsRevision);
        clock.nowMs += 30_000;
        await releaseAll(operator, later);
      }
      return calm.store.scanGroup(...look);
    };
    await reclaimAll({ ...calm, store: withCalls(calm.store, { scanGroup }) });
    expect(groups).toBe(2);
    const block = contentsIn(world).blocks.find(({ slots }) => slots.has(1) && slots.size === 1);
    expect([...contentsIn(world).blocks].flatMap(({ slots }) => [...slots.values()])).toMatchObject(
      [{ kind: "taken" }, { kind: "cooling" }],
    );
    expect(block?.idleSinceMs).toBeUndefined();
  });

  it("takes back the hint that a block group is full when one of its blocks is gone", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/31", 31));
    const { calm } = world;
    await assigned(calm, requestOf("pod", 2));
    const other = { ...requestOf("other", 1), host: "host:node-2" } as const;
    expect(await assign(calm, other)).toMatchObject({ code: "pool_exhausted" });
    const full = async () =>
      (
        await calm.store.readBlockGroupIndex(SPACE, (await poolNamed(world)).id, {
          consistent: true,
        })
      ).full.size;
    expect(await full()).toBe(1);
    await releaseHandle(calm, SPACE, "pod");
    await scheduledRuns(world, 2);
    expect(await full()).toBe(0);
    expect(await assign(calm, other)).toMatchObject({ handle: "other" });
  });
});

describe("the repair run", () => {
  it("deletes an allocation whose function died before it took a slot, and its slot was never lost", async () => {
    const world = await makeWorld();
    await assigned(world.calm, requestOf("kept", 1));
    await withMishap(world.table, 3, "killed after the call", (own) =>
      assign(contextOver(own, world.clock, 2), requestOf("dead", 1)),
    );
    expect(contentsIn(world).allocations).toHaveLength(2);
    world.clock.nowMs += 100_000;
    expect(await repairAll(world.calm)).toMatchObject({ allocationsDeleted: 1, swept: true });
    expect(contentsIn(world).allocations.map(({ handle }) => handle)).toEqual(["kept"]);
  });

  it("leaves a young allocation alone: its author may be at work", async () => {
    const world = await makeWorld();
    await withMishap(world.table, 4, "killed after the call", (own) =>
      assign(contextOver(own, world.clock, 2), requestOf("dead", 1)),
    );
    expect(await repairAll(world.calm)).toMatchObject({ allocationsDeleted: 0 });
  });

  it("keeps a released keyed allocation for a day, then deletes it", async () => {
    const world = await makeWorld();
    await releaseAll(world.calm, await assigned(world.calm, requestOf("pod", 1, "key")));
    world.clock.nowMs += DAY_MS - 1000;
    await repairAll(world.calm);
    expect(contentsIn(world).allocations.map(isOver)).toEqual([true]);
    world.clock.nowMs += 2000;
    await repairAll(world.calm);
    expect(contentsIn(world).allocations).toEqual([]);
  });

  it("takes an allocation that is still held in part out of the due index", async () => {
    const { calm, clock } = await makeWorld();
    const told = await assigned(calm, requestOf("pod", 2, "key"));
    await releaseAll(calm, { ...told, addresses: told.addresses.slice(0, 1) });
    clock.nowMs += DAY_MS + 1000;
    const due = async () => {
      const page = { untilMs: clock.nowMs, limit: 10 };
      const shards = EVERY_SHARD.map((shard) => calm.store.dueAllocations(shard, page));
      return (await Promise.all(shards)).flat().length;
    };
    expect(await due()).toBe(1);
    await repairAll(calm);
    expect(await due()).toBe(0);
    expect(await releaseAll(calm, { ...told, addresses: told.addresses.slice(1) })).toMatchObject([
      { status: "released" },
    ]);
  });
});
