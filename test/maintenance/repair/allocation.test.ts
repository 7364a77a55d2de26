import { expect, it } from "vitest";
import { GRACE_MS } from "../../../src/base/limits.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import { releaseHandle } from "../../../src/kernel/release/release-handle.ts";
import { repairAll } from "../../scheduled-runs.ts";
import { withIntruderAtWrite } from "../../simulation/crash-points.ts";
import {
  assigned,
  contextOver,
  makeWorld,
  releaseAll,
  requestOf,
  SPACE,
  scheduledRuns,
} from "../../world.ts";

it("a key whose addresses were released while the repair run looked at them is not used again", async () => {
  const keyed = requestOf("keyed", 2, "once");
  let meetings = 0;
  for (let at = 0, came = true; came; at++) {
    came = false;
    const world = await makeWorld();
    const { table, clock, calm } = world;
    const told = await assigned(calm, keyed);
    // The release of one address makes the allocation due.
    await releaseAll(calm, { ...told, addresses: told.addresses.slice(0, 1) });
    clock.nowMs += GRACE_MS + 1;
    const slow = withIntruderAtWrite(table, { at, lost: false }, async () => {
      came = true;
      meetings++;
      await releaseHandle(contextOver(table, clock, 3), SPACE, "keyed");
    });
    await repairAll(contextOver(slow, clock, 2));
    if (!came) break;
    await scheduledRuns(world, 2);
    expect(await assign(calm, keyed), `write ${at}`).toMatchObject({ code: "already_released" });
  }
  expect(meetings).toBeGreaterThan(0);
});
