import { describe, expect, it } from "vitest";
import { GIVE_BACK_LANES } from "../../../src/base/limits.ts";
import { UnavailableError } from "../../../src/base/outcome.ts";
import { charge } from "../../../src/kernel/quotas/budgets.ts";
import { giveBack } from "../../../src/kernel/quotas/give-back.ts";
import { type Charge, nextRound } from "../../../src/nouns/quota/budget.ts";
import { putQuota } from "../../../src/nouns/quota/operations/quotas.ts";
import type { Table, Write } from "../../../src/table/table.ts";
import { contentsIn, contextOver, makeWorld, SPACE, tableOf, type World } from "../../world.ts";

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
