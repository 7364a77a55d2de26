import { describe, expect, it } from "vitest";
import { assign } from "../../src/allocator/assign.ts";
import { findViolations } from "../../src/domain/invariants.ts";
import { Refusal } from "../../src/domain/outcome.ts";
import { assigned, contentsIn, contextOver, makeWorld, passes } from "../world.ts";
import { expectEverythingAssignable, heldNow, patiently } from "./aftermath.ts";
import { callsOf, MISHAPS, withMishap } from "./crash-points.ts";
import { keyedPair, NAMED, prepared } from "./operations.ts";

describe.each(NAMED)("%s", (_, operation) => {
  it.each(MISHAPS)("loses and leaves nothing when, at any of its calls, %s", async (mishap) => {
    const { world, told } = await prepared(operation);
    const calls = await callsOf(world.table, (own) =>
      operation.walk(contextOver(own, world.clock, 2), told),
    );
    expect(calls).toContain(operation.step);
    for (let at = 0; at < calls.length; at++) {
      const { world, told } = await prepared(operation);
      const { table, clock } = world;
      const where = `${mishap}: ${calls[at]} (call ${at})`;
      const violations = () => findViolations(contentsIn(world));

      const { landLate } = await withMishap(table, at, mishap, (own) =>
        operation.walk(contextOver(own, clock, 2), told),
      );
      expect(violations(), where).toEqual([]);
      if (operation.again) {
        clock.nowMs += 20_000; // older than any author may live
        await patiently(() => operation.again?.(contextOver(table, clock, 3), told, clock));
        expect(violations(), `${where}, repeated`).toEqual([]);
      }
      await landLate();
      expect(violations(), `${where}, landed late`).toEqual([]);

      await passes(world, 3);
      expect(findViolations(contentsIn(world), { quiet: true }), where).toEqual([]);
      for (const handle of operation.kept)
        expect(heldNow(world, told[handle]), `${where}: ${handle}`).toBe(true);
      await expectEverythingAssignable(world, where);
    }
  });
});

describe("a keyed request whose author was cut off at any call", () => {
  it.each(MISHAPS)("is answered rightly when it comes again after: %s", async (mishap) => {
    const { table } = await makeWorld();
    const calls = await callsOf(table, (own) =>
      assign(contextOver(own, { nowMs: 0 }, 2), keyedPair),
    );
    for (let at = 0; at < calls.length; at++) {
      const world = await makeWorld();
      const { table, clock } = world;
      const { answer, landLate } = await withMishap(table, at, mishap, (own) =>
        assign(contextOver(own, clock, 2), keyedPair),
      );
      clock.nowMs += 20_000;
      const second = await assigned(contextOver(table, clock, 3), keyedPair);
      const third = await assigned(contextOver(table, clock, 4), keyedPair);
      expect(third, `call ${at}`).toEqual(second);
      if (answer && !(answer instanceof Refusal)) expect(second).toEqual(answer);
      await landLate();
      expect(await assigned(contextOver(table, clock, 5), keyedPair)).toEqual(second);
      expect(findViolations(contentsIn(world)), `call ${at}`).toEqual([]);
    }
  });
});
