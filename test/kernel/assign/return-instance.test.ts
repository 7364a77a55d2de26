import { describe, expect, it } from "vitest";
import { REQUEST_MS_MAX } from "../../../src/base/limits.ts";
import { CorruptItemError } from "../../../src/base/outcome.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import { withCalls } from "../../../src/kernel/core/store.ts";
import { putQuota } from "../../../src/nouns/quota/operations/quotas.ts";
import { instanceRequest, podOf, releaseOf } from "../../instances.ts";
import { answerOf, withIntruderAtWrite } from "../../simulation/crash-points.ts";
import { assigned, contentsIn, contextOver, makeWorld, requestOf, SPACE } from "../../world.ts";

const NODE_2 = { host: "host:node-2" } as const;
/** The write after the one that names the host. */
const ENTRY = { at: 1, lost: false } as const;

it.each([
  [REQUEST_MS_MAX, "live"],
  [REQUEST_MS_MAX + 1, "kept"],
])("an instance returns after a pause of %i ms: its addresses are %s", async (pauseMs, state) => {
  const world = await makeWorld();
  const { table, clock, calm } = world;
  await assigned(calm, instanceRequest(podOf("a")));
  await releaseOf(calm, podOf("a"), true);
  const slow = withIntruderAtWrite(table, ENTRY, async () => {
    clock.nowMs += pauseMs;
  });
  await answerOf(assign(contextOver(slow, clock, 2), instanceRequest(podOf("b"), NODE_2)));
  expect(contentsIn(world).allocations).toMatchObject([{ state, host: NODE_2.host }]);
});

describe("an instance that returns for another tenant", () => {
  const of = (uid: string, tenant: string, changes: object = {}) =>
    instanceRequest(podOf(uid), { attributes: { tenant }, ...changes });

  /** Returns a world in which an instance of tenant red runs, and each tenant may have some addresses. */
  async function withRed(addresses = 1) {
    const world = await makeWorld();
    for (const tenant of ["red", "blue"])
      await putQuota(world.calm, SPACE, tenant, { tenant, addresses }, undefined);
    await assigned(world.calm, of("a", "red"));
    return world;
  }

  it("is charged once, however often its write is lost", async () => {
    const { table, clock, calm } = await withRed();
    const { store } = calm;
    let lost = 0;
    const losing = withCalls(contextOver(table, clock, 2).store, {
      changeAllocation: async (step, seen, next) =>
        step === "instance-return" && lost++ < 3
          ? { outcome: "lost", item: await store.readAllocation(seen.place) }
          : store.changeAllocation(step, seen, next),
    });
    const context = { ...contextOver(table, clock, 2), store: losing };
    await assigned(context, of("b", "blue"));
    expect(lost).toBeGreaterThan(3);
    const used = contentsIn({ table, clock, calm }).budgets.map(({ quota, used: n }) => [quota, n]);
    expect(Object.fromEntries(used)).toEqual({ red: 0, blue: 1 });
  });

  it("is given back once if its write had no answer and the instance returned for the first tenant since; what it left stays counted for the round", async () => {
    const world = await withRed(2);
    const { table, clock, calm } = world;
    const { store } = calm;
    let unanswered = 0;
    const cutOff = withCalls(contextOver(table, clock, 2).store, {
      changeAllocation: async (step, seen, next) => {
        const written = await store.changeAllocation(step, seen, next);
        if (step !== "instance-return" || unanswered++ > 0) return written;
        await assigned(contextOver(table, clock, 3), of("c", "red"));
        return { outcome: "unknown" };
      },
    });
    const late = { ...contextOver(table, clock, 2), store: cutOff };
    expect(await answerOf(assign(late, of("b", "blue")))).toMatchObject({
      code: "already_released",
    });
    expect(unanswered).toBe(1);
    const { budgets, allocations } = contentsIn(world);
    expect(allocations).toMatchObject([{ attributes: { tenant: "red" } }]);
    const used = Object.fromEntries(budgets.map(({ quota, used: n }) => [quota, n]));
    expect(used).toEqual({ red: 2, blue: 0 });
  });

  it("stays as it is while the quotas refuse it, and keeps its charges for the same tenant without them", async () => {
    const world = await withRed();
    const { calm } = world;
    await assigned(calm, { ...requestOf("vm", 1), attributes: { tenant: "blue" } });
    const before = contentsIn(world).allocations;
    expect(await assign(calm, of("b", "blue", NODE_2))).toMatchObject({ code: "quota_exceeded" });
    expect(contentsIn(world).allocations).toEqual(before);
    const unread = withCalls(calm.store, {
      readSpace: async (space) =>
        Object.create(await calm.store.readSpace(space), {
          quotas: {
            get: () => {
              throw new CorruptItemError({ item: "quota red" }, "cannot be read");
            },
          },
        }),
    });
    const context = { ...contextOver(world.table, world.clock, 3), store: unread };
    await assigned(context, of("c", "red"));
    const charges = contentsIn(world).allocations.map((each) =>
      each.charges.map(({ quota }) => quota),
    );
    expect(charges).toContainEqual(["red"]);
  });
});
