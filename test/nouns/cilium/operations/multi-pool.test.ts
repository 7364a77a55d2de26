import { describe, expect, it } from "vitest";
import { Rejection } from "../../../../src/base/outcome.ts";
import { formatCidr } from "../../../../src/net/cidr.ts";
import { prefixesOfPools } from "../../../../src/nouns/cilium/operations/pool-prefixes.ts";
import { putPool } from "../../../../src/nouns/pool/operations/administration.ts";
import { endCilium, putPools, stopped } from "../../../cilium.ts";
import { poolsRequested, tryPutCilium } from "../../../cilium-requests.ts";
import { deleted, say, stated } from "../../../node-events.ts";
import { prefixPool, putMars } from "../../../prefixes.ts";
import { repairAll } from "../../../scheduled-runs.ts";
import { contentsIn, makeWorld, SPACE, type World } from "../../../world.ts";

const NODE = "node-1";
const QUARANTINE_MS = 40_000;
const SKEW_MS = 2_001;
const A = "10.65.0.0/27";
const B = "10.65.0.32/27";

async function worldOfMars(): Promise<World> {
  const world = await makeWorld();
  await putMars(world.calm);
  return world;
}

const demand = (addresses: number) => ({
  requested: [{ pool: "mars", needed: { "ipv4-addrs": addresses } }],
});

const listing = (...cidrs: readonly string[]) => ({ allocated: [{ pool: "mars", cidrs }] });

/** Returns what the node holds of all pools. */
async function held({ calm }: World): Promise<readonly string[]> {
  const of = { space: SPACE, node: NODE, uid: "a" };
  const prefixes = await prefixesOfPools(calm, of, []);
  return prefixes instanceof Rejection
    ? [prefixes.code]
    : prefixes.map(({ cidr }) => formatCidr(cidr));
}

describe("two PUTs of a CiliumNode at once", () => {
  it("take one prefix if both need the same", async () => {
    const world = await worldOfMars();
    const late = await stopped(world, "create-cilium", (context) =>
      tryPutCilium(context, NODE, poolsRequested(1, demand(8))),
    );
    const { mars } = await putPools(world.calm, NODE, 1, demand(8));
    expect(await late.goOn()).toMatchObject({ ipam: { pools: { allocated: [{ cidrs: mars }] } } });
    expect(await held(world)).toEqual(mars);
  });

  it("hold a prefix once that both list", async () => {
    const world = await worldOfMars();
    await putPools(world.calm, NODE, 1, {});
    const late = await stopped(world, "cilium", (context) =>
      putPools(context, NODE, 1, listing(A)),
    );
    expect(await putPools(world.calm, NODE, 1, listing(A))).toEqual({ mars: [A] });
    expect(await late.goOn()).toEqual({ mars: [A] });
    expect(await held(world)).toEqual([A]);
  });

  it("do not free a prefix that the later one lists again", async () => {
    const world = await worldOfMars();
    await putPools(world.calm, NODE, 1, listing(A, B));
    const late = await stopped(world, "free-slots", (context) =>
      putPools(context, NODE, 2, listing(B)),
    );
    const listed = await putPools(world.calm, NODE, 3, listing(A, B));
    expect(listed).toEqual({ mars: [A, B] });
    await late.goOn().catch(() => undefined);
    expect((await held(world)).toSorted()).toEqual([A, B]);
  });
});

describe("a prefix that a PUT gives back and takes again, because no other is free", () => {
  /** Adds a pool of two prefixes without a cooldown. */
  async function worldOfTwo(): Promise<World> {
    const world = await makeWorld();
    const pool = { ...prefixPool("10.65.0.0/26", 27), cooldownSeconds: 0 };
    await putPool(world.calm, SPACE, "mars", pool, undefined);
    await putPools(world.calm, NODE, 1, listing(A, B));
    return world;
  }
  const tokenOf = (world: World, cidr: string) =>
    contentsIn(world).blocks.flatMap((block) =>
      formatCidr(block.cidr) === cidr ? [...block.slots.values()] : [],
    );

  it("stays with the node, which lists it in the next PUT", async () => {
    const world = await worldOfTwo();
    const needs = { ...demand(60), ...listing(B) };
    expect(await putPools(world.calm, NODE, 2, needs)).toEqual({ mars: [A, B] });
    const before = tokenOf(world, A);
    expect(before).toMatchObject([{ kind: "taken" }]);
    const lists = { ...demand(60), ...listing(A, B) };
    expect(await putPools(world.calm, NODE, 3, lists)).toEqual({ mars: [A, B] });
    expect(tokenOf(world, A)).toEqual(before);
  });
});

describe("a prefix of a pool that no object names any more", () => {
  it("is found under its host, so that the node still has it, and a release frees it", async () => {
    const world = await worldOfMars();
    const { mars } = await putPools(world.calm, NODE, 1, demand(8));
    await putPools(world.calm, NODE, 2, {});
    expect(await putPools(world.calm, NODE, 3, {})).toEqual({ mars });
    expect(contentsIn(world).ciliumReports[0]?.entries).toEqual([]);
    expect(await endCilium(world.calm, NODE)).toEqual(mars);
    expect(await held(world)).toEqual([]);
  });

  it("goes with its node", async () => {
    const world = await worldOfMars();
    await putPools(world.calm, NODE, 1, demand(8), "uid-1");
    await putPools(world.calm, NODE, 2, {}, "uid-1");
    await say(world.calm, stated(5), deleted(6));
    world.clock.nowMs += QUARANTINE_MS + SKEW_MS;
    await repairAll(world.calm);
    expect(contentsIn(world).ciliumReports).toEqual([]);
    expect(contentsIn(world).allocations).toEqual([]);
  });
});

describe("a node", () => {
  it("cannot change its mode while it has prefixes of a pool", async () => {
    const world = await worldOfMars();
    await putPools(world.calm, NODE, 1, demand(8));
    expect(await tryPutCilium(world.calm, NODE, { resourceVersion: "2" })).toMatchObject({
      code: "invalid_request",
    });
  });
});
