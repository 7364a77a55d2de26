import { describe, expect, it } from "vitest";
import { assign } from "../../../src/kernel/assign/assign.ts";
import { withCalls } from "../../../src/kernel/core/store.ts";
import type { Workload } from "../../../src/nouns/application/workload.ts";
import {
  putPool,
  putReservation,
  putSettings,
} from "../../../src/nouns/pool/operations/administration.ts";
import type { PoolSpec } from "../../../src/nouns/pool/pool.ts";
import { SETTINGS_DEFAULT } from "../../../src/nouns/settings/settings.ts";
import { intervals } from "../../builders.ts";
import { addressesIn, instanceRequest, podOf, releaseOf } from "../../instances.ts";
import { heldNow, isAssignment } from "../../simulation/aftermath.ts";
import { answerOf, callsOf, stoppedBefore, withIntruder } from "../../simulation/crash-points.ts";
import {
  addressOf,
  assigned,
  contentsIn,
  contextOver,
  makeWorld,
  poolOf,
  requestOf,
  SPACE,
  scheduledRuns,
  type World,
} from "../../world.ts";

const deploymentPod = (uid: string): Workload =>
  podOf(uid, { kind: "Deployment", name: "web", instance: "web-7f9c" });
const on = (host: string) => ({ host: `host:${host}` }) as const;

/** A request of an instance for these addresses. */
function named(uid: string, ...texts: readonly string[]) {
  const addresses = texts.map(addressOf);
  const wanted = addresses.map(({ family }) => ({ family, count: 1 }));
  return instanceRequest(podOf(uid), { wanted, addresses });
}

/** A function in a space with a pool of each family. */
async function withSix() {
  const { calm } = await makeWorld();
  await putPool(calm, SPACE, "six", poolOf("2001:db8::/126", 127), undefined);
  return calm;
}

describe("a request for an instance that has its addresses", () => {
  it("gets the same answer under the same uid", async () => {
    const { calm } = await makeWorld();
    const first = await assigned(calm, instanceRequest(podOf("a")));
    expect(await assigned(calm, instanceRequest(podOf("a")))).toEqual(first);
    expect(first.handle).toBe("workload/shop/StatefulSet/db/db-0");
  });

  it("keeps what a repeat was told, if the slots of the first request land while another repeat looks for them", async () => {
    let scenes = 0;
    for (let at = 0; await landsDuring(at); at++) scenes++;
    expect(scenes).toBeGreaterThan(1);
  });

  it("is rejected under the same uid with another body", async () => {
    const { calm } = await makeWorld();
    await assigned(calm, instanceRequest(podOf("a")));
    const wider = instanceRequest(podOf("a"), { wanted: [{ family: 4, count: 2 }] });
    expect(await assign(calm, wider)).toMatchObject({ code: "idempotency_mismatch" });
  });

  it("moves them to another host under the same uid, as a live migration does", async () => {
    const world = await makeWorld();
    const { calm } = world;
    const vm = podOf("a", { kind: "VirtualMachineInstance", name: "vm", instance: "vm" });
    const first = await assigned(calm, instanceRequest(vm));
    const moved = await assigned(calm, instanceRequest(vm, on("node-2")));
    expect(addressesIn(moved)).toEqual(addressesIn(first));
    expect(contentsIn(world).allocations).toMatchObject([
      { host: "host:node-2", workload: { uid: "a", earlierUids: [] } },
    ]);
  });

  it.each(["StatefulSet", "VirtualMachine", "VirtualMachineInstance"])(
    "gets them again under another uid on any host: %s",
    async (kind) => {
      const world = await makeWorld();
      const { calm } = world;
      const first = await assigned(calm, instanceRequest(podOf("a", { kind })));
      const second = await assigned(calm, instanceRequest(podOf("b", { kind }), on("node-2")));
      expect(addressesIn(second)).toEqual(addressesIn(first));
      expect(second.addresses[0]?.generation).not.toBe(first.addresses[0]?.generation);
      expect(second.addresses[0]?.borrowed).toBe(true);
      expect(contentsIn(world).borrowedBlocks).toMatchObject([{ host: "host:node-2" }]);
      await scheduledRuns(world, 3);
      expect(contentsIn(world).borrowedBlocks).toMatchObject([{ host: "host:node-2" }]);
    },
  );

  it("gets others under another uid if its kind keeps none, and the old ones are released", async () => {
    const world = await makeWorld();
    const { calm } = world;
    const first = await assigned(calm, instanceRequest(deploymentPod("a")));
    const second = await assigned(calm, instanceRequest(deploymentPod("b")));
    expect(addressesIn(second)).not.toEqual(addressesIn(first));
    expect(contentsIn(world).allocations).toMatchObject([
      { state: "live", workload: { uid: "b", earlierUids: ["a"] } },
    ]);
  });

  it("is rejected under a uid that another one has replaced", async () => {
    const { calm } = await makeWorld();
    await assigned(calm, instanceRequest(podOf("a")));
    await assigned(calm, instanceRequest(podOf("b")));
    expect(await assign(calm, instanceRequest(podOf("a")))).toMatchObject({
      code: "already_released",
    });
  });

  it("remembers the last eight uids before the current one", async () => {
    const world = await makeWorld();
    for (const uid of "abcdefghij") await assigned(world.calm, instanceRequest(podOf(uid)));
    expect(contentsIn(world).allocations).toMatchObject([
      { workload: { uid: "j", earlierUids: [..."bcdefghi"] } },
    ]);
  });
});

describe("an instance of a kind that keeps its addresses gets them again", () => {
  const keptIn = async (world: World) => {
    const first = await assigned(world.calm, instanceRequest(podOf("a")));
    await releaseOf(world.calm, podOf("a"), true);
    return first;
  };
  const revisionIn = async ({ calm }: World) =>
    (await calm.store.readSpace(SPACE)).pools[0]?.revision;

  it("after a keep, under the same uid and under another", async () => {
    const world = await makeWorld();
    const first = await keptIn(world);
    const again = await assigned(world.calm, instanceRequest(podOf("a")));
    expect(addressesIn(again)).toEqual(addressesIn(first));
    await releaseOf(world.calm, podOf("a"), true);
    const later = await assigned(world.calm, instanceRequest(podOf("b"), on("node-3")));
    expect(addressesIn(later)).toEqual(addressesIn(first));
  });

  it("on another host in four waits: its slots are read while its allocation names the host", async () => {
    const world = await makeWorld();
    const { table, clock, calm } = world;
    await keptIn(world);
    await assigned(calm, { ...requestOf("known", 1), ...on("node-2") });
    const calls = await callsOf(table, (own) =>
      assigned(
        { ...contextOver(own, clock, 2), cache: calm.cache },
        instanceRequest(podOf("b"), on("node-2")),
      ),
    );
    expect(calls).toEqual(["get", "instance-return", "get", "borrowed", "instance-return"]);
  });

  it("when reservations cover them", async () => {
    const world = await makeWorld();
    const first = await keptIn(world);
    const all = { cidrs: ["10.0.0.0/29"], intervals: intervals("10.0.0.0-10.0.0.7") };
    await putReservation(world.calm, SPACE, "all", all, undefined);
    const fresh = contextOver(world.table, world.clock, 7);
    expect(addressesIn(await assigned(fresh, instanceRequest(podOf("b"))))).toEqual(
      addressesIn(first),
    );
  });

  it("when their pool is disabled", async () => {
    const world = await makeWorld();
    const first = await keptIn(world);
    const disabled = { ...poolOf("10.0.0.0/29", 31), disabled: true };
    await putPool(world.calm, SPACE, "pool", disabled, await revisionIn(world));
    const fresh = contextOver(world.table, world.clock, 7);
    expect(addressesIn(await assigned(fresh, instanceRequest(podOf("b"))))).toEqual(
      addressesIn(first),
    );
  });

  it("when it names them, one of each family, and gets the others that it names if not", async () => {
    const calm = await withSix();
    const first = await assigned(calm, named("a", "10.0.0.5", "2001:db8::2"));
    const again = await assigned(calm, named("b", "10.0.0.5", "2001:db8::2"));
    expect(addressesIn(again)).toEqual(addressesIn(first));
    const others = ["10.0.0.6", "2001:db8::3"];
    expect(addressesIn(await assigned(calm, named("c", ...others)))).toEqual(others);
  });

  it.each([
    ["a Manual pool", {}],
    ["a pool that is no default pool of its network", { defaultPools: ["pool"] }],
    ["a pool that it names as well", { pools: ["second"] }],
  ])("when it names them, out of %s", async (_, asked) => {
    const { calm } = await makeWorld();
    const manual: PoolSpec = { ...poolOf("10.9.0.0/29", 31), assignmentMode: "Manual" };
    await putPool(calm, SPACE, "second", manual, undefined);
    const first = await assigned(calm, { ...named("a", "10.9.0.5"), ...asked });
    const again = await assigned(calm, { ...named("b", "10.9.0.5"), ...asked, ...on("node-2") });
    expect(addressesIn(again)).toEqual(addressesIn(first));
    expect(again.addresses[0]?.generation).not.toBe(first.addresses[0]?.generation);
  });

  it("not when it names them and another pool", async () => {
    const { calm } = await makeWorld();
    await putPool(calm, SPACE, "second", poolOf("10.9.0.0/29", 31), undefined);
    await assigned(calm, named("a", "10.0.0.5"));
    const elsewhere = { ...named("b", "10.0.0.5"), pools: ["second"] };
    expect(await assign(calm, elsewhere)).toMatchObject({ code: "no_pool_available" });
  });

  it.each([
    ["10.0.0.5", "2001:db8::3"],
    ["10.0.0.6", "2001:db8::2"],
  ])("not when it names another one of a family: %s and %s", async (...texts) => {
    const calm = await withSix();
    await assigned(calm, named("a", "10.0.0.5", "2001:db8::2"));
    // The old ones are released, so that the one that it names again cools.
    expect(await assign(calm, named("b", ...texts))).toMatchObject({ code: "address_cooling" });
  });

  it("when no address is free", async () => {
    const world = await makeWorld();
    const first = await keptIn(world);
    await assigned(world.calm, requestOf("others", 7));
    const again = await assigned(world.calm, instanceRequest(podOf("b"), on("node-2")));
    expect(addressesIn(again)).toEqual(addressesIn(first));
  });

  it("not when it asks for more, and the old ones are released", async () => {
    const world = await makeWorld();
    const first = await keptIn(world);
    const two = instanceRequest(podOf("b"), { wanted: [{ family: 4, count: 2 }] });
    const again = await assigned(world.calm, two);
    expect(addressesIn(again)).toHaveLength(2);
    expect(addressesIn(again)).not.toContain(addressesIn(first)[0]);
  });

  it("not when it names other pools", async () => {
    const world = await makeWorld();
    await keptIn(world);
    await putPool(world.calm, SPACE, "second", poolOf("10.9.0.0/29", 31), undefined);
    const elsewhere = instanceRequest(podOf("b"), { pools: ["second"] });
    const fresh = contextOver(world.table, world.clock, 7);
    expect(await assigned(fresh, elsewhere)).toMatchObject({ addresses: [{ pool: "second" }] });
  });

  it("not from a pool that has become Manual, which serves only requests that name it", async () => {
    const world = await makeWorld();
    const first = await keptIn(world);
    const manual: PoolSpec = { ...poolOf("10.0.0.0/29", 31), assignmentMode: "Manual" };
    await putPool(world.calm, SPACE, "pool", manual, await revisionIn(world));
    await putPool(world.calm, SPACE, "second", poolOf("10.9.0.0/29", 31), undefined);
    const naming = contextOver(world.table, world.clock, 7);
    const again = await assigned(naming, instanceRequest(podOf("b"), { pools: ["pool"] }));
    expect(addressesIn(again)).toEqual(addressesIn(first));
    const fresh = contextOver(world.table, world.clock, 8);
    expect(await assigned(fresh, instanceRequest(podOf("c")))).toMatchObject({
      addresses: [{ pool: "second" }],
    });
  });

  it("not on another host when affinity is strict", async () => {
    const world = await makeWorld();
    const first = await keptIn(world);
    const { settingsRevision } = await world.calm.store.readSpace(SPACE);
    const strict = { ...SETTINGS_DEFAULT, strictAffinity: true };
    await putSettings(world.calm, SPACE, strict, settingsRevision);
    const fresh = contextOver(world.table, world.clock, 7);
    const again = await assigned(fresh, instanceRequest(podOf("b"), on("node-2")));
    expect(addressesIn(again)).not.toEqual(addressesIn(first));
    expect(again.addresses[0]?.borrowed).toBe(false);
  });

  it("not on a host that must be registered and is not; the addresses stay", async () => {
    const world = await makeWorld();
    await keptIn(world);
    const { settingsRevision } = await world.calm.store.readSpace(SPACE);
    const registered = { ...SETTINGS_DEFAULT, requireRegisteredHosts: true };
    await putSettings(world.calm, SPACE, registered, settingsRevision);
    const fresh = contextOver(world.table, world.clock, 7);
    expect(await assign(fresh, instanceRequest(podOf("b")))).toMatchObject({
      code: "host_not_registered",
    });
    expect(contentsIn(world).allocations).toMatchObject([{ state: "kept" }]);
  });
});

describe("a later uid", () => {
  it("waits for a first assign that is in progress, and ends one that was cut off", async () => {
    const world = await makeWorld();
    const { calm, clock } = world;
    await assigned(calm, requestOf("old", 1));
    const dying = {
      ...calm,
      store: withCalls(calm.store, {
        takeSlots: () => Promise.reject(new Error("killed")),
      }),
    };
    await expect(assign(dying, instanceRequest(podOf("a")))).rejects.toThrow("killed");
    expect(await assign(calm, instanceRequest(podOf("b")))).toMatchObject({
      code: "request_in_progress",
    });
    clock.nowMs += 20_000;
    await assigned(calm, instanceRequest(podOf("b")));
    expect(contentsIn(world).allocations).toHaveLength(2);
  });
});

/**
 * Lets the slot write of a first request land before one call of a repeat, and then lets a second repeat be answered.
 *
 * @returns false if the repeat has no such call
 */
async function landsDuring(at: number): Promise<boolean> {
  const world = await makeWorld();
  const { table, clock } = world;
  const request = instanceRequest(podOf("a"));
  const late = stoppedBefore(table, (step) => step === "take-slots");
  const first = answerOf(assign(contextOver(late.table, clock, 2), request));
  await late.stops;
  clock.nowMs += 20_000; // longer than any author may live
  let came = false;
  let told: unknown;
  const looking = withIntruder(table, at, async () => {
    came = true;
    late.goOn();
    await first;
    told = await assign(contextOver(table, clock, 3), request);
  });
  const again = await assigned(contextOver(looking, clock, 4), request);
  if (!came) return false;
  expect(heldNow(world, again), `before call ${at}`).toBe(true);
  // A repeat that comes when the first request is decided is rejected, because the other repeat is in progress.
  if (isAssignment(told)) expect(heldNow(world, told), `before call ${at}`).toBe(true);
  return true;
}
