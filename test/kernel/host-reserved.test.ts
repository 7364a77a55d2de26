import { describe, expect, it } from "vitest";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import { disown } from "../../src/kernel/blocks/disown-block.ts";
import { releaseAddress } from "../../src/kernel/release/release-address.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import type { HostId, HostReserved } from "../../src/kernel/values/host.ts";
import { readAddress } from "../../src/nouns/address/operations/read-address.ts";
import { putReservation } from "../../src/nouns/pool/operations/administration.ts";
import { interval } from "../builders.ts";
import { beforeEachCall } from "../each-call.ts";
import { reclaimAll } from "../scheduled-runs.ts";
import { withMishap } from "../simulation/crash-points.ts";
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
} from "../world.ts";

const WINDOWS: HostReserved = { start: 3, end: 1, handle: "windows-reserved-ipam-handle" };

/** Returns a world whose pool has two blocks of eight addresses. */
const worldOfTwo = () => makeWorld(poolOf("10.0.0.0/28", 29));

const asked = (
  handle: string,
  count: number,
  host: HostId = "host:node-1",
  hostReserved: HostReserved | undefined = WINDOWS,
): AssignRequest => ({ ...requestOf(handle, count), host, ...(hostReserved && { hostReserved }) });

const plain = (handle: string, count: number, host: HostId = "host:node-1") => ({
  ...requestOf(handle, count),
  host,
});

const blocksOf = (world: World) =>
  contentsIn(world).blocks.map(({ host, hostReserved }) => ({ host, hostReserved }));

describe("what a host keeps for itself", () => {
  it("is in its block from the claim on: none of it is ever assigned", async () => {
    const world = await worldOfTwo();
    const { addresses, hostReserved } = await assigned(world.calm, asked("all", 8));
    expect(hostReserved).toEqual(WINDOWS);
    expect(addresses.map(({ address }) => Number(address.split(".")[3]))).toEqual([
      3, 4, 5, 6, 11, 12, 13, 14,
    ]);
    expect(await assign(world.calm, plain("more", 1))).toMatchObject({ code: "pool_exhausted" });
    expect(await assign(world.calm, plain("guest", 1, "host:node-2"))).toMatchObject({
      code: "pool_exhausted",
    });
  });

  it("is not gained by a block that stands", async () => {
    const world = await worldOfTwo();
    await assigned(world.calm, plain("first", 1));
    const { addresses } = await assigned(world.calm, asked("second", 7));
    expect(addresses).toHaveLength(7);
    expect(blocksOf(world)).toEqual([{ host: "host:node-1", hostReserved: undefined }]);
  });

  it("is the same whoever finishes the claim", async () => {
    const world = await worldOfTwo();
    const { table, clock } = world;
    // The first request is cut off between its affinity and its block. The next request reserves nothing for its host.
    for (let at = 0; contentsIn(world).affinities.length === 0; at++)
      await withMishap(table, at, "killed after the call", (own) =>
        assign(contextOver(own, clock, 2), asked("cut off", 1)),
      );
    expect(contentsIn(world).blocks).toEqual([]);
    await assigned(contextOver(table, clock, 3), plain("next", 1));
    expect(blocksOf(world)).toEqual([{ host: "host:node-1", hostReserved: WINDOWS }]);
    expect(contentsIn(world).affinities).toMatchObject([{ state: "confirmed" }]);
    expect(contentsIn(world).affinities[0]).not.toHaveProperty("hostReserved");
  });

  it("goes with its block: one that holds nothing else is empty", async () => {
    const world = await worldOfTwo();
    await assigned(world.calm, asked("gone", 2));
    await releaseHandle(world.calm, SPACE, "gone");
    await scheduledRuns(world, 3);
    expect(contentsIn(world).blocks).toEqual([]);
    expect(contentsIn(world).affinities).toEqual([]);
  });

  it("is what the next host keeps in a block that is seized", async () => {
    const world = await worldOfTwo();
    await assigned(world.calm, asked("a", 1, "host:node-1"));
    await assigned(world.calm, asked("b", 1, "host:node-2"));
    await releaseHandle(world.calm, SPACE, "a");
    await releaseHandle(world.calm, SPACE, "b");
    world.clock.nowMs += 100_000;
    await reclaimAll(world.calm);
    world.clock.nowMs += 70_000;
    const one = { start: 0, end: 1 };
    await assigned(world.calm, asked("c", 7, "host:node-3", one));
    const { addresses } = await assigned(world.calm, plain("d", 8, "host:node-4"));
    expect(addresses).toHaveLength(8);
    expect(blocksOf(world)).toHaveLength(2);
    expect(blocksOf(world)).toEqual(
      expect.arrayContaining([
        { host: "host:node-3", hostReserved: one },
        { host: "host:node-4", hostReserved: undefined },
      ]),
    );
  });

  it("is the same when a block goes that is being seized, whoever claims it then", async () => {
    const scene = async () => {
      const world = await makeWorld(poolOf("10.0.0.0/29", 29), { cooldownSeconds: 0 });
      await assigned(world.calm, plain("old", 1, "host:node-2"));
      await releaseHandle(world.calm, SPACE, "old");
      world.clock.nowMs += 100_000;
      await reclaimAll(world.calm);
      world.clock.nowMs += 1_000;
      return world;
    };
    await beforeEachCall(
      scene,
      (context) => assign(context, asked("one", 2)),
      async (context, { table, clock }) => {
        await reclaimAll(context);
        await assign(contextOver(table, clock, 4), asked("two", 1));
      },
      (world, { where }) =>
        expect(blocksOf(world), where).toEqual([{ host: "host:node-1", hostReserved: WINDOWS }]),
    );
  });

  it("stays in a block that is taken from it while addresses of it are assigned", async () => {
    const world = await worldOfTwo();
    await assigned(world.calm, asked("a", 1));
    const [block] = contentsIn(world).blocks;
    if (block) await disown(world.calm, block);
    expect(blocksOf(world)).toEqual([{ host: undefined, hostReserved: WINDOWS }]);
  });

  it("is nobody's to free", async () => {
    const world = await worldOfTwo();
    const { addresses } = await assigned(world.calm, asked("a", 1));
    const base = addresses[0]?.block.replace("/29", "") ?? "";
    const address = addressOf(base);
    expect(await readAddress(world.calm, SPACE, address)).toMatchObject({
      state: "hostReserved",
      handle: WINDOWS.handle,
      host: "node-1",
    });
    for (const handle of [WINDOWS.handle as string, "a"])
      expect(await releaseAddress(world.calm, SPACE, { address, handle })).toEqual({
        address: base,
        status: "not_assigned",
      });
    expect((await releaseHandle(world.calm, SPACE, WINDOWS.handle as string)).released).toEqual([]);
    expect(blocksOf(world)).toEqual([{ host: "host:node-1", hostReserved: WINDOWS }]);
  });

  it("is not given to one who names it, also where the block would be claimed for that", async () => {
    const world = await worldOfTwo();
    const specific = (text: string, request: AssignRequest) =>
      assign(world.calm, { ...request, addresses: [addressOf(text)] });
    expect(await specific("10.0.0.2", asked("a", 1))).toMatchObject({
      code: "already_assigned",
      detail: expect.stringContaining("for itself"),
    });
    expect(contentsIn(world).blocks).toEqual([]);
    expect(await specific("10.0.0.3", asked("a", 1))).toMatchObject({ handle: "a" });
    expect(await specific("10.0.0.7", plain("b", 1))).toMatchObject({ code: "already_assigned" });
    expect(await specific("10.0.0.15", plain("c", 1))).toMatchObject({ handle: "c" });
  });
});

describe("a block whose every address is reserved", () => {
  const reserve = (world: World, ...cidrs: string[]) =>
    putReservation(world.calm, SPACE, "r", { cidrs, intervals: cidrs.map(interval) }, undefined);

  it("is never claimed, nor one whose every address is beside what the host keeps", async () => {
    const world = await worldOfTwo();
    await reserve(world, "10.0.0.0/29", "10.0.0.11-10.0.0.14");
    expect(await assign(world.calm, asked("a", 1))).toMatchObject({ code: "pool_exhausted" });
    expect(contentsIn(world).blocks).toEqual([]);
    expect(contentsIn(world).affinities).toEqual([]);
    const { addresses } = await assigned(world.calm, plain("b", 4));
    expect(addresses.map(({ block }) => block)).toEqual(Array(4).fill("10.0.0.8/29"));
  });

  it("is not seized either", async () => {
    const world = await worldOfTwo();
    for (const host of ["host:node-1", "host:node-2"] as const)
      await assigned(world.calm, plain(host, 1, host));
    for (const host of ["host:node-1", "host:node-2"]) await releaseHandle(world.calm, SPACE, host);
    world.clock.nowMs += 100_000;
    await reclaimAll(world.calm);
    world.clock.nowMs += 70_000;
    await reserve(world, "10.0.0.0/28");
    const owners = blocksOf(world);
    expect(await assign(world.calm, plain("a", 1, "host:node-3"))).toMatchObject({
      code: "pool_exhausted",
    });
    expect(blocksOf(world)).toEqual(owners);
  });
});
