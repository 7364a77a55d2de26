import { describe, expect, it } from "vitest";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { parseGeneration } from "../../src/kernel/values/generation.ts";
import { amendAddress } from "../../src/nouns/address/operations/amend-address.ts";
import { readAddress } from "../../src/nouns/address/operations/read-address.ts";
import {
  addressOf,
  assigned,
  contentsIn,
  makeWorld,
  releaseAll,
  requestOf,
  SPACE,
  scheduledRuns,
  type World,
} from "../world.ts";

const LEASE_SECONDS = 300;
const leased = (handle: string, count: number, key?: string): AssignRequest => ({
  ...requestOf(handle, count, key),
  leaseSeconds: LEASE_SECONDS,
});

/** Assigns a leased address, and returns it with a function that renews its lease. */
async function leaseIn(world: World, request = leased("vm", 1)) {
  const told = await assigned(world.calm, request);
  const [first] = told.addresses;
  if (!first) throw new Error("nothing was assigned");
  const generation = parseGeneration(first.generation);
  if (!generation.ok) throw new Error(generation.problem);
  const address = addressOf(first.address);
  const renew = () =>
    amendAddress(world.calm, SPACE, {
      address,
      generation: generation.value,
      leaseSeconds: LEASE_SECONDS,
    });
  const state = async () => (await readAddress(world.calm, SPACE, address)) as { state: string };
  return { told, address, renew, state };
}

describe("a leased address", () => {
  it("is its owner's until the lease ends, and says until when", async () => {
    const world = await makeWorld();
    const { told, state } = await leaseIn(world);
    const expiresAtMs = world.clock.nowMs + 1000 * LEASE_SECONDS;
    expect(told.addresses).toMatchObject([{ expiresAtMs }]);
    await scheduledRuns(world, 2);
    expect(await state()).toMatchObject({ state: "assigned", expiresAtMs });
  });

  it("is taken back by the repair run after that, and cools", async () => {
    const world = await makeWorld();
    const { state } = await leaseIn(world);
    world.clock.nowMs += 1000 * LEASE_SECONDS;
    await scheduledRuns(world, 1, 2_000);
    expect(await state()).toMatchObject({ state: "cooling" });
    expect(contentsIn(world).allocations).toEqual([]);
  });

  it("stays when it is renewed in time", async () => {
    const world = await makeWorld();
    const { renew, state } = await leaseIn(world);
    world.clock.nowMs += 1000 * (LEASE_SECONDS - 1);
    const expiresAtMs = world.clock.nowMs + 1000 * LEASE_SECONDS;
    expect(await renew()).toMatchObject({ handle: "vm", expiresAtMs });
    await scheduledRuns(world, 2);
    expect(await state()).toMatchObject({ state: "assigned", expiresAtMs });
    await scheduledRuns(world, 2);
    expect(await state()).not.toMatchObject({ state: "assigned" });
  });

  it("can be renewed late, as long as the repair run has not been by, and not after", async () => {
    const world = await makeWorld();
    const { renew } = await leaseIn(world);
    world.clock.nowMs += 1000 * (LEASE_SECONDS + 60);
    expect(await renew()).toMatchObject({ handle: "vm" });
    world.clock.nowMs += 1000 * (LEASE_SECONDS + 60);
    await scheduledRuns(world, 1);
    expect(await renew()).toMatchObject({ code: "generation_conflict" });
  });

  it("is renewed with all others of its request", async () => {
    const world = await makeWorld();
    const { told, renew } = await leaseIn(world, leased("vm", 3));
    world.clock.nowMs += 1000 * (LEASE_SECONDS - 1);
    await renew();
    await scheduledRuns(world, 2);
    for (const { address } of told.addresses)
      expect(await readAddress(world.calm, SPACE, addressOf(address))).toMatchObject({
        state: "assigned",
      });
  });

  it("that was released is not renewed, also when the release was cut off before its allocation went", async () => {
    const world = await makeWorld();
    const { told, address, renew } = await leaseIn(world);
    const allocation = contentsIn(world).allocations[0];
    await releaseAll(world.calm, told);
    if (allocation) await world.calm.store.createAllocation(allocation);
    expect(await renew()).toMatchObject({ code: "generation_conflict" });
    const byHandle = { address, handle: "vm", leaseSeconds: LEASE_SECONDS };
    expect(await amendAddress(world.calm, SPACE, byHandle)).toMatchObject({ code: "not_found" });
  });

  it("is renewed by its handle too, and by no other", async () => {
    const world = await makeWorld();
    const { address } = await leaseIn(world);
    const renewFor = (handle: string) =>
      amendAddress(world.calm, SPACE, { address, handle, leaseSeconds: LEASE_SECONDS });
    expect(await renewFor("vm")).toMatchObject({ handle: "vm" });
    expect(await renewFor("other")).toMatchObject({ code: "generation_conflict" });
  });

  it("under a key tells a repeat the same while it lasts, and that it is over after that", async () => {
    const world = await makeWorld();
    const keyed = leased("vm", 1, "once");
    const first = await assigned(world.calm, keyed);
    expect(await assigned(world.calm, keyed)).toEqual(first);
    world.clock.nowMs += 1000 * (LEASE_SECONDS + 60);
    expect(await assign(world.calm, keyed)).toMatchObject({ code: "already_released" });
    await scheduledRuns(world, 2);
    expect(await assign(world.calm, keyed)).toMatchObject({ code: "already_released" });
  });

  it("under a key that was freed in part still ends in time", async () => {
    const world = await makeWorld();
    const told = await assigned(world.calm, leased("vm", 2, "once"));
    await releaseAll(world.calm, { ...told, addresses: told.addresses.slice(0, 1) });
    await scheduledRuns(world, 1);
    expect(contentsIn(world).blocks[0]?.slots.size).toBeGreaterThan(0);
    world.clock.nowMs += 1000 * LEASE_SECONDS;
    await scheduledRuns(world, 1);
    expect((await releaseHandle(world.calm, SPACE, "vm")).released).toEqual([]);
  });

  it("that crashed before it was taken begins again, however late its key comes back", async () => {
    const world = await makeWorld();
    const keyed = leased("vm", 1, "once");
    await assigned(world.calm, keyed);
    const allocation = contentsIn(world).allocations[0];
    await releaseHandle(world.calm, SPACE, "vm");
    for (const item of world.table.items())
      if (item.pk.startsWith("HANDLE#"))
        await world.table.write({ step: "test", key: item, when: [], change: { kind: "delete" } });
    if (allocation) await world.calm.store.createAllocation(allocation);
    world.clock.nowMs += 1000 * (LEASE_SECONDS + 60);
    expect(await assign(world.calm, keyed)).toMatchObject({ handle: "vm", requested: 1 });
  });
});

describe("an address without a lease", () => {
  it("cannot be renewed, and the field says so", async () => {
    const world = await makeWorld();
    const { renew } = await leaseIn(world, requestOf("vm", 1));
    expect(await renew()).toMatchObject({
      code: "invalid_request",
      members: { fields: [{ field: "leaseSeconds" }] },
    });
  });

  it("stays, however long nobody asks", async () => {
    const world = await makeWorld();
    const { state } = await leaseIn(world, requestOf("vm", 1));
    await scheduledRuns(world, 3, 400 * 24 * 60 * 60 * 1000);
    expect(await state()).toMatchObject({ state: "assigned" });
  });
});
