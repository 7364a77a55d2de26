import { describe, expect, it } from "vitest";
import { EVERY_SHARD } from "../../../src/base/hash.ts";
import { GRACE_MS } from "../../../src/base/limits.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import { whyNotAdmitted } from "../../../src/kernel/quotas/admit.ts";
import { CHARGING_WALK_MS, SWEEP_ITEMS_PER_RUN_MIN } from "../../../src/kernel/values/sweep.ts";
import { repair } from "../../../src/maintenance/repair/repair.ts";
import { repairRequestRate } from "../../../src/maintenance/repair/sweep.ts";
import { putPool } from "../../../src/nouns/pool/operations/administration.ts";
import { BUDGET_ROUND_MS, BUDGET_SETTLE_MS } from "../../../src/nouns/quota/budget.ts";
import { deleteQuota, listQuotas, putQuota } from "../../../src/nouns/quota/operations/quotas.ts";
import type { Table } from "../../../src/table/table.ts";
import { buildIndexes, ofTenant, searchTenant, setIndexes, textsIn } from "../../indexes.ts";
import { repairAll, sweepAll } from "../../scheduled-runs.ts";
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

const OTHER = "other";

/** Makes a pool in another space. */
const withOther = ({ calm }: World) =>
  putPool(calm, OTHER, "pool", poolOf("10.0.0.0/29", 31), undefined);

/** Gives an item the format of another version. Returns what gives it its own again. */
function broken({ table }: World, kind: string): () => void {
  const found = table.items().find(({ pk }) => pk.startsWith(`${kind}#`));
  if (!found) throw new Error(`there is no item of ${kind}`);
  const write = (item: typeof found) => table.partitions.get(item.pk)?.set(item.sk, item);
  write({ ...found, f: 99 });
  return () => write(found);
}

/** A context whose eventually consistent scans do not have the allocations yet. */
function lagging(world: World): Context {
  const table: Table = {
    ...tableOf(world),
    scan: async (limit, options) => {
      const page = await world.table.scan(limit, options);
      if (options?.consistent !== false) return page;
      return { ...page, items: page.items.filter(({ pk }) => !pk.startsWith("HANDLE#")) };
    },
  };
  return contextOver(table, world.clock, 7);
}

describe("a walk over a replica that has no allocation yet", () => {
  it("completes an index with every allocation in it (I22)", async () => {
    const world = await makeWorld();
    await assigned(world.calm, ofTenant("early", "red"));
    await setIndexes(world.calm, ["tenant"]);
    await buildIndexes({ clock: world.clock, calm: lagging(world) });
    const found = await searchTenant(world.calm, "red");
    expect([found.read.by, textsIn(found)]).toEqual(["attribute", ["10.0.0.0"]]);
  });

  it("ends a round of a budget with every allocation charged to the next one (I21)", async () => {
    const world = await makeWorld();
    await putQuota(world.calm, SPACE, "all", { addresses: 5 }, undefined);
    await assigned(world.calm, requestOf("web", 2));
    const first = contentsIn(world).budgets[0]?.round;
    for (let day = 0; day < 4; day++) {
      world.clock.nowMs += BUDGET_ROUND_MS + BUDGET_SETTLE_MS;
      await sweepAll(lagging(world));
      await sweepAll(lagging(world));
    }
    const [budget] = contentsIn(world).budgets;
    expect(budget?.round).not.toBe(first);
    expect(budget).toMatchObject({ used: 2 });
  });
});

describe("a walk that meets an allocation that it cannot read", () => {
  it("completes no index, so a search goes on to filter and names the allocation, until it is readable (I22)", async () => {
    const world = await makeWorld();
    const { calm } = world;
    await assigned(calm, ofTenant("early", "red"));
    await setIndexes(calm, ["tenant"]);
    const mend = broken(world, "HANDLE");
    await buildIndexes(world);
    const without = await searchTenant(calm, "red");
    expect(without.read).toMatchObject({ by: "space", building: "tenant" });
    expect(without.unreadable).toHaveLength(1);
    mend();
    await sweepAll(calm);
    const found = await searchTenant(calm, "red");
    expect([found.read.by, textsIn(found)]).toEqual(["attribute", ["10.0.0.0"]]);
  });

  it("completes an index of another space meanwhile", async () => {
    const world = await makeWorld();
    await assigned(world.calm, ofTenant("early", "red"));
    const mend = broken(world, "HANDLE");
    await withOther(world);
    await assigned(world.calm, { ...ofTenant("web", "red"), space: OTHER });
    await setIndexes(world.calm, ["tenant"], OTHER);
    await buildIndexes(world);
    const found = await searchTenant(world.calm, "red", { space: OTHER });
    expect([found.read.by, found.items.length]).toEqual(["attribute", 1]);
    mend();
  });

  it("completes an index after the allocation is gone", async () => {
    const world = await makeWorld();
    await assigned(world.calm, ofTenant("early", "red"));
    await setIndexes(world.calm, ["tenant"]);
    broken(world, "HANDLE");
    await buildIndexes(world);
    for (const [pk] of world.table.partitions)
      if (pk.startsWith("HANDLE#") || pk.startsWith("BLOCK#")) world.table.partitions.delete(pk);
    await sweepAll(world.calm);
    expect((await searchTenant(world.calm, "red")).read.by).toBe("attribute");
  });

  it("leaves an index that was complete before as it is, and the search by it names the allocation", async () => {
    const world = await makeWorld();
    await setIndexes(world.calm, ["tenant"]);
    await buildIndexes(world);
    await assigned(world.calm, ofTenant("web-0", "red"));
    const mend = broken(world, "HANDLE");
    world.clock.nowMs += CHARGING_WALK_MS;
    await sweepAll(world.calm);
    const found = await searchTenant(world.calm, "red");
    expect([found.read.by, found.unreadable.length]).toEqual(["attribute", 1]);
    mend();
  });

  it("is followed by walks at the pace of a day, also while an operator waits for an index", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/26", 28));
    // The allocations of one handle are in one segment of the table.
    for (let n = 0; n < 40; n++) await assigned(world.calm, ofTenant("web", "red"));
    await setIndexes(world.calm, ["tenant"]);
    const mend = broken(world, "HANDLE");
    await buildIndexes(world);
    for (const shard of EVERY_SHARD)
      expect((await repair(world.calm, shard)).items).toBeLessThanOrEqual(SWEEP_ITEMS_PER_RUN_MIN);
    // A walk of more than one run knows what it could not read in an earlier one.
    for (let walk = 0; walk < 3; walk++) await sweepAll(world.calm);
    expect((await searchTenant(world.calm, "red")).read.by).toBe("space");
    mend();
    // The first of two walks began before the allocation was readable.
    for (let walk = 0; walk < 2; walk++) await sweepAll(world.calm);
    expect((await searchTenant(world.calm, "red")).read.by).toBe("attribute");
  });
});

describe.each([
  ["an allocation", "HANDLE", { addresses: 5 }],
  ["a block", "BLOCK", { blocks: 5 }],
] as const)("a round of a budget with %s that a walk cannot read", (_, kind, quota) => {
  const roundIn = (world: World, of = SPACE) =>
    contentsIn(world).budgets.find(({ space }) => space === of)?.round;

  it("ends after the item is readable, and counts it all the time, but ends in other spaces (I21)", async () => {
    const world = await makeWorld();
    await putQuota(world.calm, SPACE, "all", quota, undefined);
    await assigned(world.calm, requestOf("old", 2));
    const rounds = new Set<string | undefined>();
    const mend = broken(world, kind);
    await withOther(world);
    await putQuota(world.calm, OTHER, "all", quota, undefined);
    await assigned(world.calm, { ...requestOf("web", 2), space: OTHER });
    const before = roundIn(world, OTHER);
    for (let day = 0; day < 4; day++) {
      world.clock.nowMs += BUDGET_ROUND_MS + BUDGET_SETTLE_MS;
      await sweepAll(world.calm);
      await sweepAll(world.calm);
      rounds.add(roundIn(world));
    }
    expect([...rounds]).toHaveLength(1);
    expect(roundIn(world, OTHER)).not.toBe(before);
    mend();
    for (let walk = 0; walk < 2; walk++) {
      world.clock.nowMs += CHARGING_WALK_MS;
      await sweepAll(world.calm);
    }
    await repairAll(world.calm);
    expect(rounds).not.toContain(roundIn(world));
  });
});

it("what was assigned before its quota is charged beside an allocation that a walk cannot read", async () => {
  const world = await makeWorld(poolOf("10.0.0.0/24", 28));
  for (let n = 0; n < 40; n++) await assigned(world.calm, requestOf(`pod-${n}`, 1));
  const mend = broken(world, "HANDLE");
  await putQuota(world.calm, SPACE, "all", { addresses: 100 }, undefined);
  world.clock.nowMs += GRACE_MS + 1;
  await sweepAll(world.calm);
  world.clock.nowMs += CHARGING_WALK_MS;
  await sweepAll(world.calm);
  expect(contentsIn(world).budgets).toMatchObject([{ used: 39 }]);
  mend();
});

/** Returns a world with a quota from which a request was taken, and the context of a function. */
async function withRate() {
  const world = await makeWorld();
  await putQuota(world.calm, SPACE, "all", { requestsPerSecond: 1 }, undefined);
  const quotas = (await listQuotas(world.calm, SPACE)).items;
  await whyNotAdmitted(world.calm, { quotas }, {});
  const [rate] = contentsIn(world).requestRates;
  if (!rate) throw new Error("no request was taken");
  const remove = () => deleteQuota(world.calm, SPACE, "all", quotas[0]?.revision);
  return { world, quotas, rate, remove };
}

const ratesIn = (world: World) => contentsIn(world).requestRates;

describe("the requests that were taken from a quota", () => {
  it("go after the quota, and not while functions may still take from it", async () => {
    const { world, rate, remove } = await withRate();
    expect(await repairRequestRate(world.calm, rate)).toBe(false);
    world.clock.nowMs += 120_000;
    expect(await repairRequestRate(world.calm, rate)).toBe(false);
    expect(ratesIn(world)).toHaveLength(1);
    await remove();
    expect(await repairRequestRate(world.calm, rate)).toBe(true);
    expect(ratesIn(world)).toEqual([]);
  });

  it("stay if a quota of the name has come back and begun another second", async () => {
    const { world, rate, quotas, remove } = await withRate();
    await remove();
    world.clock.nowMs += 120_000;
    await whyNotAdmitted(contextOver(world.table, world.clock, 2), { quotas }, {});
    await repairRequestRate(world.calm, rate);
    expect(ratesIn(world)).toMatchObject([{ taken: 1 }]);
  });
});
