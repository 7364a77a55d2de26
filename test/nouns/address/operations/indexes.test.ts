import { describe, expect, it } from "vitest";
import { GRACE_MS } from "../../../../src/base/limits.ts";
import { ContentionError } from "../../../../src/base/outcome.ts";
import { assign } from "../../../../src/kernel/assign/assign.ts";
import { releaseHandle } from "../../../../src/kernel/release/release-handle.ts";
import { INDEX_SETTLE_MS } from "../../../../src/kernel/values/limits.ts";
import { repairIndexed } from "../../../../src/maintenance/repair/index-entry.ts";
import { listAddresses } from "../../../../src/nouns/address/operations/list-addresses.ts";
import type { Table } from "../../../../src/table/table.ts";
import { buildIndexes, ofTenant, searchTenant, setIndexes, textsIn } from "../../../indexes.ts";
import { instanceRequest, podOf, releaseOf } from "../../../instances.ts";
import { sweepAll } from "../../../scheduled-runs.ts";
import {
  assigned,
  contentsIn,
  contextOver,
  makeWorld,
  poolOf,
  releaseAll,
  SPACE,
  tableOf,
  type World,
} from "../../../world.ts";

const entriesIn = (world: World) => contentsIn(world).indexEntries;

/** Returns a world with a complete index of the tenant. */
async function indexedWorld(): Promise<World> {
  const world = await makeWorld(poolOf("10.0.0.0/24", 28));
  await setIndexes(world.calm, ["tenant"]);
  await buildIndexes(world);
  return world;
}

describe("a search by an indexed attribute", () => {
  it("reads the entries of the value, and the allocations and blocks that they name", async () => {
    const { calm } = await indexedWorld();
    const [red] = [await assigned(calm, ofTenant("web-0", "red", { count: 2 }))];
    for (let n = 1; n <= 4; n++) await assigned(calm, ofTenant(`web-${n}`, "blue"));
    const found = await searchTenant(calm, "red");
    expect(found.read).toEqual({
      by: "attribute",
      attribute: "tenant",
      entries: 1,
      allocations: 1,
      blocks: 1,
    });
    expect(textsIn(found)).toEqual(red?.addresses.map(({ address }) => address).sort());
  });

  it("finds the same addresses in pages, and filters them by the other conditions", async () => {
    const { calm } = await indexedWorld();
    for (let n = 0; n < 20; n++) {
      const request = ofTenant(`web-${n}`, "red", { count: 1 + (n % 3) });
      await assigned(calm, { ...request, host: n % 2 ? "host:node-1" : "host:node-2" });
    }
    const all = await searchTenant(calm, "red", { limit: 1_000 });
    const paged: string[] = [];
    let position: Awaited<ReturnType<typeof searchTenant>>["next"];
    do {
      const page = await searchTenant(calm, "red", { limit: 2, position });
      paged.push(...page.items.map(({ address }) => address));
      position = page.next;
    } while (position);
    expect(paged).toEqual(all.items.map(({ address }) => address));
    expect(paged).toHaveLength(39);
    const none = await searchTenant(calm, "red", { state: "cooling" });
    expect([none.items, none.read.by]).toEqual([[], "attribute"]);
  });

  it("gives way to the handle, the host and a network in one block, which are narrower", async () => {
    const { calm } = await indexedWorld();
    await assigned(calm, ofTenant("web-0", "red"));
    const by = async (asked: object) => (await searchTenant(calm, "red", asked)).read.by;
    expect(await by({ handle: "web-0" })).toBe("handle");
    expect(await by({ host: "host:node-1" })).toBe("host");
    expect(await by({ cidr: poolOf("10.0.0.16/29", 28).cidr })).toBe("cidr");
    expect(await by({ cidr: poolOf("10.0.0.0/8", 28).cidr })).toBe("attribute");
    expect(await by({ attributes: { pod: "web-0" } })).toBe("space");
  });

  it("filters until a walk has entered all that was assigned before, and says so", async () => {
    const world = await makeWorld();
    const { calm, clock } = world;
    await assigned(calm, ofTenant("early", "red"));
    await setIndexes(calm, ["tenant"]);
    await assigned(calm, ofTenant("late", "red"));
    await sweepAll(calm);
    const building = await searchTenant(calm, "red");
    expect([building.read.by, building.read.building]).toEqual(["space", "tenant"]);
    clock.nowMs += INDEX_SETTLE_MS;
    await sweepAll(calm);
    await sweepAll(calm);
    const complete = await searchTenant(calm, "red");
    expect([complete.read.by, complete.read.building]).toEqual(["attribute", undefined]);
    expect(textsIn(complete)).toEqual(textsIn(building));
    expect(entriesIn(world)).toHaveLength(2);
  });

  it("goes on with blocks if it began with them, and not in an index that was removed", async () => {
    const world = await makeWorld();
    const { calm } = world;
    for (let n = 0; n < 4; n++) await assigned(calm, ofTenant(`web-${n}`, "red"));
    const first = await searchTenant(calm, "red", { limit: 2 });
    await setIndexes(calm, ["tenant"]);
    await buildIndexes(world);
    const second = await searchTenant(calm, "red", { limit: 2, position: first.next });
    expect(second.read.by).toBe("space");
    const { next } = await searchTenant(calm, "red", { limit: 2 });
    await setIndexes(calm, []);
    const search = { space: SPACE, limit: 2, attributes: { tenant: "red" }, position: next };
    expect(await listAddresses(calm, search)).toMatchObject({ code: "invalid_request" });
  });

  it("leaves out what its entry names and no longer has", async () => {
    const world = await indexedWorld();
    const { calm } = world;
    const told = await assigned(calm, ofTenant("web-0", "red"));
    const [entry] = entriesIn(world);
    await releaseAll(calm, told);
    if (entry) await calm.store.putIndexEntry(entry, undefined);
    const found = await searchTenant(calm, "red");
    expect([found.items, found.read.entries]).toEqual([[], 1]);
    world.clock.nowMs += 2 * GRACE_MS;
    await sweepAll(calm);
    expect(entriesIn(world)).toEqual([]);
  });
});

describe("the entries of an index", () => {
  it("are there for each allocation with the attribute, and for no other", async () => {
    const world = await indexedWorld();
    await assigned(world.calm, ofTenant("web-0", "red"));
    await assigned(world.calm, { ...ofTenant("web-1", "red"), attributes: { pod: "web-1" } });
    expect(entriesIn(world)).toMatchObject([{ attribute: "tenant", space: SPACE }]);
  });

  it.each(["by generation", "by handle"])("go with a release %s", async (how) => {
    const world = await indexedWorld();
    for (const key of [undefined, "key"]) {
      const told = await assigned(
        world.calm,
        ofTenant("web-0", "red", { count: 2, ...(key && { key }) }),
      );
      expect(entriesIn(world)).toHaveLength(1);
      if (how === "by generation") await releaseAll(world.calm, told);
      else await releaseHandle(world.calm, SPACE, "web-0");
      expect(entriesIn(world)).toEqual([]);
    }
  });

  it("stay until the last address of a request is released", async () => {
    const world = await indexedWorld();
    const { addresses, ...told } = await assigned(
      world.calm,
      ofTenant("web-0", "red", { count: 2, key: "k" }),
    );
    await releaseAll(world.calm, { ...told, addresses: addresses.slice(1) });
    expect(await searchTenant(world.calm, "red")).toMatchObject({ items: [{ handle: "web-0" }] });
    await releaseAll(world.calm, { ...told, addresses: addresses.slice(0, 1) });
    expect(entriesIn(world)).toEqual([]);
  });

  it("go with the end of a lease", async () => {
    const world = await indexedWorld();
    await assigned(world.calm, { ...ofTenant("web-0", "red"), leaseSeconds: 60 });
    world.clock.nowMs += 200_000;
    await sweepAll(world.calm);
    expect(entriesIn(world)).toEqual([]);
  });

  it("follow the attributes with which an instance returns", async () => {
    const world = await indexedWorld();
    const { calm } = world;
    const withTenant = (uid: string, tenant: string) =>
      instanceRequest(podOf(uid), { attributes: { tenant } });
    await assigned(calm, withTenant("uid-1", "red"));
    await releaseOf(calm, podOf("uid-1"), true);
    expect((await searchTenant(calm, "red")).items).toMatchObject([{ state: "kept" }]);
    await assigned(calm, withTenant("uid-2", "blue"));
    expect((await searchTenant(calm, "red")).items).toEqual([]);
    expect((await searchTenant(calm, "blue")).items).toHaveLength(1);
    world.clock.nowMs += 2 * GRACE_MS;
    await sweepAll(calm);
    expect(entriesIn(world)).toHaveLength(1);
    await releaseOf(calm, podOf("uid-2"), true);
    await assigned(calm, withTenant("uid-3", "blue"));
    expect(entriesIn(world)).toHaveLength(1);
    await releaseOf(calm, podOf("uid-3"));
    expect(entriesIn(world)).toEqual([]);
  });

  it("of a repeat under one key are those of the first request", async () => {
    const world = await indexedWorld();
    const request = ofTenant("web-0", "red", { key: "k" });
    const told = await assigned(world.calm, request);
    const before = entriesIn(world);
    expect(await assigned(world.calm, request)).toEqual(told);
    expect(await assigned(contextOver(world.table, world.clock, 2), request)).toEqual(told);
    expect(entriesIn(world)).toEqual(before);
  });

  it("are written again by a walk if they were lost", async () => {
    const world = await indexedWorld();
    await assigned(world.calm, ofTenant("web-0", "red"));
    const [entry] = entriesIn(world);
    if (entry) await world.calm.store.deleteIndexEntry(entry);
    world.clock.nowMs += 2 * GRACE_MS;
    await sweepAll(world.calm);
    expect(entriesIn(world)).toEqual([entry]);
  });

  it("go with the setting of their index", async () => {
    const world = await indexedWorld();
    await assigned(world.calm, ofTenant("web-0", "red"));
    await setIndexes(world.calm, []);
    world.clock.nowMs += 2 * GRACE_MS;
    await sweepAll(world.calm);
    expect(entriesIn(world)).toEqual([]);
    expect((await searchTenant(world.calm, "red")).read.by).toBe("space");
  });

  it("do not change with the order of the settings", async () => {
    const world = await makeWorld();
    await setIndexes(world.calm, ["tenant", "pod"]);
    const request = { ...ofTenant("web-0", "red"), attributes: { tenant: "red", pod: "web-0" } };
    await assigned(world.calm, request);
    const before = contentsIn(world).allocations;
    await setIndexes(world.calm, ["pod", "tenant"]);
    await buildIndexes(world);
    expect(contentsIn(world).allocations).toEqual(before);
    expect((await searchTenant(world.calm, "red")).read.attribute).toBe("tenant");
  });
});

/** Returns a table on which a function pauses before a step, while the repair run deletes entries that no allocation lists. */
const pausedBefore = (world: World, step: string): Table => ({
  ...tableOf(world),
  write: async (write) => {
    if (write.step === step) {
      world.clock.nowMs += 2 * GRACE_MS;
      await sweepAll(world.calm);
    }
    return world.table.write(write);
  },
});

describe("a write of an index entry that is late", () => {
  it("neither replaces nor deletes what a later execution wrote", async () => {
    const world = await indexedWorld();
    const { store } = world.calm;
    await assigned(world.calm, ofTenant("web-0", "red", { key: "k" }));
    const [entry] = entriesIn(world);
    if (!entry) throw new Error("there is no entry");
    const late = { ...entry, revision: "late" };
    const created = await store.putIndexEntry(late, undefined);
    const changed = await store.putIndexEntry(late, { ...entry, revision: "earlier" });
    await store.deleteIndexEntry(late);
    expect([created.outcome, changed.outcome]).toEqual(["lost", "lost"]);
    expect(entriesIn(world)).toEqual([entry]);
  });

  it("leaves the allocation as it is if that was released meanwhile", async () => {
    const world = await makeWorld();
    const told = await assigned(world.calm, ofTenant("web-0", "red", { key: "k" }));
    const [seen] = contentsIn(world).allocations;
    await setIndexes(world.calm, ["tenant"]);
    await releaseAll(world.calm, told);
    world.clock.nowMs += 2 * GRACE_MS;
    expect(seen && (await repairIndexed(world.calm, seen))).toBe(false);
    expect(contentsIn(world).allocations).toMatchObject([{ state: "released" }]);
  });

  it("takes no address: the repair run may have deleted an entry whose allocation was not there", async () => {
    const world = await indexedWorld();
    const late = contextOver(pausedBefore(world, "create-allocation"), world.clock, 2);
    await expect(assign(late, ofTenant("web-0", "red"))).rejects.toThrow(ContentionError);
    expect((await searchTenant(world.calm, "red")).items).toEqual([]);
  });

  it("is made up for by an instance that has its addresses by then", async () => {
    const world = await indexedWorld();
    const { clock, calm } = world;
    const withTenant = (uid: string, tenant: string) =>
      instanceRequest(podOf(uid), { attributes: { tenant } });
    await assigned(calm, withTenant("uid-1", "red"));
    await releaseOf(calm, podOf("uid-1"), true);
    const paused = pausedBefore(world, "instance-return");
    await assigned(contextOver(paused, clock, 2), withTenant("uid-2", "blue"));
    expect((await searchTenant(calm, "blue")).items).toHaveLength(1);
  });
});
