import { describe, expect, it } from "vitest";
import { SHARDS } from "../../../src/base/limits.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import { deleteEmptyBlock } from "../../../src/kernel/blocks/delete-empty-block.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import { withCalls } from "../../../src/kernel/core/store.ts";
import { giveBack } from "../../../src/kernel/quotas/give-back.ts";
import { repairAllocation } from "../../../src/maintenance/repair/allocation.ts";
import {
  KnownBudgets,
  repairBlockCharge,
  repairCharges,
} from "../../../src/maintenance/repair/charges.ts";
import { repairBudget } from "../../../src/maintenance/repair/sweep.ts";
import { BUDGET_ROUND_MS, type Budget, nextRound } from "../../../src/nouns/quota/budget.ts";
import { deleteQuota, putQuota } from "../../../src/nouns/quota/operations/quotas.ts";
import {
  assigned,
  contentsIn,
  contextOver,
  makeWorld,
  releaseAll,
  requestOf,
  SPACE,
  type World,
} from "../../world.ts";

/** Returns a world with a quota of addresses and two held ones. */
async function withTwoHeld() {
  const world = await makeWorld();
  await limit(world, 5);
  const told = await assigned(world.calm, requestOf("old", 2));
  return { world, told };
}

const limit = ({ calm }: World, addresses: number) =>
  putQuota(calm, SPACE, "all", { addresses }, undefined);

async function unlimit(world: World): Promise<void> {
  const [quota] = contentsIn(world).quotas;
  await deleteQuota(world.calm, SPACE, "all", quota?.revision);
}

function budgetIn(world: World): Budget {
  const [budget] = contentsIn(world).budgets;
  if (!budget) throw new Error("there is no budget");
  return budget;
}

async function turn(world: World, round: string): Promise<void> {
  const seen = budgetIn(world);
  await world.calm.store.turnBudget(seen, nextRound(seen, round, world.clock.nowMs));
}

/** Charges all that is held to the current round, as the walk of the repair run does. */
async function chargeAll(world: World, budgets = new KnownBudgets(world.calm)): Promise<boolean> {
  world.clock.nowMs += 120_000;
  const done = contentsIn(world).allocations.map((one) => repairCharges(world.calm, one, budgets));
  return (await Promise.all(done)).every(Boolean);
}

/** Returns a function before one of whose calls something else happens. */
const withActBefore = <
  Name extends "createBudget" | "changeAllocation" | "rechargeBlock" | "turnBudget" | "giveBackOld",
>(
  context: Context,
  name: Name,
  act: () => Promise<unknown>,
): Context => ({
  ...context,
  store: withCalls(context.store, {
    [name]: async (...given: unknown[]) => {
      await act();
      return (context.store[name] as (...given: unknown[]) => unknown)(...given);
    },
  }),
});

describe("a round of a budget", () => {
  it("takes over what is held, and drops what is left of the round before", async () => {
    const { world } = await withTwoHeld();
    const { used } = budgetIn(world);
    await world.calm.store.takeOfBudget(budgetIn(world), 3, 100);
    await turn(world, "second");
    expect(budgetIn(world)).toMatchObject({ used: used + 3, old: used + 3 });
    expect(await chargeAll(world)).toBe(true);
    await turn(world, "third");
    expect(budgetIn(world)).toMatchObject({ round: "third", before: "second", used: 2, old: 2 });
  });

  /** Returns a world in which three of four addresses of one request were released one by one. */
  async function withOneLeft(key?: string) {
    const world = await makeWorld();
    await limit(world, 9);
    const told = await assigned(world.calm, requestOf("old", 4, key));
    await releaseAll(world.calm, { ...told, addresses: told.addresses.slice(1) });
    return world;
  }

  it.each([
    ["without a key", undefined],
    ["with a key", "once"],
  ])("counts what is left of a request %s", async (_, key) => {
    const world = await withOneLeft(key);
    expect(budgetIn(world).used).toBe(1);
    for (const round of ["second", "third", "fourth"]) {
      await turn(world, round);
      expect(await chargeAll(world)).toBe(true);
      expect(budgetIn(world)).toMatchObject({ used: 1, old: 0 });
    }
  });

  it("counts what is left of a request from before its quota", async () => {
    const world = await withOneLeft();
    await unlimit(world);
    await chargeAll(world);
    await repairBudget(world.calm, budgetIn(world));
    await limit(world, 9);
    expect(await chargeAll(world)).toBe(true);
    expect(budgetIn(world).used).toBe(1);
  });

  it("counts all of a request that shows nothing, because its author may still take it", async () => {
    const { world } = await withTwoHeld();
    const [seen] = contentsIn(world).allocations;
    const hidden: Context = {
      ...world.calm,
      store: withCalls(world.calm.store, { readBlock: async () => undefined }),
    };
    await turn(world, "second");
    world.clock.nowMs += 120_000;
    if (seen) await repairCharges(hidden, seen, new KnownBudgets(hidden));
    expect(budgetIn(world)).toMatchObject({ used: 2, old: 0 });
  });

  /** Returns a world in which the release of one of some addresses was cut off after it marked the allocation. */
  async function withOneMarked(count: number) {
    const world = await makeWorld();
    await limit(world, 9);
    const told = await assigned(world.calm, requestOf("old", count, "once"));
    const crashing: Context = {
      ...world.calm,
      store: withCalls(world.calm.store, {
        freeSlots: () => Promise.reject(new Error("crashed")),
      }),
    };
    const addresses = told.addresses.slice(0, 1);
    await expect(releaseAll(crashing, { ...told, addresses })).rejects.toThrow();
    return world;
  }
  const settle = async ({ calm, ...world }: World) => {
    for (const one of contentsIn({ calm, ...world }).allocations) await repairAllocation(calm, one);
  };

  it.each([1, 2])(
    "counts an address of %d whose release was cut off after it marked the allocation",
    async (count) => {
      const world = await withOneMarked(count);
      await turn(world, "second");
      await chargeAll(world);
      await settle(world);
      await turn(world, "third");
      expect(budgetIn(world).used).toBe(count - 1);
    },
  );

  it("takes off once what a release marked, when its quota limits the request no more", async () => {
    const world = await withOneMarked(2);
    const [quota] = contentsIn(world).quotas;
    await putQuota(world.calm, SPACE, "all", { addresses: 9, tenant: "red" }, quota?.revision);
    const [seen] = contentsIn(world).allocations;
    if (!seen) throw new Error("nothing is assigned");
    world.clock.nowMs += 120_000;
    const { store } = world.calm;
    const meanwhile: Context = {
      ...world.calm,
      store: withCalls(store, {
        changeAllocation: async (...change) => {
          await settle(world);
          return store.changeAllocation(...change);
        },
      }),
    };
    await repairCharges(meanwhile, seen, new KnownBudgets(meanwhile));
    expect(budgetIn(world).used).toBeGreaterThanOrEqual(0);
  });

  it("takes nothing off when its quota limits a request no more that released something", async () => {
    const world = await withOneLeft();
    const [quota] = contentsIn(world).quotas;
    await putQuota(world.calm, SPACE, "all", { addresses: 9, tenant: "red" }, quota?.revision);
    expect(await chargeAll(world)).toBe(true);
    expect(budgetIn(world).used).toBe(1);
    for (const round of ["second", "third"]) await turn(world, round);
    expect(budgetIn(world).used).toBe(0);
  });

  it("gives nothing back that was charged to a round that is over", async () => {
    const { world } = await withTwoHeld();
    const [first] = contentsIn(world).allocations[0]?.charges ?? [];
    for (const round of ["second", "third"]) {
      await turn(world, round);
      await chargeAll(world);
    }
    const { used } = budgetIn(world);
    if (first) await giveBack(world.calm, SPACE, [first], 1);
    expect(budgetIn(world).used).toBe(used);
  });

  it("is begun by one of two functions at once", async () => {
    const world = await makeWorld();
    await limit(world, 1);
    const other = contextOver(world.table, world.clock, 2);
    const late = withActBefore(contextOver(world.table, world.clock, 3), "createBudget", () =>
      assign(other, requestOf("first", 1)),
    );
    expect(await assign(late, requestOf("second", 1))).toMatchObject({ code: "quota_exceeded" });
  });

  it("gives nothing back of a round that ends meanwhile", async () => {
    const { world, told } = await withTwoHeld();
    await turn(world, "second");
    await chargeAll(world);
    const late = withActBefore(world.calm, "giveBackOld", () => turn(world, "third"));
    const [charge] = [
      { quota: "all", of: "addresses", round: budgetIn(world).before ?? "" },
    ] as const;
    await giveBack(late, SPACE, [charge], 2);
    expect(budgetIn(world).used).toBe(2);
    await releaseAll(world.calm, told);
  });

  it("counts no allocation after it is over", async () => {
    const { world } = await withTwoHeld();
    await turn(world, "second");
    const budgets = new KnownBudgets(world.calm);
    await budgets.of(budgetIn(world));
    await turn(world, "third");
    const seen = budgetIn(world);
    expect(await chargeAll(world, budgets)).toBe(false);
    expect(budgetIn(world)).toEqual(seen);
  });

  it("counts no allocation of before its quota after it is over", async () => {
    const world = await makeWorld();
    await assigned(world.calm, requestOf("old", 2));
    await limit(world, 5);
    const budgets = new KnownBudgets(world.calm);
    await budgets.of({ space: SPACE, quota: "all", of: "addresses" });
    await turn(world, "second");
    expect(await chargeAll(world, budgets)).toBe(false);
    expect(budgetIn(world).used).toBe(0);
  });

  it("brings no allocation back that is released meanwhile", async () => {
    const { world, told } = await withTwoHeld();
    await turn(world, "second");
    world.clock.nowMs += 120_000;
    const [seen] = contentsIn(world).allocations;
    const late = withActBefore(world.calm, "changeAllocation", async () => {
      await releaseAll(world.calm, told);
      for (const one of contentsIn(world).allocations)
        await world.calm.store.deleteAllocation("end", one);
    });
    if (seen) expect(await repairCharges(late, seen, new KnownBudgets(late))).toBe(false);
    expect(contentsIn(world).allocations).toEqual([]);
  });

  it("brings no block back that is deleted meanwhile", async () => {
    const world = await makeWorld();
    await putQuota(world.calm, SPACE, "all", { blocks: 5 }, undefined);
    await releaseAll(world.calm, await assigned(world.calm, requestOf("old", 1)));
    await turn(world, "second");
    const [seen] = contentsIn(world).blocks;
    const late = withActBefore(world.calm, "rechargeBlock", async () => {
      for (const one of contentsIn(world).blocks) await deleteEmptyBlock(world.calm, one);
    });
    if (seen) expect(await repairBlockCharge(late, seen, new KnownBudgets(late))).toBe(false);
    expect(contentsIn(world).blocks).toEqual([]);
  });

  it.each([
    [
      "something is assigned",
      async (world: World) =>
        void (await assign(contextOver(world.table, world.clock, 5), requestOf("new", 1))),
    ],
    [
      "something is charged anew",
      async (world: World) =>
        void (await world.calm.store.moveCharge(budgetIn(world), budgetIn(world).round, 1)),
    ],
  ])("does not end while %s", async (_, act) => {
    const { world } = await withTwoHeld();
    world.clock.nowMs += BUDGET_ROUND_MS + 1;
    for (let shard = 0; shard < SHARDS; shard++)
      await world.calm.store.writeProgress(shard, { chargedFromMs: world.clock.nowMs });
    let isFirst = true;
    let seen: Budget | undefined;
    const late = withActBefore(world.calm, "turnBudget", async () => {
      if (isFirst) await act(world);
      if (isFirst) seen = budgetIn(world);
      isFirst = false;
    });
    await repairBudget(late, budgetIn(world));
    expect(budgetIn(world).used).toBe((seen?.used ?? 0) - (seen?.old ?? 0));
  });

  it("ends when the walks over all segments began after it, and not before", async () => {
    const { world } = await withTwoHeld();
    const { round } = budgetIn(world);
    world.clock.nowMs += BUDGET_ROUND_MS + 1;
    for (let shard = 0; shard < SHARDS; shard++) {
      await repairBudget(world.calm, budgetIn(world));
      expect(budgetIn(world).round).toBe(round);
      await world.calm.store.writeProgress(shard, { chargedFromMs: world.clock.nowMs });
    }
    await repairBudget(world.calm, budgetIn(world));
    expect(budgetIn(world).round).not.toBe(round);
  });

  it("goes with its quota, and not with an earlier one of the name", async () => {
    const { world } = await withTwoHeld();
    const found = budgetIn(world);
    world.clock.nowMs += 120_000;
    await unlimit(world);
    await repairBudget(world.calm, found);
    expect(contentsIn(world).budgets).toEqual([]);
    await limit(world, 5);
    await assign(contextOver(world.table, world.clock, 6), requestOf("new", 1));
    await unlimit(world);
    await repairBudget(world.calm, found);
    expect(contentsIn(world).budgets).toHaveLength(1);
  });
});
