import { describe, expect, it } from "vitest";
import { findViolations } from "../../src/invariants/invariants.ts";
import type { Table } from "../../src/table/table.ts";
import { keptOf, NAMED, prepared, repeatOf } from "../operations/catalogue.ts";
import { AUTHOR_MS } from "../operations/operation.ts";
import { contentsIn, contextOver, scheduledRuns } from "../world.ts";
import { expectEverythingAssignable, heldNow, isAssignment, withRetries } from "./aftermath.ts";
import { callsOf, MISHAPS, withMishap } from "./crash-points.ts";
import { PLACES } from "./places.ts";
import { callsToTry, oneIn } from "./sampled-calls.ts";

const CASES = MISHAPS.flatMap((mishap, m) =>
  PLACES.map((place, p) => ({ mishap, ...place, number: m * PLACES.length + p })),
);
/** In a sample each operation has a quarter of the faults and places, by turns. */
const STEP = oneIn(4);

describe.each(NAMED)("%s", (name, operation) => {
  const turn = NAMED.findIndex(([other]) => other === name);
  const first = turn % STEP;
  /** Numbers the cases through all operations of one turn, so that a fault meets early calls and late ones. */
  const before = Math.floor(turn / STEP) * CASES.length;
  it.each(CASES.filter(({ number }) => number % STEP === first))(
    "loses and leaves nothing when, at any of its calls, $mishap, under $under",
    async ({ mishap, under, over, readsMax, number }) => {
      const { world, told } = await prepared(operation);
      const calls = await callsOf(world.table, (own) =>
        operation.walk(over(own, world.clock, 2), told),
      );
      expect(calls).toContain(operation.step);
      for (const at of callsToTry(calls, before + number, oneIn(36))) {
        const { world, told } = await prepared(operation);
        const { table, clock } = world;
        const where = `${mishap}, under ${under}: ${calls[at]} (call ${at})`;
        const violations = () => findViolations(contentsIn(world));

        const walk = (own: Table) => operation.walk(over(own, clock, 2), told);
        const { landLate } = await withMishap(table, at, mishap, walk, readsMax);
        expect(violations(), where).toEqual([]);
        const again = repeatOf(operation);
        if (again) {
          clock.nowMs += AUTHOR_MS;
          await withRetries(() => again(over(table, clock, 3), told, clock));
          expect(violations(), `${where}, repeated`).toEqual([]);
        }
        await landLate();
        expect(violations(), `${where}, landed late`).toEqual([]);

        await scheduledRuns(world, 3);
        expect(findViolations(contentsIn(world), { quiet: true }), where).toEqual([]);
        for (const kept of keptOf(operation, told))
          expect(heldNow(world, kept), `${where}: ${kept.handle}`).toBe(true);
        await expectEverythingAssignable(world, where);
      }
    },
  );
});

const REPEATED = NAMED.filter(([, { again }]) => again === "the same answer");

describe.each(REPEATED)("%s, cut off at any call", (name, operation) => {
  const before = REPEATED.findIndex(([other]) => other === name) * MISHAPS.length;
  it.each(MISHAPS)("is answered rightly when it comes again after: %s", async (mishap) => {
    const { world, told } = await prepared(operation);
    const calls = await callsOf(world.table, (own) =>
      operation.walk(contextOver(own, world.clock, 2), told),
    );
    for (const at of callsToTry(calls, before + MISHAPS.indexOf(mishap), oneIn(36))) {
      const { world, told } = await prepared(operation);
      const { table, clock } = world;
      const where = `${calls[at]} (call ${at})`;
      const walk = (own: Table, seed: number) =>
        operation.walk(contextOver(own, clock, seed), told);
      const { answer, landLate } = await withMishap(table, at, mishap, (own) => walk(own, 2));
      clock.nowMs += AUTHOR_MS;
      const second = await walk(table, 3);
      expect(isAssignment(second), where).toBe(true);
      expect(await walk(table, 4), where).toEqual(second);
      if (isAssignment(answer)) expect(second, where).toEqual(answer);
      await landLate();
      expect(await walk(table, 5), where).toEqual(second);
      expect(findViolations(contentsIn(world)), where).toEqual([]);
    }
  });
});
