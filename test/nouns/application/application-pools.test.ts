import { describe, expect, it } from "vitest";
import type { Rejection } from "../../../src/base/outcome.ts";
import { findViolations } from "../../../src/invariants/invariants.ts";
import { IN_USE_GROUPS_MAX } from "../../../src/kernel/blocks/look-at-set.ts";
import { makeBlock } from "../../../src/kernel/blocks/shared-block.ts";
import { BLOCKS_PER_GROUP } from "../../../src/kernel/values/block-group.ts";
import { formatAddress } from "../../../src/net/address.ts";
import { formatSet } from "../../../src/net/address-set.ts";
import { addressAt } from "../../../src/net/cidr.ts";
import { deleteApplication } from "../../../src/nouns/application/operations/delete-application.ts";
import { putApplication } from "../../../src/nouns/application/operations/put-application.ts";
import { CUT_BLOCKS_MAX } from "../../../src/nouns/pool/operations/cut-check.ts";
import { drainPool } from "../../../src/nouns/pool/operations/pool-jobs.ts";
import type { PoolSpec } from "../../../src/nouns/pool/pool.ts";
import { addressSetOf } from "../../../src/nouns/pool/set.ts";
import { from, put, RED, remove, setIn } from "../../operations/ranged-pools.ts";
import { work } from "../../scheduled-runs.ts";
import { answerOf, stoppedBefore } from "../../simulation/crash-points.ts";
import {
  assigned,
  contentsIn,
  contextOver,
  makeWorld,
  poolNamed,
  SPACE,
  type World,
} from "../../world.ts";

const around = (...ranges: string[]): PoolSpec => ({
  ...setIn(...ranges),
  assignmentMode: "Applications",
});

/** A pool for applications, and a pool inside of it with an address in use. */
async function outerAndInner(): Promise<World> {
  const world = await makeWorld();
  await put(world.calm, "outer", around("10.9.0.0-10.9.0.15"));
  await put(world.calm, "red", RED);
  await assigned(world.calm, from("used", 1, "red"));
  return world;
}

const jobsOf = async ({ calm }: World) =>
  (await calm.store.listJobs(SPACE)).items.map(({ kind, state }) => `${kind} ${state}`);

describe("a pool for applications", () => {
  it("is deleted without a wait for the addresses of the pools inside of it", async () => {
    const world = await outerAndInner();
    await remove(world.calm, "outer");
    await work(world.calm, world.clock, 5);
    expect(await jobsOf(world)).toEqual(["pool.delete done"]);
    expect(await put(world.calm, "rest", setIn("10.9.0.6-10.9.0.15"))).toMatchObject({
      created: true,
    });
    expect(findViolations(contentsIn(world))).toEqual([]);
  });

  it("is drained without a wait for them", async () => {
    const world = await outerAndInner();
    const { revision } = await poolNamed(world, "outer");
    await drainPool(world.calm, SPACE, "outer", revision);
    await work(world.calm, world.clock, 5);
    expect(await jobsOf(world)).toEqual(["pool.drain done"]);
  });

  it("waits for an address of an application that another pool is about to be refused", async () => {
    const world = await outerAndInner();
    const { calm, clock, table } = world;
    const all = { number: "10", interfaces: [{ name: "", pools: ["outer"] }], keep: false };
    const web = { namespace: "shop", kind: "Deployment", name: "web" };
    const spec = { replicas: 0, start: 0, addresses: all };
    await putApplication(calm, SPACE, web, spec, undefined);
    await drainPool(calm, SPACE, "outer", (await poolNamed(world, "outer")).revision);
    await remove(calm, "outer");
    const slow = stoppedBefore(table, (step) => step === "add-undo");
    const wider = answerOf(
      put(contextOver(slow.table, clock, 8), "red", setIn("10.9.0.0-10.9.0.15")),
    );
    await slow.stops;
    await work(calm, clock, 5);
    expect(await jobsOf(world)).toContain("pool.delete running");
    slow.goOn();
    expect(await wider).toMatchObject({ code: "pool_in_use" });
    expect(findViolations(contentsIn(world))).toEqual([]);
  });

  it("gives up an address of an application that cools once it has cooled, and says when", async () => {
    const world = await outerAndInner();
    const { calm, clock } = world;
    const web = { namespace: "shop", kind: "Deployment", name: "web" };
    const some = { number: "1", interfaces: [{ name: "", pools: ["outer"] }], keep: false };
    await putApplication(calm, SPACE, web, { replicas: 0, start: 0, addresses: some }, undefined);
    const wider = () => put(calm, "red", setIn("10.9.0.0-10.9.0.15"));
    const inUse = await wider();
    expect(inUse).toMatchObject({ code: "pool_in_use" });
    expect(inUse).not.toHaveProperty("members.retryable");
    await deleteApplication(calm, SPACE, web, { match: "any" });
    const cooling = await wider();
    expect(cooling).toMatchObject({
      code: "pool_in_use",
      members: { retryable: true, availableAt: expect.any(String) },
    });
    clock.nowMs = Date.parse(String((cooling as Rejection).members.availableAt));
    expect(await wider()).toMatchObject({ created: false });
  });

  it("keeps what the pools inside of it have", async () => {
    const world = await outerAndInner();
    const narrow = () => put(world.calm, "outer", around("10.9.0.4-10.9.0.15"));
    expect(await narrow()).toMatchObject({ code: "pool_overlap" });
    expect(await put(world.calm, "outer", around("10.9.0.0-10.9.0.12"))).toMatchObject({
      created: false,
    });
  });

  it("keeps what a new pool inside of it gets while it was about to lose that", async () => {
    const world = await outerAndInner();
    const { calm, clock, table } = world;
    const slow = stoppedBefore(table, (step) => step === "put-pool");
    const change = around("10.9.0.0-10.9.0.9", "10.9.0.20-10.9.0.23");
    const narrowed = answerOf(put(contextOver(slow.table, clock, 8), "outer", change));
    await slow.stops;
    expect(await put(calm, "web", setIn("10.9.0.12"))).toMatchObject({ created: true });
    slow.goOn();
    expect(await narrowed).toMatchObject({ code: "pool_overlap" });
    const outer = await poolNamed(world, "outer");
    expect(formatSet(addressSetOf(outer))).toEqual(["10.9.0.0-10.9.0.15"]);
    expect(formatSet(outer.retiring ?? [])).toEqual(["10.9.0.20-10.9.0.23"]);
    await work(calm, clock, 5);
    expect((await poolNamed(world, "outer")).retiring).toBeUndefined();
    expect(findViolations(contentsIn(world))).toEqual([]);
  });

  it.each([
    ["is cut off before it is undone", false],
    ["meets another change before it is undone", true],
  ])(
    "says what a new pool inside has until it has that again, if its change %s",
    async (_, goesOn) => {
      const world = await outerAndInner();
      const { calm, clock, table } = world;
      const slow = stoppedBefore(table, (step) => step === "put-pool");
      const narrow = around("10.9.0.0-10.9.0.9");
      let puts = 0;
      const slower = stoppedBefore(slow.table, (step) => step === "put-pool" && ++puts === 2);
      const narrowed = answerOf(put(contextOver(slower.table, clock, 8), "outer", narrow));
      await slow.stops;
      expect(await put(calm, "web", setIn("10.9.0.12"))).toMatchObject({ created: true });
      slow.goOn();
      await slower.stops;
      expect(await put(calm, "outer", narrow)).toMatchObject({ code: "pool_overlap" });
      // The job that the change did not begin frees what it took out.
      await work(calm, clock, 5);
      expect((await poolNamed(world, "outer")).retiring).toBeUndefined();
      expect(await put(calm, "outer", narrow)).toMatchObject({ code: "pool_overlap" });
      expect(await put(calm, "outer", around("10.9.0.0-10.9.0.8"))).toMatchObject({
        code: "pool_overlap",
      });
      expect(await put(calm, "outer", around("10.9.0.0-10.9.0.15"))).toMatchObject({
        created: false,
      });
      if (goesOn) {
        slower.goOn();
        expect(await narrowed).toMatchObject({ code: "precondition_failed" });
      }
      expect(formatSet(addressSetOf(await poolNamed(world, "outer")))).toEqual([
        "10.9.0.0-10.9.0.15",
      ]);
      await work(calm, clock, 5);
      expect(findViolations(contentsIn(world))).toEqual([]);
    },
  );

  it("gives up addresses in as many blocks as one request can fence, and says so beyond", async () => {
    const world = await makeWorld();
    const { calm } = world;
    const cidr = { family: 4, base: 0x0a_09_00_00n, prefix: 16 } as const;
    const wide = (...texts: string[]): PoolSpec => ({ ...setIn(...texts), cidr, blockSize: 28 });
    const spec: PoolSpec = { ...wide("10.9.0.0-10.9.255.255"), assignmentMode: "Applications" };
    await put(calm, "outer", spec);
    const outer = await poolNamed(world, "outer");
    for (let block = 0n; block <= CUT_BLOCKS_MAX; block++)
      await makeBlock(calm, outer, { ...cidr, base: cidr.base + 16n * block, prefix: 28 });
    expect(await put(calm, "all", wide("10.9.0.0-10.9.127.255"))).toMatchObject({
      code: "invalid_request",
      members: { fields: [{ field: "ranges" }] },
    });
    const most = formatAddress(addressAt(cidr, 16 * CUT_BLOCKS_MAX - 1));
    expect(await put(calm, "most", wide(`10.9.0.0-${most}`))).toMatchObject({ created: true });
    expect(await put(calm, "most", wide("10.9.0.0-10.9.127.255"))).toMatchObject({
      created: false,
    });
    expect(findViolations(contentsIn(world))).toEqual([]);
  });

  it("gives up an address in each of more block groups than one request reads", async () => {
    const world = await makeWorld();
    const { calm } = world;
    const cidr = { family: 4, base: 0x0a_09_00_00n, prefix: 16 } as const;
    const wide = (...texts: string[]): PoolSpec => ({ ...setIn(...texts), cidr, blockSize: 32 });
    const spec: PoolSpec = { ...wide("10.9.0.0-10.9.255.255"), assignmentMode: "Applications" };
    await put(calm, "outer", spec);
    const outer = await poolNamed(world, "outer");
    const addresses = Array.from({ length: IN_USE_GROUPS_MAX + 1 }, (_, group) =>
      addressAt(cidr, BLOCKS_PER_GROUP * group),
    );
    for (const { value: base } of addresses)
      await makeBlock(calm, outer, { ...cidr, base, prefix: 32 });
    expect(await put(calm, "all", wide(...addresses.map(formatAddress)))).toMatchObject({
      created: true,
    });
  });
});
