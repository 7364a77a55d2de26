import { describe, expect, it } from "vitest";
import { formatTime } from "../../src/base/time.ts";
import { amendAddress } from "../../src/nouns/address/operations/amend-address.ts";
import { putPool } from "../../src/nouns/pool/operations/administration.ts";
import { deletePool, drainPool } from "../../src/nouns/pool/operations/pool-jobs.ts";
import { actingAs } from "../acting.ts";
import { instanceRequest, podOf, releaseOf } from "../instances.ts";
import { prefixPool } from "../prefixes.ts";
import { work } from "../scheduled-runs.ts";
import { addressOf, assigned, poolOf, releaseAll, requestOf, SPACE } from "../world.ts";
import { ALICE, type Streamed, streamed, usageOf } from "./streamed.ts";

const asAlice = <T>(work: () => Promise<T>) => actingAs(ALICE, work);
const eventsOf = async (world: Streamed, start: string) =>
  (await world.published()).filter(({ type }) => String(type).startsWith(start));

const revisionIn = async ({ plat }: Streamed) =>
  (await plat.store.readSpace(SPACE)).pools[0]?.revision;

describe("the events of a pool", () => {
  it("tell the fields that a change changed, before and after", async () => {
    const world = await streamed();
    await asAlice(async () =>
      putPool(
        world.plat,
        SPACE,
        "pool",
        { ...poolOf("10.0.0.0/29", 31), disabled: true },
        await revisionIn(world),
      ),
    );
    expect((await eventsOf(world, "PoolChanged"))[0]).toMatchObject({
      ...ALICE,
      pool: "pool",
      before: { disabled: false },
      after: { disabled: true },
    });
  });

  it("tell labels as the API does, also of a change that took them off", async () => {
    const pool = { ...poolOf("10.0.0.0/29", 31), labels: { zone: "a" } };
    const world = await streamed(pool);
    const { labels: _, ...without } = pool;
    await asAlice(async () => putPool(world.plat, SPACE, "pool", without, await revisionIn(world)));
    const [created, changed] = await eventsOf(world, "Pool");
    expect(created).toMatchObject({ labels: { zone: "a" } });
    expect(changed).toMatchObject({ before: { labels: { zone: "a" } }, after: {} });
  });

  it("leave out what a pool of prefixes does not have", async () => {
    const [created] = await eventsOf(await streamed(prefixPool("10.64.0.0/22", 24)), "Pool");
    expect(created).toMatchObject({ type: "PoolCreated", assign: "prefixes" });
    for (const field of ["borrowing", "allowedUses", "kind"])
      expect(created).not.toHaveProperty(field);
  });

  it("tell the end of a drain and the deletion", async () => {
    const world = await streamed();
    await asAlice(async () => drainPool(world.plat, SPACE, "pool", await revisionIn(world)));
    await work(world.plat, world.clock, 10);
    await asAlice(async () => deletePool(world.plat, SPACE, "pool", await revisionIn(world)));
    await work(world.plat, world.clock, 10);
    expect((await eventsOf(world, "Pool")).map(({ type }) => type)).toEqual([
      "PoolCreated",
      "PoolChanged",
      "PoolDrained",
      "PoolDeleted",
    ]);
  });

  it("tell that its use crossed a threshold, in both directions, and that nothing is left", async () => {
    const world = await streamed();
    for (const available of [50n, 0n, 0n, 60n])
      await world.plat.store.putPoolUsage(usageOf("id", available));
    const [crossed, exhausted, left, ...others] = (await eventsOf(world, "Pool")).slice(1);
    expect(crossed).toMatchObject({
      type: "PoolThresholdCrossed",
      before: null,
      after: 95,
      percentUsed: 100,
    });
    expect(exhausted).toMatchObject({ type: "PoolExhausted", pool: "pool" });
    expect(left).toMatchObject({ type: "PoolThresholdCrossed", before: 95, after: null });
    expect(others).toEqual([]);
  });

  it("tell once that a request found it full, under its name", async () => {
    const world = await streamed();
    const pool = (await world.plat.store.readSpace(SPACE)).pools[0] ?? expect.fail();
    const hint = { space: SPACE, poolId: pool.id, reserved: "none" };
    await world.plat.store.callPoolFull(hint);
    await world.plat.store.callPoolFull({ ...hint, reserved: "more" });
    const exhausted = await eventsOf(world, "PoolExhausted");
    expect(exhausted).toMatchObject([{ pool: "pool" }]);
  });
});

describe("the event of an assigned address", () => {
  it.each([
    ["together with the write that completes it", 0],
    ["before the write that completes it", 1],
  ])(
    "has the times of the answer, also of addresses in several blocks that are told %s",
    async (_, later) => {
      const world = await streamed();
      const plat = { ...world.plat, now: () => ++world.clock.nowMs };
      const request = { ...requestOf("vm", 3), leaseSeconds: 60 };
      const { addresses } = await asAlice(() => assigned(plat, request));
      const changes = await world.taken();
      await world.publish(changes.slice(0, changes.length - later));
      await world.publish(changes.slice(changes.length - later));
      const told = await eventsOf(world, "AddressAssigned");
      expect(told.map(({ address, expiresAt }) => [address, expiresAt])).toEqual(
        addresses.map(({ address, expiresAtMs = 0 }) => [address, formatTime(expiresAtMs)]),
      );
    },
  );
});

describe("the event of a changed address", () => {
  it("tells its owner before and after, and the renewal of a lease is none", async () => {
    const world = await streamed();
    const told = await asAlice(() =>
      assigned(world.plat, { ...requestOf("vm", 1), leaseSeconds: 60, attributes: { vm: "a" } }),
    );
    const address = addressOf(told.addresses[0]?.address ?? "");
    const amend = (change: object) =>
      asAlice(() => amendAddress(world.plat, SPACE, { address, handle: "vm", ...change }));
    await amend({ leaseSeconds: 600 });
    await amend({ owner: { active: { vm: "b" } } });
    expect(await eventsOf(world, "AddressChanged")).toMatchObject([
      {
        ...ALICE,
        handle: "vm",
        before: { owner: { active: { vm: "a" } } },
        after: { owner: { active: { vm: "b" } } },
      },
    ]);
  });

  it("leaves the assignment before it as it was, if both are told together", async () => {
    const world = await streamed();
    await asAlice(async () => {
      const attributes = { vm: "a" };
      const told = await assigned(world.plat, { ...requestOf("vm", 1), attributes });
      const address = addressOf(told.addresses[0]?.address ?? "");
      const owner = { active: { vm: "b" } };
      await amendAddress(world.plat, SPACE, { address, handle: "vm", owner });
      await releaseAll(world.plat, told);
    });
    expect(await eventsOf(world, "Address")).toMatchObject([
      { type: "AddressAssigned", owner: { active: { vm: "a" } } },
      { type: "AddressChanged" },
      { type: "AddressReleased", owner: { active: { vm: "b" } } },
    ]);
  });

  it("leaves the host of an assignment, if its instance was kept before both are told", async () => {
    const world = await streamed();
    await asAlice(async () => {
      await assigned(world.plat, instanceRequest(podOf("a")));
      await releaseOf(world.plat, podOf("a"), true);
    });
    const [first, kept] = await eventsOf(world, "Address");
    expect(first).toMatchObject({ type: "AddressAssigned", host: "node-1" });
    expect(kept).toMatchObject({ type: "AddressChanged", after: { state: "kept" } });
    const holder = await world.history.readHolder(SPACE, String(first?.address));
    expect(holder?.detail).not.toHaveProperty("host");
  });

  it("reaches the release of the address, which tells the last owner", async () => {
    const world = await streamed();
    const told = await asAlice(() => assigned(world.plat, requestOf("vm", 1)));
    const address = addressOf(told.addresses[0]?.address ?? "");
    await world.published();
    await asAlice(() =>
      amendAddress(world.plat, SPACE, { address, handle: "vm", owner: { active: { vm: "b" } } }),
    );
    await world.published();
    expect(await world.history.readHolder(SPACE, told.addresses[0]?.address ?? "")).toMatchObject({
      detail: { owner: { active: { vm: "b" } } },
    });
  });
});
