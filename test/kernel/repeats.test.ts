import { describe, expect, it } from "vitest";
import { CLOCK_SKEW_MS_MAX, REQUEST_MS_MAX } from "../../src/base/limits.ts";
import { Rejection } from "../../src/base/outcome.ts";
import { assign } from "../../src/kernel/assign/assign.ts";
import type { AssignRequest } from "../../src/kernel/assign/assignment.ts";
import { releaseAddress } from "../../src/kernel/release/release-address.ts";
import { releaseHandle } from "../../src/kernel/release/release-handle.ts";
import { formatAddress } from "../../src/net/address.ts";
import { addressAt } from "../../src/net/cidr.ts";
import type { Settings } from "../../src/nouns/settings/settings.ts";
import type { Table } from "../../src/table/table.ts";
import { callsOf, withMishap } from "../simulation/crash-points.ts";
import {
  addressOf,
  assigned,
  contentsIn,
  contextOver,
  makeWorld,
  poolOf,
  requestOf,
  SPACE,
  tableOf,
  type World,
} from "../world.ts";

/** Returns a function that remembers a block of the host, and a world whose pool has four blocks of two addresses. */
async function warmWorld(settings: Partial<Settings> = {}) {
  const world = await makeWorld(poolOf("10.0.0.0/29", 31), settings);
  const warm = contextOver(world.table, world.clock, 7);
  await assigned(warm, requestOf("warm", 1));
  return { world, warm };
}

/** Runs the request in another function, kills that before the allocation becomes live, and lets its time pass. */
async function cutOff({ table, clock }: World, request: AssignRequest): Promise<void> {
  const dryRunContext = await warmWorld();
  const author = (own: World["table"] | Parameters<typeof contextOver>[0]) =>
    assign(contextOver(own, clock, 8), request);
  const calls = await callsOf(dryRunContext.world.table, author);
  await withMishap(table, calls.indexOf("pending-live"), "killed before the call", author);
  clock.nowMs += REQUEST_MS_MAX + CLOCK_SKEW_MS_MAX;
}

/** A request for seven addresses, which are all that the warm function left of the pool. */
const rest = { ...requestOf("pod", 7, "key") };

describe("a keyed request whose first try was cut off while it held the rest of the pool", () => {
  it("gets what it asks for when it is repeated in a function that knows the host", async () => {
    const { world, warm } = await warmWorld();
    await cutOff(world, rest);
    expect((await assigned(warm, rest)).addresses).toHaveLength(7);
  });

  it.each([
    ["strict affinity", { strictAffinity: true }, {}],
    ["the cap of the space on blocks", { maxBlocksPerHost: 4 }, {}],
    ["its own cap on blocks", {}, { maxBlocksPerHost: 4 }],
    ["a limit of its handle", {}, { limitPerHandle: 7 }],
  ] as const)("… also under %s", async (_, settings, members) => {
    const { world, warm } = await warmWorld(settings);
    const request = { ...rest, ...members };
    await cutOff(world, request);
    expect((await assigned(warm, request)).addresses).toHaveLength(7);
  });

  it("gets what there is, if it will do with a part", async () => {
    const { world, warm } = await warmWorld();
    const request = { ...requestOf("pod", 9, "key"), allowPartial: true };
    await cutOff(world, request);
    expect(await assigned(warm, request)).toMatchObject({
      addresses: { length: 7 },
      missing: [{ family: 4, count: 2, code: "pool_exhausted" }],
    });
  });
});

/** Returns the addresses that are taken, in order. */
const takenIn = (world: World): readonly string[] =>
  contentsIn(world)
    .blocks.flatMap(({ cidr, slots }) =>
      [...slots].flatMap(([ordinal, { kind }]) =>
        kind === "taken" ? [formatAddress(addressAt(cidr, ordinal))] : [],
      ),
    )
    .sort();

/**
 * Returns the answer of a request for two addresses whose slot write is made, but not answered, while another caller
 * releases the first of them by handle and address.
 */
async function answerAfterRelease(request: AssignRequest) {
  const world = await makeWorld(poolOf("10.0.0.0/28", 30), { cooldownSeconds: 0 });
  let isMet = false;
  const own: Table = {
    ...tableOf(world),
    async write(write) {
      const outcome = await world.table.write(write);
      if (isMet || write.step !== "take-slots") return outcome;
      isMet = true;
      const [address = ""] = takenIn(world);
      const named = { address: addressOf(address), handle: request.handle };
      expect(await releaseAddress(world.calm, SPACE, named)).toMatchObject({ status: "released" });
      return { outcome: "unknown" };
    },
  };
  const answer = await assign(contextOver(own, world.clock, 7), request);
  return { world, answer };
}

describe("a request of which another caller released an address before its author knew that it had it", () => {
  it("is told so under a key, because a repeat may have answered with the rest", async () => {
    const request = requestOf("pod", 2, "key");
    const { world, answer } = await answerAfterRelease(request);
    expect(answer).toMatchObject({
      code: "already_released",
      members: { released: { length: 1 } },
    });
    expect(takenIn(world)).toHaveLength(1);
    expect(await assign(world.calm, request)).toEqual(answer);
  });

  it("gets others without a key, and nothing else stays assigned", async () => {
    const { world, answer } = await answerAfterRelease(requestOf("pod", 2));
    if (answer instanceof Rejection) throw new Error(answer.detail);
    expect(answer.addresses.map(({ address }) => address).sort()).toEqual(takenIn(world));
    expect(answer).toMatchObject({ requested: 2, addresses: { length: 2 }, missing: [] });
  });
});

/**
 * Returns the answer of a request whose slot write arrives a second time after its handle was released, so that its author is told of
 * the second one alone.
 */
async function answerAfterSecondWrite(request: AssignRequest) {
  const world = await makeWorld(poolOf("10.0.0.0/28", 30));
  let isFirst = true;
  const own: Table = {
    ...tableOf(world),
    async write(write) {
      if (!isFirst || write.step !== "take-slots") return world.table.write(write);
      isFirst = false;
      await world.table.write(write);
      await releaseHandle(world.calm, SPACE, request.handle);
      return world.table.write(write);
    },
  };
  const answer = await assign(contextOver(own, world.clock, 7), request);
  return { world, answer };
}

describe("a request that was released before its slot write arrived again", () => {
  it.each([1, 2])("gets others without a key, with an allocation: %i", async (count) => {
    const { world, answer } = await answerAfterSecondWrite(requestOf("pod", count));
    if (answer instanceof Rejection) throw new Error(answer.detail);
    expect(answer.addresses.map(({ address }) => address).sort()).toEqual(takenIn(world));
    const { released } = await releaseHandle(world.calm, SPACE, "pod");
    expect(released).toHaveLength(count);
  });

  it("is told so under a key, and takes nothing", async () => {
    const { world, answer } = await answerAfterSecondWrite(requestOf("pod", 1, "key"));
    expect(answer).toMatchObject({ code: "already_released" });
    expect(takenIn(world)).toEqual([]);
  });
});
