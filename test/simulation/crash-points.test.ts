import { describe, expect, it } from "vitest";
import { assign } from "../../src/allocator/assign/assign.ts";
import { findViolations } from "../../src/domain/invariants.ts";
import { Rejection } from "../../src/domain/outcome.ts";
import type { Table } from "../../src/store/table.ts";
import {
  assigned,
  contentsIn,
  contextOver,
  makeWorld,
  scheduledRuns,
  type World,
} from "../world.ts";
import { expectEverythingAssignable, heldNow, withRetries } from "./aftermath.ts";
import { callsOf, MISHAPS, withMishap } from "./crash-points.ts";
import { KEYED, NAMED, prepared } from "./operations.ts";
import { PLACES } from "./places.ts";
import { callsToTry, oneIn } from "./sampled-calls.ts";

const CASES = MISHAPS.flatMap((mishap, m) =>
  PLACES.map((place, p) => ({ mishap, ...place, number: m + p })),
);
/** In a sample each operation has every fault in one of the places, by turns. */
const STEP = oneIn(PLACES.length);

describe.each(NAMED)("%s", (name, operation) => {
  const first = NAMED.findIndex(([other]) => other === name) % STEP;
  it.each(CASES.filter(({ number }) => number % STEP === first))(
    "loses and leaves nothing when, at any of its calls, $mishap, under $under",
    async ({ mishap, under, over, readsMax, number }) => {
      const { world, told } = await prepared(operation);
      const calls = await callsOf(world.table, (own) =>
        operation.walk(over(own, world.clock, 2), told),
      );
      expect(calls).toContain(operation.step);
      for (const at of callsToTry(calls, number, oneIn(15))) {
        const { world, told } = await prepared(operation);
        const { table, clock } = world;
        const where = `${mishap}, under ${under}: ${calls[at]} (call ${at})`;
        const violations = () => findViolations(contentsIn(world));

        const walk = (own: Table) => operation.walk(over(own, clock, 2), told);
        const { landLate } = await withMishap(table, at, mishap, walk, readsMax);
        expect(violations(), where).toEqual([]);
        if (operation.again) {
          clock.nowMs += 20_000; // older than any author may live
          await withRetries(() => operation.again?.(over(table, clock, 3), told, clock));
          expect(violations(), `${where}, repeated`).toEqual([]);
        }
        await landLate();
        expect(violations(), `${where}, landed late`).toEqual([]);

        await scheduledRuns(world, 3);
        expect(findViolations(contentsIn(world), { quiet: true }), where).toEqual([]);
        for (const handle of operation.kept)
          expect(heldNow(world, told[handle]), `${where}: ${handle}`).toBe(true);
        await expectEverythingAssignable(world, where);
      }
    },
  );
});

describe.each(KEYED)("a keyed request for $name, cut off at any call", ({ request, prepare }) => {
  it.each(MISHAPS)("is answered rightly when it comes again after: %s", async (mishap) => {
    const { table, clock } = await worldWith(prepare);
    const calls = await callsOf(table, (own) => assign(contextOver(own, clock, 2), request));
    for (const at of callsToTry(calls, MISHAPS.indexOf(mishap), oneIn(15))) {
      const world = await worldWith(prepare);
      const { table, clock } = world;
      const where = `${calls[at]} (call ${at})`;
      const { answer, landLate } = await withMishap(table, at, mishap, (own) =>
        assign(contextOver(own, clock, 2), request),
      );
      clock.nowMs += 20_000;
      const second = await assigned(contextOver(table, clock, 3), request);
      const third = await assigned(contextOver(table, clock, 4), request);
      expect(third, where).toEqual(second);
      if (answer && !(answer instanceof Rejection)) expect(second, where).toEqual(answer);
      await landLate();
      expect(await assigned(contextOver(table, clock, 5), request), where).toEqual(second);
      expect(findViolations(contentsIn(world)), where).toEqual([]);
    }
  });
});

async function worldWith(prepare: (typeof KEYED)[number]["prepare"]): Promise<World> {
  const world = await makeWorld();
  await prepare?.(world.calm);
  return world;
}
