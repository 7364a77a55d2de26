import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { REQUEST_MS_MAX } from "../../../src/base/limits.ts";
import { Rejection, ThrottledError } from "../../../src/base/outcome.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import type { Assignment } from "../../../src/kernel/assign/assignment.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import { releaseHandle } from "../../../src/kernel/release/release-handle.ts";
import { takenIn } from "../../../src/kernel/values/block.ts";
import { deleteQuota, putQuota } from "../../../src/nouns/quota/operations/quotas.ts";
import type { Table } from "../../../src/table/table.ts";
import { fewerRuns } from "../../property-runs.ts";
import { repairAll } from "../../scheduled-runs.ts";
import {
  contentsIn,
  contextOver,
  daysPass,
  makeWorld,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  tableOf,
  type World,
} from "../../world.ts";

let handles = 0;

/** Returns a world with a quota of addresses. */
async function withQuota(addresses: number): Promise<World> {
  const world = await makeWorld(poolOf("10.0.0.0/22", 26), { cooldownSeconds: 0 });
  await putQuota(world.calm, SPACE, "all", { addresses }, undefined);
  return world;
}

/** Asks for addresses under a handle of its own. */
const ask = (context: Context, count = 1, attributes: Readonly<Record<string, string>> = {}) =>
  assign(context, { ...requestOf(`h-${handles++}`, count), attributes });

const heldIn = (world: World): number =>
  contentsIn(world).blocks.reduce((sum, block) => sum + takenIn(block), 0);

const budgetIn = (world: World) => contentsIn(world).budgets[0];

const giveBack = (context: Context, assigned: Assignment) => releaseAll(context, assigned);

/** Returns how many single addresses the quota still allows. */
async function roomIn(world: World): Promise<number> {
  const context = contextOver(world.table, world.clock, 99);
  for (let count = 0; ; count++) if ((await ask(context)) instanceof Rejection) return count;
}

describe("a quota of addresses", () => {
  it("allows as many at a time, and names itself, its value and who may raise it", async () => {
    const world = await withQuota(3);
    for (let n = 0; n < 3; n++) expect(await ask(world.calm)).not.toBeInstanceOf(Rejection);
    expect(await ask(world.calm)).toMatchObject({
      code: "quota_exceeded",
      detail: `Quota all of space ${SPACE} allows 3 addresses, and has no room for 1 more. A caller with the role operator in space ${SPACE} may raise it.`,
      members: {
        limit: { quota: "all", addresses: 3 },
        changedBy: { role: "operator", space: SPACE },
        requested: 1,
      },
    });
    expect(heldIn(world)).toBe(3);
  });

  /** Returns how many single addresses a function that just began still gets for a tenant. */
  async function roomOf(world: World, tenant: string): Promise<number> {
    const context = contextOver(world.table, world.clock, 99);
    for (let count = 0; ; count++)
      if ((await ask(context, 1, { tenant })) instanceof Rejection) return count;
  }

  it.each([
    { refusing: "the quota of the tenant", all: 100, red: 4, other: "blue", room: 97 },
    { refusing: "the quota of the space", all: 4, red: 100, other: "red", room: 97 },
  ])("does not count what $refusing refuses, in any function", async (each) => {
    const world = await withQuota(each.all);
    const { calm, table, clock } = world;
    await putQuota(calm, SPACE, "red", { addresses: each.red, tenant: "red" }, undefined);
    const red = { tenant: "red" };
    expect(await ask(calm, 3, red)).not.toBeInstanceOf(Rejection);
    for (let n = 0; n < 5; n++)
      expect(await ask(contextOver(table, clock, 7 + n), 2, red)).toMatchObject({
        code: "quota_exceeded",
      });
    const { readableQuotas } = await calm.store.readSpace(SPACE);
    const ofSpace = readableQuotas.find(({ name }) => name === "all")?.revision;
    await putQuota(calm, SPACE, "all", { addresses: 100 }, ofSpace);
    expect(await roomOf(world, each.other)).toBe(each.room);
  });

  it("counts nothing for a request whose next quota cannot be asked", async () => {
    const world = await withQuota(100);
    const { calm, table, clock } = world;
    await putQuota(calm, SPACE, "red", { addresses: 100, tenant: "red" }, undefined);
    const red = { tenant: "red" };
    const failing: Table = {
      ...tableOf(world),
      write: (write) =>
        write.key.pk.startsWith("BUDGET#") && write.key.pk.endsWith("#all")
          ? Promise.reject(new ThrottledError("throttled"))
          : table.write(write),
    };
    await expect(ask(contextOver(failing, clock, 5), 40, red)).rejects.toThrow("throttled");
    expect(await roomOf(world, "red")).toBe(100);
  });

  it("assigns nothing more from the piece of a function after a lower maximum", async () => {
    const world = await withQuota(10_000);
    const { calm, clock } = world;
    for (let n = 0; n < 40; n++) await ask(calm);
    expect(calm.cache.budgetPieces.get(`${SPACE}#all#addresses`)?.left).toBeGreaterThan(0);
    await putQuota(calm, SPACE, "all", { addresses: 40 }, contentsIn(world).quotas[0]?.revision);
    clock.nowMs += 10_000;
    expect(await ask(calm)).toMatchObject({ code: "quota_exceeded" });
    expect(budgetIn(world)?.used).toBe(40);
  });

  it("has room again for what is released by handle", async () => {
    const world = await withQuota(3);
    const assigned = (await ask(world.calm, 3)) as Assignment;
    await releaseHandle(world.calm, SPACE, assigned.handle);
    expect(await roomIn(world)).toBe(3);
  });

  it("takes nothing for a request whose charge took so long that its configuration may be stale", async () => {
    const world = await withQuota(3);
    const { table, clock } = world;
    const slow: Table = {
      ...tableOf(world),
      write: async (write) => {
        const written = await table.write(write);
        if (write.key.pk.startsWith("BUDGET#")) clock.nowMs += REQUEST_MS_MAX + 1;
        return written;
      },
    };
    await expect(ask(contextOver(slow, clock, 9))).rejects.toThrow("longer than a function can");
    expect(contentsIn(world).allocations).toEqual([]);
  });

  it("counts nothing for a request that is rejected for another reason", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/30", 31), { cooldownSeconds: 0 });
    await putQuota(world.calm, SPACE, "all", { addresses: 100 }, undefined);
    for (let n = 0; n < 3; n++) await ask(world.calm, 50);
    expect(budgetIn(world)?.used ?? 0).toBe(0);
  });

  it("counts what was assigned before it, after a walk of the repair run", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/24", 26), { cooldownSeconds: 0 });
    for (let n = 0; n < 4; n++) await ask(world.calm, 1, { tenant: "red" });
    await ask(world.calm, 1, { tenant: "blue" });
    await putQuota(world.calm, SPACE, "red", { tenant: "red", addresses: 5 }, undefined);
    await daysPass(world, 2);
    expect(budgetIn(world)).toMatchObject({ quota: "red", used: 4 });
    const fresh = contextOver(world.table, world.clock, 4);
    expect(await ask(fresh, 1, { tenant: "red" })).not.toBeInstanceOf(Rejection);
    expect(await ask(fresh, 1, { tenant: "red" })).toMatchObject({ code: "quota_exceeded" });
    expect(await ask(fresh, 1, { tenant: "blue" })).not.toBeInstanceOf(Rejection);
  });

  it("counts what is held and what its function may still assign, however many requests run at once", async () => {
    const world = await withQuota(1_000);
    const { calm } = world;
    for (let n = 0; n < 20; n++) await ask(calm);
    for (let round = 0; round < 8; round++)
      await Promise.all(Array.from({ length: 16 }, () => ask(calm)));
    const left = calm.cache.budgetPieces.get(`${SPACE}#all#addresses`)?.left ?? 0;
    expect(budgetIn(world)?.used).toBe(heldIn(world) + left);
  });

  it("forgets within a day what a function took and never assigned", async () => {
    const world = await withQuota(1_000);
    const crashing = contextOver(world.table, world.clock, 2);
    for (let n = 0; n < 40; n++) await ask(crashing);
    const before = budgetIn(world)?.used ?? 0;
    expect(before).toBeGreaterThan(40);
    await daysPass(world, 2);
    expect(budgetIn(world)?.used).toBe(40);
  });

  it("goes with its budget, and comes back with what is held", async () => {
    const world = await withQuota(5);
    await ask(world.calm, 2);
    const { revision } = contentsIn(world).quotas[0] ?? {};
    await deleteQuota(world.calm, SPACE, "all", revision);
    await daysPass(world, 1);
    expect(contentsIn(world).budgets).toEqual([]);
    expect(contentsIn(world).allocations[0]?.charges).toEqual([]);
    await putQuota(world.calm, SPACE, "all", { addresses: 5 }, undefined);
    await daysPass(world, 1);
    expect(await roomIn(world)).toBe(3);
  });

  it("is never exceeded, whatever functions do and whichever crash, and has all its room in the end", async () => {
    const anyStep = fc.record({
      by: fc.nat(3),
      act: fc.constantFrom("assign", "assign", "assign", "release", "crash", "repair", "wait"),
      count: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 300 }),
        fc.array(anyStep, { minLength: 5, maxLength: 60 }),
        async (limit, steps) => {
          const world = await withQuota(limit);
          const functions = [1, 2, 3, 4].map((seed) => contextOver(world.table, world.clock, seed));
          const held: Assignment[] = [];
          for (const [n, { by, act, count }] of steps.entries()) {
            const context = functions[by] as Context;
            if (act === "assign") {
              const assigned = await ask(context, count);
              if (!(assigned instanceof Rejection)) held.push(assigned);
            } else if (act === "release") {
              const [one] = held.splice(by, 1);
              if (one) await giveBack(context, one);
            } else if (act === "crash")
              functions[by] = contextOver(world.table, world.clock, n + 9);
            else if (act === "wait") world.clock.nowMs += count * 20_000_000;
            else await repairAll(contextOver(world.table, world.clock, n + 100));
            expect(heldIn(world)).toBeLessThanOrEqual(limit);
            expect(budgetIn(world)?.used ?? 0).toBeGreaterThanOrEqual(heldIn(world));
          }
          await daysPass(world, 3);
          expect(await roomIn(world)).toBe(limit - held.flatMap((one) => one.addresses).length);
        },
      ),
      { numRuns: fewerRuns(1 / 4), seed: 3 },
    );
  });
});
