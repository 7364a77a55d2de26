import { describe, expect, it } from "vitest";
import { listPrefixes } from "../../../../src/allocator/prefixes/list-prefixes.ts";
import { formatCidr } from "../../../../src/domain/cidr.ts";
import type { NodeStatement } from "../../../../src/domain/node-event.ts";
import { NODE, say, stated } from "../../../node-events.ts";
import { CONFIRM_SECONDS, ensure, putPrefixPools } from "../../../prefixes.ts";
import { repairAll } from "../../../scheduled-runs.ts";
import { stoppedBefore } from "../../../simulation/crash-points.ts";
import { contextOver, makeWorld, SPACE, type World } from "../../../world.ts";

const UID = "uid-1";

/** Returns a world in which a node has prefixes, their lease has ended, and its cluster said this of it before. */
async function endedLease(said: Partial<NodeStatement> = {}) {
  const world = await makeWorld();
  const { calm, clock } = world;
  // The event comes before the pools, so that it gives the node nothing.
  await say(calm, stated(1, { uid: UID, ...said }));
  await putPrefixPools(calm);
  const cidrs = await ensure(contextOver(world.table, clock, 2), NODE, { uid: UID });
  clock.nowMs += 2 * 1000 * CONFIRM_SECONDS;
  return { world, cidrs };
}

const stateOf = async ({ calm }: World) =>
  (await listPrefixes(calm, { space: SPACE, node: NODE, uid: UID })).map(
    ({ cidr, expiresAtMs }) => [formatCidr(cidr), expiresAtMs === undefined],
  );

describe("the repair run, at the end of the lease of a node's prefixes,", () => {
  it("keeps them unconfirmed while the node is known and has none", async () => {
    const { world, cidrs } = await endedLease();
    await repairAll(world.calm);
    expect(await stateOf(world)).toEqual(cidrs.map((cidr) => [cidr, false]));
  });

  it("gives them back if the node has others", async () => {
    const { world } = await endedLease({ podCidrs: ["192.0.2.0/24"] });
    await repairAll(world.calm);
    expect(await stateOf(world)).toEqual([]);
  });

  it("confirms them if the node reported one of them, and its author was cut off", async () => {
    const world = await makeWorld();
    const { calm, clock, table } = world;
    await putPrefixPools(calm);
    await say(calm, stated(1, { uid: UID }));
    const cidrs = await ensure(calm, NODE, { uid: UID });
    const cut = stoppedBefore(table, (step) => step === "confirm");
    const saying = say(
      contextOver(cut.table, clock, 3),
      stated(2, { uid: UID, podCidrs: cidrs }),
    ).catch(() => undefined);
    await cut.stops;
    cut.end();
    await saying;
    clock.nowMs += 2 * 3_600_000;
    await repairAll(calm);
    expect(await stateOf(world)).toEqual(cidrs.map((cidr) => [cidr, true]));
  });
});
