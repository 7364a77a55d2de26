import { describe, expect, it } from "vitest";
import { CONFIRM_SECONDS_DEFAULT } from "../../../../src/base/limits.ts";
import { Rejection } from "../../../../src/base/outcome.ts";
import { ciliumHandle } from "../../../../src/kernel/values/handle.ts";
import { formatCidr } from "../../../../src/net/cidr.ts";
import { listPrefixes } from "../../../../src/nouns/prefix/operations/list-prefixes.ts";
import { endCilium, putPools, showPrefixes, stopped } from "../../../cilium.ts";
import { addressesShown, tryPutCilium } from "../../../cilium-requests.ts";
import { putPrefixPools } from "../../../prefixes.ts";
import { contentsIn, makeWorld, SPACE, type World } from "../../../world.ts";

const NODE = "node-1";
const SHOWN = ["10.64.1.0/24", "fd00:64:0:1::/64"];

async function worldOfPrefixes(): Promise<World> {
  const world = await makeWorld();
  await putPrefixPools(world.calm);
  return world;
}

const held = async ({ calm }: World) =>
  (await listPrefixes(calm, { space: SPACE, node: NODE })).map(({ cidr }) => formatCidr(cidr));

const versions = (world: World) =>
  contentsIn(world).ciliumReports.map(({ resourceVersion }) => resourceVersion);

describe("of two PUTs of a CiliumNode at once", () => {
  it("the later one counts if both are the first", async () => {
    const world = await worldOfPrefixes();
    const early = await stopped(world, "create-cilium", (context) => tryPutCilium(context, NODE));
    const podCIDRs = await showPrefixes(world.calm, NODE, [], { resourceVersion: "2" });
    expect(await early.goOn()).toMatchObject({ code: "precondition_failed" });
    expect(versions(world)).toEqual(["2"]);
    expect(await held(world)).toEqual(podCIDRs);
  });

  it("the later one counts if both change the object", async () => {
    const world = await worldOfPrefixes();
    await showPrefixes(world.calm, NODE, SHOWN);
    const early = await stopped(world, "cilium", (context) =>
      tryPutCilium(context, NODE, { resourceVersion: "2" }),
    );
    await showPrefixes(world.calm, NODE, SHOWN, { resourceVersion: "3" });
    expect(await early.goOn()).toMatchObject({ code: "precondition_failed" });
    expect(versions(world)).toEqual(["3"]);
  });
});

describe("the answer to a CiliumNode that states what it cannot have", () => {
  const OTHERS = "fd00:64:0:2::/64";
  const object = (podCIDRs: readonly string[]) => ({ object: { ipam: { podCIDRs }, status: {} } });

  /** Returns the prefixes that another node gets, which asks until none is left. */
  async function gotByOthers({ calm }: World): Promise<readonly string[]> {
    const got: string[] = [];
    for (let n = 0; ; n++) {
      const more = await showPrefixes(calm, `new-${n}`, [], { uid: `new-${n}` });
      if (more.length === 0) return got;
      got.push(...more);
    }
  }

  it("lists all of it, beside an error, and nobody else gets any of it", async () => {
    const world = await worldOfPrefixes();
    await showPrefixes(world.calm, "node-2", [OTHERS], { uid: "b" });
    const stated = ["10.64.1.0/24", OTHERS];
    expect(await tryPutCilium(world.calm, NODE, object(stated))).toMatchObject({
      ipam: { podCIDRs: stated },
      errors: [expect.stringContaining("node-2")],
      taken: [],
    });
    expect(await held(world)).toEqual([]);
    await endCilium(world.calm, "node-2", "b");
    expect(await gotByOthers(world)).not.toContain("10.64.1.0/24");
  });

  it("lists a network outside of all pools, beside an error", async () => {
    const world = await worldOfPrefixes();
    const stated = ["10.64.1.0/24", "fd01::/64"];
    expect(await tryPutCilium(world.calm, NODE, object(stated))).toMatchObject({
      ipam: { podCIDRs: stated },
      errors: [expect.stringContaining("fd01::/64")],
    });
    expect(await held(world)).toEqual([]);
  });

  it("lists what it holds only of a family of which it states none", async () => {
    const world = await worldOfPrefixes();
    const [, v6 = ""] = await showPrefixes(world.calm, NODE, SHOWN);
    const stated = ["10.64.2.0/24"];
    expect(await showPrefixes(world.calm, NODE, stated, { resourceVersion: "2" })).toEqual([
      ...stated,
      v6,
    ]);
    expect((await held(world)).toSorted()).toEqual(SHOWN);
    expect(await gotByOthers(world)).not.toContain("10.64.2.0/24");
  });
});

it("a prefix whose lease is over stays held while its node shows it, beside one that the node takes", async () => {
  const world = await worldOfPrefixes();
  const [v4 = ""] = await showPrefixes(world.calm, NODE, [], { families: [4] });
  const slotsOf = () =>
    contentsIn(world)
      .blocks.filter(({ cidr }) => formatCidr(cidr) === v4)
      .map(({ slots }) => slots);
  const before = slotsOf();
  world.clock.nowMs += 2_000 * CONFIRM_SECONDS_DEFAULT;
  const both = [v4, "fd00:64:0:1::/64"];
  expect(await showPrefixes(world.calm, NODE, both, { resourceVersion: "2" })).toEqual(both);
  expect(slotsOf()).toEqual(before);
});

describe("a release of what a CiliumNode has", () => {
  it("frees also what a first PUT took in another mode, while a later one came", async () => {
    const world = await worldOfPrefixes();
    const early = await stopped(world, "create-allocation", (context) =>
      tryPutCilium(context, NODE, addressesShown(1)),
    );
    await putPools(world.calm, NODE, 1, {
      requested: [{ pool: "v4", needed: { "ipv4-addrs": 1 } }],
    });
    expect(await early.goOn()).toMatchObject({ code: "invalid_request" });
    const handles = contentsIn(world).allocations.map(({ handle }) => handle);
    expect(handles).toContain(ciliumHandle(NODE, "a"));
    await endCilium(world.calm, NODE);
    expect(contentsIn(world).allocations).toEqual([]);
  });

  it("does not lose a PUT that came before its first write, also one of another mode", async () => {
    const world = await worldOfPrefixes();
    await putPools(world.calm, NODE, 1, { requested: [] });
    const end = await stopped(world, "end-cilium", (context) => endCilium(context, NODE));
    await showPrefixes(world.calm, NODE, SHOWN, { resourceVersion: "2" });
    expect((await end.goOn()).toSorted()).toEqual(SHOWN);
    expect(versions(world)).toEqual([]);
    expect(await held(world)).toEqual([]);
  });

  it("leaves the object of a PUT that finished it and began anew", async () => {
    const world = await worldOfPrefixes();
    await showPrefixes(world.calm, NODE, SHOWN);
    const end = await stopped(world, "delete-cilium", (context) => endCilium(context, NODE));
    const podCIDRs = await showPrefixes(world.calm, NODE, [], { resourceVersion: "2" });
    expect(await held(world)).toEqual(podCIDRs);
    const after = await tryPutCilium(world.calm, NODE, { resourceVersion: "3" });
    expect(after).not.toBeInstanceOf(Rejection);
    // It goes on after the new object, and releases what that has by now.
    expect((await end.goOn()).toSorted()).toEqual([...SHOWN, ...podCIDRs].toSorted());
    expect(versions(world)).toEqual([]);
    expect(await held(world)).toEqual([]);
  });

  it("is seen by a PUT that takes something meanwhile, which begins anew", async () => {
    const world = await worldOfPrefixes();
    const late = await stopped(world, "create-block", (context) => showPrefixes(context, NODE));
    await endCilium(world.calm, NODE);
    expect(versions(world)).toEqual([]);
    expect(await late.goOn()).toEqual(await held(world));
    expect(versions(world)).toEqual(["1"]);
  });
});
