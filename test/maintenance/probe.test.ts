import { expect, it } from "vitest";
import { probe } from "../../src/maintenance/probe.ts";
import { repairAll } from "../scheduled-runs.ts";
import { stoppedBefore } from "../simulation/crash-points.ts";
import { contentsIn, contextOver, makeWorld } from "../world.ts";

it("what a probe leaves that was cut off is free after its lease", async () => {
  const world = await makeWorld();
  await probe(world.calm);
  world.clock.nowMs += 60_000;
  const cut = stoppedBefore(world.table, (step) => step === "free-slots");
  void probe(contextOver(cut.table, world.clock, 2)).catch(() => {});
  await cut.stops;
  cut.end();
  expect(contentsIn(world).allocations).toHaveLength(1);
  world.clock.nowMs += 120_000;
  await repairAll(world.calm);
  expect(contentsIn(world).allocations).toEqual([]);
});
