import { beforeEach, describe, expect, it } from "vitest";
import { CONFIGURATION_FRESH_MS, CONFIGURATION_JITTER_MS } from "../../../src/base/limits.ts";
import { Rejection } from "../../../src/base/outcome.ts";
import { assign } from "../../../src/kernel/assign/assign.ts";
import type { AssignRequest } from "../../../src/kernel/assign/assignment.ts";
import { ensureBlocks } from "../../../src/kernel/assign/ensure-blocks.ts";
import type { Context } from "../../../src/kernel/core/context.ts";
import type { Written } from "../../../src/kernel/core/written.ts";
import { formatCidr } from "../../../src/net/cidr.ts";
import type { Labels } from "../../../src/net/labels.ts";
import {
  putPool,
  putSettings,
  readSettings,
} from "../../../src/nouns/pool/operations/administration.ts";
import type { PoolSpec } from "../../../src/nouns/pool/pool.ts";
import {
  deleteNamespace,
  putNamespace,
} from "../../../src/nouns/registry/operations/namespaces.ts";
import { deleteNode, putNode } from "../../../src/nouns/registry/operations/nodes.ts";
import type { Settings } from "../../../src/nouns/settings/settings.ts";
import type { Table } from "../../../src/table/table.ts";
import { selector } from "../../builders.ts";
import { callsOf } from "../../simulation/crash-points.ts";
import {
  addressOf,
  assigned,
  contentsIn,
  contextOver,
  makeWorld,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  scheduledRuns,
  tableOf,
  type World,
} from "../../world.ts";

const STALE_MS = CONFIGURATION_FRESH_MS + CONFIGURATION_JITTER_MS;

const selecting = (cidr: string, node?: string, namespace?: string): PoolSpec => ({
  ...poolOf(cidr, 30),
  ...(node !== undefined && { nodeSelector: { text: node, selector: selector(node) } }),
  ...(namespace !== undefined && {
    namespaceSelector: { text: namespace, selector: selector(namespace) },
  }),
});

/** A world whose one pool serves hosts in the west only. */
let world: World;
let context: Context;
beforeEach(async () => {
  world = await makeWorld(selecting("10.0.0.0/28", 'zone == "west"'));
  context = world.calm;
});

/** Writes the labels of a node, whether it exists or not, and returns when they take effect. */
async function label(labels: Labels, name = "node-1"): Promise<number> {
  const { revision } = (await context.store.readNode(SPACE, name)) ?? {};
  return effectOf(await putNode(context, SPACE, name, { labels }, revision));
}

async function labelNamespace(labels: Labels): Promise<number> {
  const { revision } = (await context.store.readNamespace(SPACE, "shop")) ?? {};
  return effectOf(await putNamespace(context, SPACE, "shop", { labels }, revision));
}

function effectOf(answer: Written<unknown> | Rejection): number {
  if (answer instanceof Rejection) throw new Error(answer.detail);
  return answer.effectiveAtMs;
}

async function require(settings: Partial<Settings>): Promise<void> {
  const { settings: before, revision } = await readSettings(context, SPACE);
  await putSettings(context, SPACE, { ...before, ...settings }, revision);
}

/** Returns the calls that an assign of this function makes. */
const costOf = (as: Context, request: AssignRequest) =>
  callsOf(world.table, (table) =>
    assign({ ...contextOver(table, world.clock, ++seed), cache: as.cache }, request),
  );

let seed = 100;

describe("what labels cost", () => {
  it("nothing while they are fresh, and then one read beside that of the configuration", async () => {
    await label({ zone: "west" });
    const warm = contextOver(world.table, world.clock, 2);
    await assigned(warm, requestOf("first", 1));
    expect(await costOf(warm, requestOf("second", 1))).toEqual(["create-allocation", "take-slots"]);
    world.clock.nowMs += STALE_MS;
    const calls = await costOf(warm, requestOf("third", 1));
    expect(calls.toSorted()).toEqual(["create-allocation", "get", "get", "query", "take-slots"]);
    world.clock.nowMs += STALE_MS;
    let underWay = 0;
    let atOnce = 0;
    const table: Table = {
      ...tableOf(world),
      get: async (key) => {
        atOnce = Math.max(atOnce, ++underWay);
        await Promise.resolve();
        underWay--;
        return world.table.get(key);
      },
    };
    const later = { ...contextOver(table, world.clock, 3), cache: warm.cache };
    await assigned(later, requestOf("fourth", 1));
    expect(atOnce).toBe(2);
  });

  it("nothing to a function that has just started: they come with the places of their host", async () => {
    await label({ zone: "west" });
    await assigned(context, requestOf("first", 1));
    const cold = contextOver(world.table, world.clock, 2);
    expect(await costOf(cold, requestOf("second", 1))).toEqual([
      "query",
      "query",
      "get",
      "create-allocation",
      "take-slots",
    ]);
  });

  it.each([
    ["where no pool asks for them", async () => world.calm, requestOf("next", 1)],
    ["where the pool is named", asWest, { ...requestOf("next", 1), pools: ["pool"] }],
  ])("nothing %s, however old they are", async (_, prepare, request) => {
    if (prepare !== asWest) {
      world = await makeWorld(selecting("10.0.0.0/28", "all()", " "));
      context = world.calm;
    } else await prepare();
    const warm = contextOver(world.table, world.clock, 2);
    await assigned(warm, { ...requestOf("first", 1), pools: request.pools });
    for (const wait of [STALE_MS, STALE_MS]) {
      world.clock.nowMs += wait;
      await costOf(warm, { ...request, handle: `at ${world.clock.nowMs}` });
    }
    world.clock.nowMs += STALE_MS;
    expect(await costOf(warm, request)).toEqual(["get", "create-allocation", "take-slots"]);
  });

  it("one read for a namespace, where a pool asks for it and the request names one", async () => {
    await putPool(
      context,
      SPACE,
      "web",
      selecting("10.1.0.0/28", undefined, "has(web)"),
      undefined,
    );
    await label({ zone: "west" });
    await labelNamespace({});
    const warm = contextOver(world.table, world.clock, 2);
    const request = { ...requestOf("first", 1), namespace: "shop" };
    await assigned(warm, request);
    expect(await costOf(warm, { ...request, handle: "second" })).toEqual([
      "create-allocation",
      "take-slots",
    ]);
    expect(await costOf(warm, { ...request, namespace: "another" })).toContain("get");
    expect(await costOf(warm, requestOf("third", 1))).not.toContain("get");
  });

  it("one read to many requests side by side", async () => {
    await label({ zone: "west" });
    const warm = contextOver(world.table, world.clock, 2);
    await assigned(warm, requestOf("first", 1));
    world.clock.nowMs += STALE_MS;
    await costOf(warm, requestOf("second", 1));
    world.clock.nowMs += STALE_MS;
    const calls = await callsOf(world.table, (table) => {
      const side = { ...contextOver(table, world.clock, 3), cache: warm.cache };
      return Promise.all(["a", "b"].map((handle) => assign(side, requestOf(handle, 1))));
    });
    expect(calls.filter((call) => call === "get")).toHaveLength(2);
  });
});

describe("the default pools of a namespace", () => {
  const request = (handle: string) => ({ ...requestOf(handle, 1), namespace: "shop" });

  beforeEach(async () => {
    world = await makeWorld({ ...poolOf("10.0.0.0/28", 30), assignmentMode: "Manual" });
    context = world.calm;
    const spec = { labels: {}, defaultPools: ["p*"] };
    await putNamespace(context, SPACE, "shop", spec, undefined);
  });

  it("cost one read while no copy of the namespace is fresh, and else nothing", async () => {
    const warm = contextOver(world.table, world.clock, 2);
    await assigned(warm, request("first"));
    expect(await costOf(warm, request("second"))).toEqual(["create-allocation", "take-slots"]);
    world.clock.nowMs += STALE_MS;
    const calls = await costOf(warm, request("third"));
    // The function reads the configuration, its version and the namespace.
    expect(calls.toSorted()).toEqual(["create-allocation", "get", "get", "query", "take-slots"]);
  });

  it("cost nothing for a request that names its pools", async () => {
    const named = { ...request("first"), pools: ["pool"] };
    const { namespace: _, ...elsewhere } = { ...named, handle: "second" };
    await assigned(context, { ...named, handle: "zeroth" });
    const calls = await costOf(contextOver(world.table, world.clock, 2), named);
    expect(calls).toEqual(await costOf(contextOver(world.table, world.clock, 2), elsewhere));
  });

  it("hold on every function from the time in the answer on", async () => {
    const warm = contextOver(world.table, world.clock, 2);
    await assigned(warm, request("first"));
    const { revision } = (await context.store.readNamespace(SPACE, "shop")) ?? {};
    const next = { labels: {}, defaultPools: ["gone"] };
    const effectiveAtMs = effectOf(await putNamespace(context, SPACE, "shop", next, revision));
    await assigned(warm, request("before"));
    world.clock.nowMs = effectiveAtMs;
    expect(await assign(warm, request("after"))).toMatchObject({
      code: "no_pool_available",
      members: { rule: "namespace" },
    });
  });
});

async function asWest() {
  await label({ zone: "west" });
  return context;
}

describe("labels", () => {
  it("of a host that nobody registered are none", async () => {
    expect(await assign(context, requestOf("pod", 1))).toMatchObject({
      code: "no_pool_available",
      detail: expect.stringContaining("the host is not registered, so it has no labels"),
    });
  });

  it("of a virtual owner are none, whatever a host of its name has", async () => {
    await label({ zone: "west" });
    const request = { ...requestOf("pod", 1), host: "virtual:node-1" } as const;
    expect(await assign(context, request)).toMatchObject({ code: "no_pool_available" });
  });

  it.each([
    ["moved", () => label({ zone: "east" })],
    [
      "deleted",
      async () => {
        const { revision } = (await context.store.readNode(SPACE, "node-1")) ?? {};
        return effectOf(await deleteNode(context, SPACE, "node-1", revision));
      },
    ],
  ])(
    "of a node that is %s are followed by every function at the latest when its operator was told",
    async (_, change) => {
      await label({ zone: "west" });
      const warm = contextOver(world.table, world.clock, 2);
      await assigned(warm, requestOf("first", 1));
      world.clock.nowMs = await change();
      expect(await assign(warm, requestOf("second", 1))).toMatchObject({
        code: "no_pool_available",
      });
    },
  );

  it("are followed at once by the function that changed them", async () => {
    await label({ zone: "west" });
    await assigned(context, requestOf("first", 1));
    await label({ zone: "east" });
    expect(await assign(context, requestOf("second", 1))).toBeInstanceOf(Rejection);
  });

  it("that were on their way while they changed are asked for anew", async () => {
    await label({ zone: "west" });
    let arrive = () => {};
    const onTheWay = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const slow: Table = {
      ...tableOf(world),
      query: async (pk, options) => {
        const items = await world.table.query(pk, options);
        if (pk.startsWith("HOST#")) await onTheWay;
        return items;
      },
    };
    const loading = assign(
      { ...contextOver(slow, world.clock, 2), cache: context.cache },
      requestOf("first", 1),
    );
    await label({ zone: "east" });
    arrive();
    expect(await loading).toBeInstanceOf(Rejection);
    expect(await assign(context, requestOf("second", 1))).toBeInstanceOf(Rejection);
  });

  it("that could not be read are asked for again", async () => {
    await label({ zone: "west" });
    let fails = true;
    const failing: Table = {
      ...tableOf(world),
      query: (pk, options) =>
        fails && pk.startsWith("HOST#")
          ? Promise.reject(new Error("no answer"))
          : world.table.query(pk, options),
    };
    const unlucky = contextOver(failing, world.clock, 2);
    await expect(assign(unlucky, requestOf("first", 1))).rejects.toThrow("no answer");
    fails = false;
    await assigned(unlucky, requestOf("first", 1));
  });

  it("of a namespace are followed as those of a node are", async () => {
    world = await makeWorld(selecting("10.0.0.0/28", undefined, "team == 'web'"));
    context = world.calm;
    const warm = contextOver(world.table, world.clock, 2);
    const request = { ...requestOf("first", 1), namespace: "shop" };
    expect(await assign(warm, request)).toMatchObject({ code: "no_pool_available" });
    world.clock.nowMs = await labelNamespace({ team: "web" });
    await assigned(warm, request);
    const { revision } = (await context.store.readNamespace(SPACE, "shop")) ?? {};
    world.clock.nowMs = effectOf(await deleteNamespace(context, SPACE, "shop", revision));
    expect(await assign(warm, { ...request, handle: "second" })).toBeInstanceOf(Rejection);
  });
});

describe("labels that come with the request", () => {
  const asked = (changes: Partial<AssignRequest>, handle = "pod"): AssignRequest => ({
    ...requestOf(handle, 1),
    ...changes,
  });
  const west = { hostLabels: { zone: "west" } };
  const web = { namespaceLabels: { team: "web" } };

  async function withTeams(): Promise<void> {
    world = await makeWorld(selecting("10.0.0.0/28", 'zone == "west"', 'team == "web"'));
    context = world.calm;
  }

  it("serve a host and a namespace that nobody has registered yet, at once", async () => {
    await withTeams();
    expect(await assign(context, asked({ ...west, namespace: "new" }))).toBeInstanceOf(Rejection);
    await assigned(context, asked({ ...west, ...web, namespace: "new" }));
    await assigned(context, asked({ ...west, ...web }, "of no namespace"));
  });

  it("count in place of those that are registered, whichever way they differ", async () => {
    await withTeams();
    await label({ zone: "west" });
    await labelNamespace({ team: "web" });
    await assigned(context, asked({ namespace: "shop" }));
    for (const other of [{ hostLabels: {} }, { namespaceLabels: { team: "db" } }])
      expect(await assign(context, asked({ namespace: "shop", ...other }))).toMatchObject({
        code: "no_pool_available",
        members: { pools: [{ code: expect.stringMatching(/^(node|namespace)$/) }] },
      });
  });

  it("save the look for those of the host", async () => {
    await withTeams();
    const request = (handle: string) => asked({ ...west, ...web, namespace: "shop" }, handle);
    const warm = contextOver(world.table, world.clock, 2);
    await assigned(warm, request("first"));
    expect(await costOf(warm, request("second"))).toEqual(["create-allocation", "take-slots"]);
    world.clock.nowMs += STALE_MS;
    const calls = await costOf(warm, request("third"));
    // The function reads the configuration, its version, and the namespace for its default pools, but no node.
    expect(calls.toSorted()).toEqual(["create-allocation", "get", "get", "query", "take-slots"]);
  });

  it("may be others by the time that the request is repeated: its answer is the same", async () => {
    const request = { ...asked(west), keyId: "0123456789abcdef", digest: "same" };
    const once = await assigned(context, request);
    const { hostLabels: _, ...unlabelled } = request;
    for (const again of [{ ...request, hostLabels: { zone: "east" } }, unlabelled])
      expect(await assigned(context, again)).toEqual(once);
  });

  it("of a host are rejected where hosts must be registered, and those of a namespace count there too", async () => {
    await withTeams();
    await label({ zone: "west" });
    await require({ requireRegisteredHosts: true });
    expect(await assign(context, asked({ ...west, ...web }))).toMatchObject({
      code: "invalid_request",
      members: { fields: [{ field: "hostLabels", problem: expect.stringContaining("require") }] },
    });
    await assigned(context, asked(web));
    const balancer = { ...asked({ ...west, ...web }, "lb"), host: "virtual:lb" } as const;
    await assigned(context, balancer);
  });

  it("choose the block that a host is seen to have", async () => {
    const asks = { space: SPACE, host: "host:node-1", families: [4], pools: [] } as const;
    expect(await ensureBlocks(context, asks)).toMatchObject({ code: "no_pool_available" });
    expect(await ensureBlocks(context, { ...asks, ...west })).toMatchObject([{ family: 4 }]);
  });
});

describe("a host that a pool does not select any more", () => {
  beforeEach(async () => {
    await label({ zone: "west" });
    await putPool(context, SPACE, "rest", selecting("10.1.0.0/29", 'zone != "west"'), undefined);
  });

  it("keeps what it has, gets no more from its blocks there, and is served by others", async () => {
    const told = await assigned(context, requestOf("first", 1));
    await label({ zone: "east" });
    const more = await assigned(context, requestOf("second", 1));
    expect(more.addresses).toMatchObject([{ pool: "rest", borrowed: false }]);
    expect(await releaseAll(context, told)).toMatchObject([{ status: "released" }]);
  });

  it("may have blocks of other pools up to its cap, whatever it has there", async () => {
    const capped = { maxBlocksPerHost: 1 };
    await assigned(context, { ...requestOf("first", 4), ...capped });
    await label({ zone: "east" });
    const more = await assigned(context, { ...requestOf("second", 1), ...capped });
    expect(more.addresses).toMatchObject([{ pool: "rest", borrowed: false }]);
  });

  it("gets from its blocks there by a request that names the pool, and by one for their address", async () => {
    const [first] = (await assigned(context, requestOf("first", 1))).addresses;
    await label({ zone: "east" });
    const named = await assigned(context, { ...requestOf("second", 1), pools: ["pool"] });
    expect(named.addresses).toMatchObject([{ block: first?.block }]);
    const address = addressOf("10.0.0.15");
    expect(
      await assigned(context, { ...requestOf("third", 1), addresses: [address] }),
    ).toMatchObject({
      addresses: [{ address: "10.0.0.15" }],
    });
  });

  it("does not borrow there", async () => {
    const { revision } = (await context.store.readSpace(SPACE)).pools.find(
      ({ name }) => name === "rest",
    ) ?? { revision: "" };
    await putPool(
      context,
      SPACE,
      "rest",
      { ...selecting("10.1.0.0/29"), disabled: true },
      revision,
    );
    await assigned(context, requestOf("first", 1));
    await label({ zone: "east" }, "node-2");
    const request = { ...requestOf("second", 1), host: "host:node-2" } as const;
    expect(await assign(context, request)).toMatchObject({ code: "no_pool_available" });
  });

  it("keeps none of its empty blocks there ready, and those of other pools in their place", async () => {
    await require({ warmBlocksPerHost: 1, blockMinAgeSeconds: 0 });
    const empty = await assigned(context, requestOf("empty", 1));
    await label({ zone: "east" });
    await assigned(context, requestOf("kept", 4));
    const ready = await assigned(context, requestOf("ready", 1));
    await releaseAll(context, empty);
    await releaseAll(context, ready);
    await scheduledRuns(world, 3);
    const blocks = contentsIn(world).blocks.map(({ cidr }) => formatCidr(cidr));
    expect(blocks.sort()).toEqual(["10.1.0.0/30", "10.1.0.4/30"]);
  });
});

describe("where hosts must be registered", () => {
  beforeEach(async () => {
    world = await makeWorld(poolOf("10.0.0.0/28", 30), { requireRegisteredHosts: true });
    context = world.calm;
  });

  it("one that is not is told so, whatever it asks for", async () => {
    const asks = [{}, { pools: ["pool"] }, { addresses: [addressOf("10.0.0.7")] }];
    for (const ask of asks)
      expect(await assign(context, { ...requestOf("pod", 1), ...ask })).toMatchObject({
        code: "host_not_registered",
        members: { host: "node-1" },
      });
    expect(contentsIn(world)).toMatchObject({ blocks: [], allocations: [] });
  });

  it("one that is gets addresses, and from its deletion on no more", async () => {
    await label({});
    await assigned(context, requestOf("first", 1));
    const { revision } = (await context.store.readNode(SPACE, "node-1")) ?? {};
    effectOf(await deleteNode(context, SPACE, "node-1", revision));
    expect(await assign(context, requestOf("second", 1))).toMatchObject({
      code: "host_not_registered",
    });
  });

  it("a load balancer need not be", async () => {
    const balancers = { ...poolOf("10.2.0.0/28", 30), allowedUses: ["LoadBalancer" as const] };
    await putPool(context, SPACE, "balancers", balancers, undefined);
    const request = {
      ...requestOf("lb", 1),
      host: "virtual:load-balancer",
      use: "LoadBalancer",
    } as const;
    expect(await assigned(context, request)).toMatchObject({ addresses: [{ pool: "balancers" }] });
  });

  it("a virtual owner need not be, for it cannot be", async () => {
    const request = { ...requestOf("vip", 1), host: "virtual:vips" } as const;
    expect(await assigned(context, request)).toMatchObject({ addresses: [{ pool: "pool" }] });
  });

  it("a repeat under its key is told what it was told before", async () => {
    await label({});
    const keyed = requestOf("pod", 1, "once");
    const told = await assigned(context, keyed);
    const { revision } = (await context.store.readNode(SPACE, "node-1")) ?? {};
    effectOf(await deleteNode(context, SPACE, "node-1", revision));
    expect(await assigned(context, keyed)).toEqual(told);
    expect(await assigned(contextOver(world.table, world.clock, 4), keyed)).toEqual(told);
  });
});
