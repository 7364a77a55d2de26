import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Rejection } from "../../../../src/base/outcome.ts";
import { formatCidr } from "../../../../src/net/cidr.ts";
import { putPool } from "../../../../src/nouns/pool/operations/administration.ts";
import { listPrefixes } from "../../../../src/nouns/prefix/operations/list-prefixes.ts";
import { eachCall } from "../../../../src/store/stack.ts";
import {
  CONFIRM_SECONDS,
  ensure,
  free,
  prefixPool,
  putPrefixPools,
  tryEnsure,
} from "../../../prefixes.ts";
import { repairAll } from "../../../scheduled-runs.ts";
import { oneIn } from "../../../simulation/sampled-calls.ts";
import { contentsIn, contextOver, makeWorld, SPACE, tableOf, type World } from "../../../world.ts";

const LEASE_MS = 1000 * CONFIRM_SECONDS;

/** Returns a world with four prefixes of each family. */
async function nodesWorld(): Promise<World> {
  const world = await makeWorld();
  await putPrefixPools(world.calm);
  return world;
}

const stateOf = async ({ calm }: World, node: string, uid = "a") =>
  (await listPrefixes(calm, { space: SPACE, node, uid })).map(({ cidr, expiresAtMs }) => [
    formatCidr(cidr),
    expiresAtMs === undefined ? "confirmed" : "pending",
  ]);

describe("a prefix that Plat chose", () => {
  it("goes back when its node has not stated it in time", async () => {
    const world = await nodesWorld();
    await ensure(world.calm, "node-1");
    world.clock.nowMs += 2 * LEASE_MS;
    await repairAll(world.calm);
    expect(await stateOf(world, "node-1")).toEqual([]);
    expect(contentsIn(world).quotaSlots).toEqual([]);
  });

  it("stays for ever when its node has stated it", async () => {
    const world = await nodesWorld();
    const podCidrs = await ensure(world.calm, "node-1");
    await ensure(world.calm, "node-1", { podCidrs });
    world.clock.nowMs += 1_000 * LEASE_MS;
    await repairAll(world.calm);
    expect(await stateOf(world, "node-1")).toEqual(podCidrs.map((cidr) => [cidr, "confirmed"]));
  });

  it("is what the node gets again after its lease, and can still confirm", async () => {
    const world = await nodesWorld();
    const podCidrs = await ensure(world.calm, "node-1");
    world.clock.nowMs += 2 * LEASE_MS;
    expect(await ensure(world.calm, "node-1")).toEqual(podCidrs);
    await repairAll(world.calm);
    expect(await stateOf(world, "node-1")).toEqual(podCidrs.map((cidr) => [cidr, "pending"]));
    world.clock.nowMs += 2 * LEASE_MS;
    expect(await ensure(world.calm, "node-1", { podCidrs })).toEqual(podCidrs);
    await repairAll(world.calm);
    expect(await stateOf(world, "node-1")).toEqual(podCidrs.map((cidr) => [cidr, "confirmed"]));
  });

  it("was not given back a moment ago, while its pool has others", async () => {
    const world = await nodesWorld();
    const podCidrs = await ensure(world.calm, "node-1");
    await free(world.calm, "node-1");
    for (const node of ["node-2", "node-3", "node-4"])
      for (const cidr of await ensure(world.calm, node)) expect(podCidrs).not.toContain(cidr);
    expect(await tryEnsure(world.calm, "node-5")).toMatchObject({ code: "pool_exhausted" });
    world.clock.nowMs += 10_000;
    expect(await ensure(world.calm, "node-5")).toEqual(podCidrs);
  });
});

const WITHOUT_PREFIX = 44;

describe("nodes that come all at once", () => {
  it("get all prefixes of both families, none twice, and each node both or none", async () => {
    const world = await makeWorld();
    const prefixes = 256 / oneIn(4);
    await putPool(
      world.calm,
      SPACE,
      "v4",
      prefixPool("10.64.0.0/16", 16 + Math.log2(prefixes)),
      undefined,
    );
    await putPool(
      world.calm,
      SPACE,
      "v6",
      prefixPool("fd00:64::/56", 56 + Math.log2(prefixes)),
      undefined,
    );
    const nodes = Array.from({ length: prefixes + WITHOUT_PREFIX }, (_, n) => `node-${n}`);
    // Each call waits for a turn of its own, so that the nodes overtake each other.
    const table = eachCall(tableOf(world), async (call) => {
      await new Promise((resolve) => setImmediate(resolve));
      return call();
    });
    const rejected = new Set<string>();
    const asked = nodes.flatMap((node, n) =>
      [0, 1].map(async (again) => {
        const context = contextOver(table, world.clock, 2 * n + again + 2);
        const answer = await tryEnsure(context, node).catch((error: Error) => error);
        if (answer instanceof Rejection) rejected.add(answer.code);
        else if (answer instanceof Error) rejected.add(answer.name);
        else expect(answer.prefixes).toHaveLength(2);
      }),
    );
    await Promise.all(asked);
    // Those that met another request of theirs, or were overtaken too often, come again.
    world.clock.nowMs += 20_000;
    for (const node of nodes) await tryEnsure(world.calm, node);
    const held = await Promise.all(nodes.map((node) => stateOf(world, node)));
    expect(held.filter(({ length }) => length === 0)).toHaveLength(WITHOUT_PREFIX);
    expect(held.every(({ length }) => length === 0 || length === 2)).toBe(true);
    const cidrs = held.flat().map(([cidr]) => cidr);
    expect(new Set(cidrs).size).toBe(2 * prefixes);
    expect([...rejected].filter((code) => !EXPECTED.has(code))).toEqual([]);
  });
});

const EXPECTED = new Set(["request_in_progress", "pool_exhausted", "ContentionError"]);

const PREFIXES = [0, 1, 2, 3].flatMap((n) => [
  `10.64.${n}.0/24`,
  n === 0 ? "fd00:64::/64" : `fd00:64:0:${n}::/64`,
]);
const familyOf = (cidr: string) => (cidr.includes(":") ? 6 : 4);

/** The prefixes of each node in a model: true for a confirmed one. */
type Model = Map<string, Map<string, boolean>>;

/** One act of a cluster: it changes the table and the model, and they must agree about the answer. */
type Act = (world: World, model: Model) => Promise<void>;

const node = fc.constantFrom("node-1", "node-2", "node-3");
const some = fc
  .uniqueArray(fc.constantFrom(...PREFIXES), { minLength: 1, maxLength: 2, selector: familyOf })
  .map((cidrs) => cidrs.toSorted((a, b) => familyOf(a) - familyOf(b)));

const ownOf = (model: Model, name: string) => {
  const own = model.get(name) ?? new Map<string, boolean>();
  model.set(name, own);
  return own;
};

const isTaken = (model: Model, name: string, cidr: string) =>
  [...model].some(([other, own]) => other !== name && own.has(cidr));

const choose = node.map(
  (name): Act =>
    async ({ calm }, model) => {
      const own = ownOf(model, name);
      const answer = await tryEnsure(calm, name);
      if (answer instanceof Rejection) {
        expect(answer.code).toBe("pool_exhausted");
        return;
      }
      const cidrs = answer.prefixes.map(({ cidr }) => formatCidr(cidr));
      expect(cidrs.map(familyOf)).toEqual([4, 6]);
      expect(cidrs).toEqual(expect.arrayContaining([...own.keys()]));
      for (const cidr of cidrs) {
        expect(isTaken(model, name, cidr)).toBe(false);
        own.set(cidr, own.get(cidr) ?? false);
      }
    },
);

const hold = (replaces: boolean) =>
  fc.tuple(node, some).map(
    ([name, cidrs]): Act =>
      async ({ calm }, model) => {
        const own = ownOf(model, name);
        const said = replaces
          ? ({ allocator: "CloudAllocator", aliases: cidrs } as const)
          : { podCidrs: cidrs };
        const answer = await tryEnsure(calm, name, said);
        const isOther = [...own].some(([cidr, confirmed]) => confirmed && !cidrs.includes(cidr));
        if (isOther && !replaces) {
          expect(answer).toMatchObject({ code: "prefix_mismatch" });
          return;
        }
        if (cidrs.some((cidr) => isTaken(model, name, cidr))) {
          expect(answer).toMatchObject({ code: "already_assigned" });
          return;
        }
        expect(answer).toMatchObject({ node: name });
        for (const cidr of own.keys()) if (!cidrs.includes(cidr)) own.delete(cidr);
        for (const cidr of cidrs) own.set(cidr, true);
      },
  );

const release = fc.tuple(node, fc.option(fc.constantFrom(...PREFIXES))).map(
  ([name, cidr]): Act =>
    async ({ calm }, model) => {
      const own = ownOf(model, name);
      if (cidr !== null && isTaken(model, name, cidr)) return;
      const expected = cidr === null ? [...own.keys()] : [cidr].filter((each) => own.has(each));
      const released = await free(calm, name, cidr === null ? {} : { cidr });
      expect(released.toSorted()).toEqual(expected.toSorted());
      for (const each of expected) own.delete(each);
    },
);

const leaseEnd = fc.constant<Act>(async (world, model) => {
  world.clock.nowMs += 2 * LEASE_MS;
  await repairAll(world.calm);
  for (const own of model.values())
    for (const [cidr, confirmed] of own) if (!confirmed) own.delete(cidr);
});

describe("whatever nodes ask for, in any order", () => {
  it("each has what a small model says, and no prefix has two nodes", async () => {
    const act = fc.oneof(
      { arbitrary: choose, weight: 3 },
      { arbitrary: hold(false), weight: 3 },
      hold(true),
      release,
      leaseEnd,
    );
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 15 }), async (acts) => {
        const world = await nodesWorld();
        const model: Model = new Map();
        for (const each of acts) {
          await each(world, model);
          world.clock.nowMs++;
        }
        for (const [name, own] of model) {
          const expected = [...own].map(([cidr, is]) => [cidr, is ? "confirmed" : "pending"]);
          expect((await stateOf(world, name)).toSorted()).toEqual(expected.toSorted());
        }
      }),
    );
  });
});
