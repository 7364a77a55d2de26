import { describe, expect, it } from "vitest";
import { releaseAddress } from "../../../src/kernel/release/release-address.ts";
import { releaseHost } from "../../../src/kernel/release/release-host.ts";
import { parseGeneration } from "../../../src/kernel/values/generation.ts";
import { addressesIn, instanceRequest, podOf, releaseOf } from "../../instances.ts";
import {
  addressOf,
  assigned,
  contentsIn,
  makeWorld,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  scheduledRuns,
  type World,
} from "../../world.ts";

const DEPLOYMENT = { kind: "Deployment", name: "web", instance: "web-7f9c" };
const statesIn = (world: World) => contentsIn(world).allocations.map(({ state }) => state);

describe("a release of an instance by its uid", () => {
  it("frees what it has, and deletes its allocation", async () => {
    const world = await makeWorld();
    const told = await assigned(world.calm, instanceRequest(podOf("a")));
    const answer = await releaseOf(world.calm, podOf("a"));
    expect(answer).toEqual({ released: addressesIn(told), kept: [] });
    expect(statesIn(world)).toEqual([]);
    expect(await releaseOf(world.calm, podOf("a"))).toEqual({ released: [], kept: [] });
  });

  it("changes nothing under another uid", async () => {
    const world = await makeWorld();
    await assigned(world.calm, instanceRequest(podOf("a")));
    await assigned(world.calm, instanceRequest(podOf("b")));
    for (const keep of [false, true])
      expect(await releaseOf(world.calm, podOf("a"), keep)).toEqual({ released: [], kept: [] });
    expect(statesIn(world)).toEqual(["live"]);
  });

  it("keeps what a kind keeps, as often as it is repeated", async () => {
    const world = await makeWorld();
    const told = await assigned(world.calm, instanceRequest(podOf("a")));
    for (let time = 0; time < 2; time++)
      expect(await releaseOf(world.calm, podOf("a"), true)).toEqual({
        released: [],
        kept: addressesIn(told),
      });
    await scheduledRuns(world, 3);
    expect(statesIn(world)).toEqual(["kept"]);
  });

  it("frees what another kind has, although it asks to keep it", async () => {
    const world = await makeWorld();
    const told = await assigned(world.calm, instanceRequest(podOf("a", DEPLOYMENT)));
    expect(await releaseOf(world.calm, podOf("a", DEPLOYMENT), true)).toEqual({
      released: addressesIn(told),
      kept: [],
    });
  });

  it("frees what was kept", async () => {
    const world = await makeWorld();
    const told = await assigned(world.calm, instanceRequest(podOf("a")));
    await releaseOf(world.calm, podOf("a"), true);
    expect(await releaseOf(world.calm, podOf("a"))).toEqual({
      released: addressesIn(told),
      kept: [],
    });
  });
});

describe("a release by the generation of an instance's address", () => {
  const keepAll = async (world: World, told: Awaited<ReturnType<typeof assigned>>) =>
    Promise.all(
      told.addresses.map(({ address, generation }) => {
        const parsed = parseGeneration(generation);
        if (!parsed.ok) throw new Error(parsed.problem);
        const named = { address: addressOf(address), generation: parsed.value };
        return releaseAddress(world.calm, SPACE, named, true);
      }),
    );

  it("frees it, in use or kept, and deletes the allocation", async () => {
    for (const keeps of [false, true]) {
      const world = await makeWorld();
      const told = await assigned(world.calm, instanceRequest(podOf("a")));
      if (keeps) await keepAll(world, told);
      expect(await releaseAll(world.calm, told)).toMatchObject([{ status: "released" }]);
      expect(await releaseAll(world.calm, told)).toMatchObject([{ status: "not_assigned" }]);
      expect(statesIn(world)).toEqual([]);
    }
  });

  it("keeps it for the next uid, as often as it is repeated", async () => {
    const world = await makeWorld();
    const told = await assigned(world.calm, instanceRequest(podOf("a")));
    for (let time = 0; time < 2; time++)
      expect(await keepAll(world, told)).toMatchObject([{ status: "kept" }]);
    expect(statesIn(world)).toEqual(["kept"]);
  });

  it("has no effect on a later uid", async () => {
    const world = await makeWorld();
    const told = await assigned(world.calm, instanceRequest(podOf("a")));
    await assigned(world.calm, instanceRequest(podOf("b")));
    const conflict = [{ status: "conflict", code: "generation_conflict" }];
    expect(await releaseAll(world.calm, told)).toMatchObject(conflict);
    expect(await keepAll(world, told)).toMatchObject(conflict);
    expect(statesIn(world)).toEqual(["live"]);
  });

  it("does not call an address kept that was released before the other one of its instance", async () => {
    const world = await makeWorld();
    const two = { wanted: [{ family: 4, count: 2 }] } as const;
    const told = await assigned(world.calm, instanceRequest(podOf("a"), two));
    const first = { ...told, addresses: told.addresses.slice(0, 1) };
    await releaseAll(world.calm, first);
    expect(await keepAll(world, first)).toMatchObject([{ status: "not_assigned" }]);
  });

  it("of one address of two leaves the other; the last one deletes the allocation", async () => {
    const world = await makeWorld();
    const two = { wanted: [{ family: 4, count: 2 }] } as const;
    const told = await assigned(world.calm, instanceRequest(podOf("a"), two));
    const [first, second] = told.addresses;
    if (!first || !second) throw new Error("two were asked for");
    await releaseAll(world.calm, { ...told, addresses: [first] });
    expect(statesIn(world)).toEqual(["live"]);
    await releaseAll(world.calm, { ...told, addresses: [second] });
    expect(statesIn(world)).toEqual([]);
  });
});

describe("a release by host", () => {
  it("keeps what instances keep, and names it, as often as it is repeated", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/28", 30));
    const { calm } = world;
    const db = await assigned(calm, instanceRequest(podOf("a")));
    const web = await assigned(calm, instanceRequest(podOf("b", DEPLOYMENT)));
    const vm = await assigned(calm, requestOf("vm", 1));
    const first = await releaseHost(calm, SPACE, "host:node-1");
    expect(first).toMatchObject({ kept: addressesIn(db), complete: true });
    expect([...first.released].sort()).toEqual([...addressesIn(web), ...addressesIn(vm)].sort());
    expect(await releaseHost(calm, SPACE, "host:node-1")).toMatchObject({
      released: [],
      kept: addressesIn(db),
      complete: true,
    });
    expect(statesIn(world)).toEqual(["kept"]);
  });
});
