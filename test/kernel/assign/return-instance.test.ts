import { expect, it } from "vitest";
import { REQUEST_MS_MAX } from "../../../src/base/limits.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import { instanceRequest, podOf, releaseOf } from "../../instances.ts";
import { answerOf, withIntruderAtWrite } from "../../simulation/crash-points.ts";
import { assigned, contentsIn, contextOver, makeWorld } from "../../world.ts";

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
