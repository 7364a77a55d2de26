import { describe, expect, it } from "vitest";
import { EFFECTIVE_MS_MAX } from "../../../src/base/limits.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import { parseAddress } from "../../../src/net/address.ts";
import { parseInterval } from "../../../src/net/cidr.ts";
import { putReservation } from "../../../src/nouns/pool/operations/administration.ts";
import { end, hold, holding, take, webPod } from "../../applications.ts";
import { addressesIn, instanceRequest, releaseOf } from "../../instances.ts";
import { callsOf } from "../../simulation/crash-points.ts";
import { valueIn } from "../../simulation/scenario.ts";
import { assigned, contentsIn, contextOver, makeWorld, SPACE, type World } from "../../world.ts";

const membersIn = (world: World) =>
  contentsIn(world).applications.flatMap(({ listed }) => listed.map(({ state }) => state));

describe("an assign of an instance from the addresses of its application", () => {
  it("is two writes in a function that knows the application and a block of it", async () => {
    const world = await makeWorld();
    await holding(4)(world);
    const calls = await callsOf(world.table, async (own) => {
      const context = contextOver(own, world.clock);
      for (const n of [1, 2, 3, 4]) await assigned(context, instanceRequest(webPod(n)));
    });
    // The blocks have two addresses each.
    expect(calls.slice(-2)).toEqual(["create-allocation", "take-slots"]);
  });

  it("finds an address that was added after the function read the application", async () => {
    const world = await makeWorld();
    await holding(1)(world);
    const knowing = contextOver(world.table, world.clock, 2);
    await assigned(knowing, instanceRequest(webPod(1)));
    await hold(world.calm, 2);
    const second = await assigned(knowing, instanceRequest(webPod(2)));
    expect(second.addresses).toHaveLength(1);
  });

  it("finds in a function that knew them in use what was given back since", async () => {
    const world = await makeWorld();
    await holding(2)(world);
    const knowing = contextOver(world.table, world.clock, 2);
    const first = await assigned(knowing, instanceRequest(webPod(1)));
    await assigned(knowing, instanceRequest(webPod(2)));
    await releaseOf(world.calm, webPod(1));
    const next = await assigned(knowing, instanceRequest(webPod(3)));
    expect(addressesIn(next)).toEqual(addressesIn(first));
  });

  it("takes none that the application let go, by whatever copy of it", async () => {
    const world = await makeWorld();
    await holding(2)(world);
    const knowing = contextOver(world.table, world.clock, 2);
    await assigned(knowing, instanceRequest(webPod(1)));
    await hold(world.calm, 1);
    expect(await take(knowing, webPod(2))).toMatchObject({ code: "pool_exhausted" });
    await end(world.calm);
    expect(await take(knowing, webPod(3))).toMatchObject({ code: "pool_exhausted" });
  });

  it("comes from its pools again when the application has been gone for as long as a copy lives", async () => {
    const world = await makeWorld();
    await holding(2)(world);
    const knowing = contextOver(world.table, world.clock, 2);
    await assigned(knowing, instanceRequest(webPod(1)));
    await end(world.calm);
    world.clock.nowMs += EFFECTIVE_MS_MAX;
    expect(await assigned(knowing, instanceRequest(webPod(2)))).toMatchObject({
      addresses: [{ pool: "pool" }],
    });
  });

  it("gives up as a whole if one of its addresses is missing", async () => {
    const world = await makeWorld();
    await holding(3)(world);
    const four = { wanted: [{ family: 4, count: 4 }] } as const;
    expect(await assign(world.calm, instanceRequest(webPod(1), four))).toMatchObject({
      code: "pool_exhausted",
      members: { missing: [{ family: 4, count: 1, code: "pool_exhausted" }] },
    });
    expect(membersIn(world)).toEqual(["in", "in", "in"]);
    expect(contentsIn(world).allocations).toHaveLength(1);
  });

  it("takes none that a reservation covers, unless the request names it, and the rejection says so", async () => {
    const world = await makeWorld();
    await holding(2)(world);
    const first = await assigned(world.calm, instanceRequest(webPod(1)));
    await releaseOf(world.calm, webPod(1));
    const [covered = ""] = addressesIn(first);
    const intervals = [valueIn(parseInterval(covered))];
    await putReservation(world.calm, SPACE, "routers", { cidrs: [covered], intervals }, undefined);
    world.clock.nowMs += EFFECTIVE_MS_MAX;
    const second = await assigned(world.calm, instanceRequest(webPod(2)));
    expect(addressesIn(second)).not.toContain(covered);
    expect(await take(world.calm, webPod(3))).toMatchObject({
      code: "pool_exhausted",
      detail: expect.stringContaining("for 1 more, with 1 reserved;"),
    });
    const address = valueIn(parseAddress(covered));
    const named = await assigned(world.calm, instanceRequest(webPod(3), { addresses: [address] }));
    expect(addressesIn(named)).toEqual([covered]);
  });
});
