import { expect, it } from "vitest";
import { formatCidr } from "../../../../src/net/cidr.ts";
import { listPrefixes } from "../../../../src/nouns/prefix/operations/list-prefixes.ts";
import { CONFIRM_SECONDS, ensure, free, putPrefixPools } from "../../../prefixes.ts";
import { repairAll } from "../../../scheduled-runs.ts";
import { stoppedBefore } from "../../../simulation/crash-points.ts";
import { contextOver, makeWorld, SPACE } from "../../../world.ts";

it("a statement that meets the end of the lease is answered with what the node keeps", async () => {
  const world = await makeWorld();
  const { table, clock, calm } = world;
  await putPrefixPools(calm);
  const podCidrs = await ensure(calm, "node-1");
  clock.nowMs += 2 * 1000 * CONFIRM_SECONDS;

  // The node has read its allocation, and is about to take the lease off.
  const late = stoppedBefore(table, (step) => step === "confirm");
  const stated = ensure(contextOver(late.table, clock, 2), "node-1", { podCidrs });
  await late.stops;
  // The repair run has marked it, and is about to free the slots.
  const ending = stoppedBefore(table, (step) => step === "free-slots");
  const repaired = repairAll(contextOver(ending.table, clock, 3));
  await ending.stops;

  late.goOn();
  expect(await stated).toEqual(podCidrs);
  ending.goOn();
  await repaired;
  const kept = await listPrefixes(calm, { space: SPACE, node: "node-1", uid: "a" });
  expect(kept.map(({ cidr, expiresAtMs }) => [formatCidr(cidr), expiresAtMs])).toEqual(
    podCidrs.map((cidr) => [cidr, undefined]),
  );
  expect((await free(calm, "node-1")).toSorted()).toEqual(podCidrs.toSorted());
});
