import { describe, expect, it } from "vitest";
import { handleHash } from "../../src/base/hash.ts";
import { UnavailableError } from "../../src/base/outcome.ts";
import { eventBody } from "../../src/publish/domain-event.ts";
import { OWNER_AWAITED_MS_MAX, publisher } from "../../src/publish/publisher.ts";
import type { ItemChange } from "../../src/table/change-log.ts";
import { InMemoryTable } from "../../src/table/in-memory-table.ts";
import { actingAs } from "../acting.ts";
import { ensure, free, prefixPool } from "../prefixes.ts";
import { reclaimAll, repairAll } from "../scheduled-runs.ts";
import { assigned, releaseAll, reportAll, requestOf, SPACE } from "../world.ts";
import { ALICE, HISTORY_KEPT_MS, streamed } from "./streamed.ts";

const BOB = { principal: "bob", requestId: "r2" };
const asBob = <T>(work: () => Promise<T>) => actingAs(BOB, work);

const typesOf = (events: readonly { readonly type?: unknown }[]) => events.map(({ type }) => type);
const ofAddresses = (events: readonly { readonly type?: unknown }[]) =>
  events.filter(({ type }) => String(type).startsWith("Address"));
const isOfBlock = ({ key }: ItemChange) => key.pk.startsWith("BLOCK#");

describe("the publisher", () => {
  it("tells an assignment with its owner and its author", async () => {
    const world = await streamed();
    const told = await asBob(() =>
      assigned(world.plat, { ...requestOf("vm-7", 1), attributes: { tenant: "t3" } }),
    );
    const [{ address, generation }] = told.addresses as [(typeof told.addresses)[0]];
    expect(ofAddresses(await world.published())).toEqual([
      {
        id: expect.any(String),
        type: "AddressAssigned",
        at: "2026-11-24T12:00:00.000Z",
        sequence: expect.stringMatching(/^\d{40}$/),
        space: SPACE,
        ...BOB,
        address,
        family: 4,
        block: expect.stringMatching(/^10\.0\.0\.\d\/31$/),
        pool: "pool",
        handle: "vm-7",
        host: "node-1",
        borrowed: false,
        attributes: { tenant: "t3" },
        owner: { active: { tenant: "t3" } },
        generation,
        assignedAt: "2026-11-24T12:00:00.000Z",
      },
    ]);
  });

  it("tells a release with the owner that had the address, and with the author of the release", async () => {
    const world = await streamed();
    const told = await asBob(() => assigned(world.plat, requestOf("vm-7", 1)));
    await world.published();
    await actingAs(ALICE, () => releaseAll(world.plat, told));
    const [, released] = ofAddresses(await world.published());
    expect(released).toMatchObject({
      type: "AddressReleased",
      reason: "released",
      ...ALICE,
      address: told.addresses[0]?.address,
      handle: "vm-7",
      host: "node-1",
      generation: told.addresses[0]?.generation,
    });
  });

  it.each([
    ["without a key", undefined],
    ["with a key", "key"],
  ])("knows the owner of an address that was released before it was told, %s", async (_, key) => {
    const world = await streamed();
    await asBob(async () =>
      releaseAll(world.plat, await assigned(world.plat, requestOf("vm-7", 1, key))),
    );
    const events = ofAddresses(await world.published());
    expect(typesOf(events)).toEqual(["AddressAssigned", "AddressReleased"]);
    for (const event of events) expect(event).toMatchObject({ handle: "vm-7", host: "node-1" });
  });

  it("knows it too if another shard tells the allocation's deletion, before or after", async () => {
    for (const blocksFirst of [true, false]) {
      const world = await streamed();
      await asBob(async () =>
        releaseAll(world.plat, await assigned(world.plat, requestOf("vm", 1))),
      );
      const changes = await world.taken();
      const shards = [changes.filter(isOfBlock), changes.filter((each) => !isOfBlock(each))];
      const [first = [], second = []] = blocksFirst ? shards : shards.reverse();
      const { failed } = await world.publish(first);
      await world.publish(second);
      if (blocksFirst) {
        // The block was claimed before, by a change of its own.
        expect(failed).toBe(first.at(1)?.sequence);
        expect(await world.publish(first)).not.toHaveProperty("failed");
      }
      const events = ofAddresses(world.bus);
      expect(typesOf(events)).toEqual(["AddressAssigned", "AddressReleased"]);
      for (const { detail } of events as typeof world.bus) expect(detail.handle).toBe("vm");
    }
  });

  it("waits for the owner no longer than its time, and then tells the hash of its handle", async () => {
    const world = await streamed();
    await asBob(async () => releaseAll(world.plat, await assigned(world.plat, requestOf("vm", 1))));
    const changes = (await world.taken()).filter(isOfBlock);
    expect(await world.publish(changes)).toMatchObject({ failed: changes[1]?.sequence });
    world.clock.nowMs += OWNER_AWAITED_MS_MAX;
    expect(await world.publish(changes)).not.toHaveProperty("failed");
    const [event] = ofAddresses(world.bus.map(eventBody));
    expect(event).toMatchObject({ handleHash: handleHash("vm"), pool: "pool" });
    expect(event).not.toHaveProperty("handle");
  });

  it("waits for the owners of all changes of a batch at the same time", async () => {
    const world = await streamed();
    for (const vm of ["vm-1", "vm-2", "vm-3"])
      await asBob(async () => releaseAll(world.plat, await assigned(world.plat, requestOf(vm, 1))));
    const changes = (await world.taken()).filter(isOfBlock);
    expect(await world.publish(changes)).toHaveProperty("failed");
    world.clock.nowMs += OWNER_AWAITED_MS_MAX;
    expect(await world.publish(changes)).not.toHaveProperty("failed");
  });

  it("publishes beside a copy of an allocation that it cannot read", async () => {
    const world = await streamed();
    const told = await asBob(() => assigned(world.plat, requestOf("vm", 1)));
    const before = await world.taken();
    await world.publish(before.filter((each) => !isOfBlock(each)));
    const { items } = await world.historyTable.scan(1_000);
    const copies = items.filter(({ copy }) => copy !== undefined);
    expect(copies).toHaveLength(1);
    for (const copy of copies) {
      const item = { ...copy, copy: { ...(copy.copy as object), revision: 7 } };
      const change = { kind: "put", item } as const;
      await world.historyTable.write({ step: "test", key: copy, when: [], change });
    }
    await asBob(() => releaseAll(world.plat, told));
    const changes = [...before, ...(await world.taken())].filter(isOfBlock);
    await world.publish(changes);
    world.clock.nowMs += OWNER_AWAITED_MS_MAX;
    expect(await world.publish(changes)).not.toHaveProperty("failed");
    expect(typesOf(ofAddresses(world.bus.map(eventBody)))).toContain("AddressReleased");
  });

  it("tells the same with the same ids if the stream delivers again, also after the owner is gone", async () => {
    const world = await streamed();
    const told = await asBob(() => assigned(world.plat, requestOf("vm-7", 1)));
    const changes = await world.taken();
    await world.publish(changes);
    const once = world.bus.splice(0);
    await asBob(() => releaseAll(world.plat, told));
    // Without the changes of the release, which the next batch has.
    await world.publish(changes);
    expect(world.bus).toEqual(once);
    expect(new Set(once.map(({ id }) => id)).size).toBe(once.length);
  });

  it("tells that a lease ended, beside the release", async () => {
    const world = await streamed();
    await asBob(() => assigned(world.plat, { ...requestOf("vm", 1), leaseSeconds: 60 }));
    world.clock.nowMs += 600_000;
    await actingAs({ principal: "plat/repair", requestId: "run" }, () => repairAll(world.plat));
    const events = ofAddresses(await world.published());
    expect(typesOf(events)).toEqual(["AddressAssigned", "AddressReleased", "AddressExpired"]);
    expect(events[1]).toMatchObject({ reason: "expired", principal: "plat/repair", handle: "vm" });
  });

  it("tells a conflict, beside the release", async () => {
    const world = await streamed(undefined, { conflictQuarantineSeconds: 100 });
    const told = await asBob(() => assigned(world.plat, requestOf("vm", 1)));
    await asBob(() => reportAll(world.plat, told));
    const events = ofAddresses(await world.published());
    expect(typesOf(events)).toEqual(["AddressAssigned", "AddressReleased", "AddressConflict"]);
    expect(events[1]).toMatchObject({ reason: "conflict", handle: "vm" });
  });

  it("tells who claimed a block, and that a pool was created", async () => {
    const world = await streamed();
    await asBob(() => assigned(world.plat, requestOf("vm", 1)));
    const events = await world.published();
    expect(events.find(({ type }) => type === "BlockClaimed")).toMatchObject({
      ...BOB,
      block: expect.stringMatching(/\/31$/),
      pool: "pool",
      host: "node-1",
    });
    expect(events.find(({ type }) => type === "PoolCreated")).toMatchObject({
      ...ALICE,
      pool: "pool",
      cidr: "10.0.0.0/29",
      blockSize: 31,
    });
  });

  it("tells that a host no longer has its block, and who took it from the host", async () => {
    const world = await streamed();
    const told = await asBob(() => assigned(world.plat, requestOf("vm", 1)));
    await asBob(() => releaseAll(world.plat, told));
    const reclaimed = { principal: "plat/reclaim", requestId: "run" };
    for (const _ of ["seen empty", "deleted"]) {
      world.clock.nowMs += 600_000;
      await actingAs(reclaimed, () => reclaimAll(world.plat));
    }
    const blocks = (await world.published()).filter(({ type }) => String(type).startsWith("Block"));
    expect(typesOf(blocks)).toEqual(["BlockClaimed", "BlockReleased"]);
    const [claimed, released] = blocks;
    expect(released).toMatchObject({
      ...reclaimed,
      space: SPACE,
      block: claimed?.block,
      pool: "pool",
      host: "node-1",
    });
  });

  it("tells a prefix with the node that got it, and its release with the node that had it", async () => {
    const world = await streamed(prefixPool("10.64.0.0/22", 24));
    const [prefix = ""] = await asBob(() => ensure(world.plat, "node-1"));
    await world.published();
    await actingAs(ALICE, () => free(world.plat, "node-1"));
    const events = (await world.published()).filter(({ type }) =>
      String(type).startsWith("Prefix"),
    );
    const common = {
      id: expect.any(String),
      sequence: expect.stringMatching(/^\d{40}$/),
      space: SPACE,
      address: prefix,
      family: 4,
      pool: "pool",
      host: "node-1",
    };
    expect(events).toMatchObject([
      { type: "PrefixAssigned", ...common, ...BOB },
      { type: "PrefixReleased", ...common, ...ALICE, reason: "released" },
    ]);
    // An event of addresses would tell the prefix a second time.
    expect(ofAddresses(world.bus.map(eventBody))).toEqual([]);
    expect(events[0]).not.toHaveProperty("block");
  });

  it("tells the release of a prefix whose node confirmed it as one, long after the lease that it had before", async () => {
    const world = await streamed(prefixPool("10.64.0.0/22", 24));
    const podCidrs = await asBob(() => ensure(world.plat, "node-1"));
    await world.published();
    await asBob(() => ensure(world.plat, "node-1", { podCidrs }));
    await world.published();
    world.clock.nowMs += 600_000;
    await actingAs({ principal: "plat/repair", requestId: "run" }, () =>
      free(world.plat, "node-1"),
    );
    // Another shard has the end of the allocation.
    await world.publish((await world.taken()).filter(isOfBlock));
    expect(world.bus.map(eventBody)).toContainEqual(
      expect.objectContaining({ type: "PrefixReleased", reason: "released", host: "node-1" }),
    );
  });

  it("puts a change aside that it cannot read, and publishes the others", async () => {
    const world = await streamed();
    await asBob(() => assigned(world.plat, requestOf("vm", 1)));
    const changes = await world.taken();
    const [block] = changes.filter(isOfBlock);
    const newer = {
      ...block,
      key: { pk: "BLOCK#other#10.0.0.0/20", sk: "10.0.0.0" },
    } as ItemChange;
    const broken = { ...newer, after: { ...newer.after, ...newer.key, f: 99 } } as ItemChange;
    await world.publish([broken, ...changes]);
    expect(world.dead).toEqual([broken]);
    expect(typesOf(ofAddresses(world.bus))).toEqual(["AddressAssigned"]);
  });

  it("fails as a whole if a destination fails, so that nothing is lost", async () => {
    const world = await streamed();
    await asBob(() => assigned(world.plat, requestOf("vm", 1)));
    const changes = await world.taken();
    const failing = publisher(
      { ...world.destinations, putEvents: () => Promise.reject(new Error("the bus is away")) },
      { now: () => world.clock.nowMs, historyKeptMs: HISTORY_KEPT_MS },
    );
    await expect(failing(changes)).rejects.toThrow("the bus is away");
    const unanswered = Object.assign(new InMemoryTable(), {
      write: async () => ({ outcome: "unknown" }) as const,
    });
    const unkept = publisher(
      { ...world.destinations, history: unanswered },
      { now: () => world.clock.nowMs, historyKeptMs: HISTORY_KEPT_MS },
    );
    await expect(unkept(changes)).rejects.toBeInstanceOf(UnavailableError);
    await world.publish(changes);
    expect(typesOf(ofAddresses(world.bus))).toEqual(["AddressAssigned"]);
  });
});
