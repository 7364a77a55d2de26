import { describe, expect, it } from "vitest";
import { GIVE_BACK_LANES } from "../../../src/base/limits.ts";
import { Rejection, UnavailableError } from "../../../src/base/outcome.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import type { Assignment } from "../../../src/kernel/assign/assignment.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import { charge } from "../../../src/kernel/quotas/budgets.ts";
import { copyOf, giveBack } from "../../../src/kernel/quotas/give-back.ts";
import { releaseAddress } from "../../../src/kernel/release/release-address.ts";
import { releaseHandle } from "../../../src/kernel/release/release-handle.ts";
import { takenIn } from "../../../src/kernel/values/block.ts";
import { addressAt } from "../../../src/net/cidr.ts";
import { type Charge, nextRound } from "../../../src/nouns/quota/budget.ts";
import { putQuota } from "../../../src/nouns/quota/operations/quotas.ts";
import type { Table, Write } from "../../../src/table/table.ts";
import {
  contentsIn,
  contextOver,
  makeWorld,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  tableOf,
  type World,
} from "../../world.ts";

const HELD = 100;

/** Returns a world in which a quota counts 100 addresses, and the charge of each. */
async function charged(): Promise<{ world: World; charges: readonly Charge[] }> {
  const world = await makeWorld();
  await putQuota(world.calm, SPACE, "all", { addresses: 1_000 }, undefined);
  const { quotas } = contentsIn(world);
  const charges = await charge(world.calm, { space: SPACE, quotas } as never, {
    of: "addresses",
    count: HELD,
  });
  return { world, charges: charges as readonly Charge[] };
}

const budgetIn = (world: World) => contentsIn(world).budgets[0] ?? expect.unreachable();
const usedIn = (world: World) => budgetIn(world).used;

type Written = ReturnType<Table["write"]>;

/** Returns a function whose writes are noted, and can meet what a test wants. */
function meeting(
  world: World,
  seed: number,
  meet: (write: Write) => Written | undefined = () => undefined,
) {
  const writes: Write[] = [];
  const table: Table = {
    ...tableOf(world),
    write: (write) => {
      writes.push(write);
      return meet(write) ?? world.table.write(write);
    },
  };
  const context = contextOver(table, world.clock, seed);
  return {
    writes,
    give: (charges: readonly Charge[], count = 1) => giveBack(context, SPACE, charges, count),
  };
}

describe("a charge that goes back to its budget", () => {
  it("is one write for each time, of a function that gives back alone", async () => {
    const { world, charges } = await charged();
    const { give, writes } = meeting(world, 1);
    for (let n = 0; n < 5; n++) await give(charges, 2);
    expect(writes.map(({ step }) => step)).toEqual(new Array(5).fill("give-back"));
    expect(usedIn(world)).toBe(HELD - 10);
  });

  it("counts once if the write is delivered twice, and its author hears of the second", async () => {
    const { world, charges } = await charged();
    const { give, writes } = meeting(world, 1, (write) =>
      world.table.write(write).then(() => world.table.write(write)),
    );
    for (let n = 0; n < 3; n++) await give(charges);
    expect(usedIn(world)).toBe(HELD - 3);
    expect(writes).toHaveLength(3);
  });

  it("counts once if the write is delivered again at any later time, also after others", async () => {
    const { world, charges } = await charged();
    const functions = Array.from({ length: GIVE_BACK_LANES + 2 }, (_, n) => meeting(world, n));
    for (let n = 0; n < 3; n++) for (const { give } of functions) await give(charges);
    const given = 3 * functions.length;
    for (const { writes } of functions) for (const write of writes) await world.table.write(write);
    expect(usedIn(world)).toBe(HELD - given);
  });

  it("of the round before counts once too, in the next round", async () => {
    const { world, charges } = await charged();
    const { give, writes } = meeting(world, 1);
    await give(charges);
    const seen = budgetIn(world);
    const turned = {
      ...nextRound(seen, "second", world.clock.nowMs),
      used: seen.used,
      old: seen.used,
    };
    await world.calm.store.turnBudget(seen, turned);
    await give(charges);
    for (const write of writes) await world.table.write(write);
    expect(budgetIn(world)).toMatchObject({ used: HELD - 2, old: HELD - 2 });
  });

  it("of functions that do so at once counts all, in lanes of their own", async () => {
    const { world, charges } = await charged();
    const functions = Array.from({ length: 8 }, (_, n) => meeting(world, n));
    for (let n = 0; n < 2; n++) await Promise.all(functions.map(({ give }) => give(charges)));
    const before = functions.map(({ writes }) => writes.length);
    await Promise.all(functions.map(({ give }) => give(charges)));
    expect(functions.map(({ writes }, n) => writes.length - (before[n] ?? 0))).toEqual(
      new Array(8).fill(1),
    );
    expect(usedIn(world)).toBe(HELD - 24);
  });

  it("shares a write with what is given back meanwhile", async () => {
    const { world, charges } = await charged();
    const { give, writes } = meeting(world, 1);
    await Promise.all(Array.from({ length: 50 }, () => give(charges)));
    expect(writes.length).toBeLessThanOrEqual(2);
    expect(usedIn(world)).toBe(HELD - 50);
  });

  it.each([
    [
      "that gets no answer and is made",
      (world: World, write: Write) =>
        world.table.write(write).then(() => ({ outcome: "unknown" }) as const),
    ],
    ["that is not made", () => Promise.reject(new UnavailableError("no answer"))],
  ])("goes on after a write %s, and never counts too little", async (_, fate) => {
    const { world, charges } = await charged();
    let isFirst = true;
    const { give } = meeting(world, 1, (write) => {
      if (!isFirst) return undefined;
      isFirst = false;
      return fate(world, write);
    });
    await give(charges);
    const after = usedIn(world);
    await give(charges);
    expect(usedIn(world)).toBe(after - 1);
    expect(after).toBeGreaterThanOrEqual(HELD - 1);
  });

  it("is over with the budget, and with the round", async () => {
    const { world, charges } = await charged();
    const { give } = meeting(world, 1);
    await give(charges.map((each) => ({ ...each, round: "long ago" })));
    expect(usedIn(world)).toBe(HELD);
    await world.calm.store.deleteBudget(budgetIn(world));
    await give(charges);
    expect(contentsIn(world).budgets).toEqual([]);
  });
});

/** Returns a world with a quota and two blocks of two addresses, and a table that meets a step of a write once. */
async function meetingOnce(step: string, meet: (world: World, write: Write) => Written) {
  const world = await makeWorld(poolOf("10.0.0.0/29", 31), { cooldownSeconds: 0 });
  await putQuota(world.calm, SPACE, "all", { addresses: 1_000 }, undefined);
  let isMet = false;
  const table: Table = {
    ...tableOf(world),
    write: (write) => {
      if (isMet || write.step !== step) return world.table.write(write);
      isMet = true;
      return meet(world, write);
    },
  };
  return { world, context: contextOver(table, world.clock, 7) };
}

/** Returns true if the budget counts all that is held, and all that the function may still assign of it. */
function isCounted(world: World, { cache }: Context): boolean {
  const held = contentsIn(world).blocks.reduce((sum, block) => sum + takenIn(block), 0);
  const piece = cache.budgetPieces.get(copyOf({ space: SPACE, quota: "all", of: "addresses" }));
  return usedIn(world) >= held + (piece?.left ?? 0);
}

describe("a charge of which two may think that it is theirs to give back", () => {
  it.each([
    ["one write", requestOf("pod", 1)],
    ["one write, with a key", requestOf("pod", 1, "key")],
    ["two blocks", requestOf("pod", 3)],
    ["two blocks, with a key", requestOf("pod", 3, "key")],
  ])(
    "goes back once if an address is released before its author knows that it has it: %s",
    async (_, request) => {
      const { world, context } = await meetingOnce("take-slots", async (world, write) => {
        await world.table.write(write);
        await releaseHandle(contextOver(world.table, world.clock, 8), SPACE, "pod");
        return { outcome: "unknown" };
      });
      await assign(context, request).catch(() => undefined);
      expect(isCounted(world, context)).toBe(true);
      // A function spends what it took back before it charges anew.
      for (let n = 0; n < 3; n++) await assign(context, requestOf(`other-${n}`, 1));
      expect(isCounted(world, context)).toBe(true);
    },
  );

  it.each([
    ["without a key", requestOf("pod", 2)],
    ["with a key", requestOf("pod", 2, "key")],
  ])(
    "goes back once if one of two addresses is released before their author knows that it has them: %s",
    async (_, request) => {
      const { world, context } = await meetingOnce("take-slots", async (world, write) => {
        const taken = await world.table.write(write);
        const [block] = contentsIn(world).blocks;
        const address = addressAt((block ?? expect.unreachable()).cidr, 0);
        await releaseAddress(contextOver(world.table, world.clock, 8), SPACE, {
          address,
          handle: "pod",
        });
        expect(taken.outcome).toBe("done");
        return { outcome: "unknown" };
      });
      await assign(context, request);
      expect(isCounted(world, context)).toBe(true);
      for (let n = 0; n < 3; n++) await assign(context, requestOf(`other-${n}`, 1));
      expect(isCounted(world, context)).toBe(true);
    },
  );

  it("goes back once if the slot was freed by another, and the allocation is deleted by its release by address", async () => {
    const { world, context } = await meetingOnce("free-slots", async (world) => {
      const cutOff: Table = {
        ...tableOf(world),
        write: async (write) =>
          write.step === "end-whole" ? { outcome: "unknown" } : world.table.write(write),
      };
      await releaseHandle(contextOver(cutOff, world.clock, 8), SPACE, "pod");
      return { outcome: "unknown" };
    });
    const others = await assign(world.calm, requestOf("other", 2));
    const assigned = (await assign(world.calm, requestOf("pod", 1))) as Assignment;
    await releaseAll(context, assigned);
    expect(others).not.toBeInstanceOf(Rejection);
    expect(isCounted(world, world.calm)).toBe(true);
  });
});
