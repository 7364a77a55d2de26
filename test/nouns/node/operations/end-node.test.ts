import { beforeEach, describe, expect, it } from "vitest";
import { Rejection, ThrottledError } from "../../../../src/base/outcome.ts";
import type { Context } from "../../../../src/kernel/core/context.ts";
import { withCalls } from "../../../../src/kernel/core/store.ts";
import { takenIn } from "../../../../src/kernel/values/block.ts";
import { SIGN_OF_LIFE_KEPT_MS } from "../../../../src/maintenance/repair/node.ts";
import { NODE_REPLACED_MS } from "../../../../src/nouns/node/operations/apply-node.ts";
import { TOMBSTONE_KEPT_MS } from "../../../../src/nouns/node/operations/end-node.ts";
import { putSettings, readSettings } from "../../../../src/nouns/pool/operations/administration.ts";
import type { Settings } from "../../../../src/nouns/settings/settings.ts";
import type { Item } from "../../../../src/table/item.ts";
import { allocationKey } from "../../../../src/table/key.ts";
import { endCilium, showPrefixes } from "../../../cilium.ts";
import { addressesShown, tryPutCilium } from "../../../cilium-requests.ts";
import { beforeEachCall } from "../../../each-call.ts";
import { deleted, NODE, say, stated } from "../../../node-events.ts";
import { ensure, putPrefixPools } from "../../../prefixes.ts";
import { repairAll, sweepAll } from "../../../scheduled-runs.ts";
import { answerOf, stoppedBefore } from "../../../simulation/crash-points.ts";
import { oneIn } from "../../../simulation/sampled-calls.ts";
import {
  assigned,
  contentsIn,
  contextOver,
  makeWorld,
  releaseAll,
  requestOf,
  SPACE,
  tableOf,
  type World,
} from "../../../world.ts";

const QUARANTINE_MS = 40_000;
const SKEW_MS = 2_001;

let world: World;

beforeEach(async () => {
  world = await makeWorld();
  await putPrefixPools(world.calm);
});

/** The handles of what is held. */
const held = (of = world) =>
  contentsIn(of)
    .allocations.map(({ handle }) => handle)
    .sort();

const states = (of = world) => contentsIn(of).tombstones.map(({ state }) => state);

/** Gives the node a prefix, and its host an address and a block. */
async function furnish(of = world) {
  await say(of.calm, stated(5));
  await ensureConfirmed(of.calm, "uid-1");
  await assigned(of.calm, requestOf("pod", 1));
}

/** Gives a node a prefix of each family, which it then has. */
async function ensureConfirmed(context: Context, uid: string) {
  await ensure(context, NODE, { uid, podCidrs: await ensure(context, NODE, { uid }) });
}

/** Changes the settings of the space. */
async function configure(change: Partial<Settings>) {
  const { settings, revision } = await readSettings(world.calm, SPACE);
  await putSettings(world.calm, SPACE, { ...settings, ...change }, revision);
}

describe("a node that was deleted", () => {
  it("keeps what it has until its quarantine is over, and then all is free", async () => {
    await furnish();
    await say(world.calm, deleted(6));
    world.clock.nowMs += QUARANTINE_MS;
    await repairAll(world.calm);
    expect(held()).toEqual(["node/node-1/uid-1", "pod"]);
    world.clock.nowMs += SKEW_MS;
    expect(await repairAll(world.calm)).toMatchObject({ nodesEnded: 1, failures: [] });
    expect(held()).toEqual([]);
    expect(contentsIn(world).affinities).toEqual([]);
    expect(states()).toEqual(["freed"]);
  });

  it("keeps it as long as the space says", async () => {
    await configure({ nodeQuarantineSeconds: 100 });
    await furnish();
    await say(world.calm, deleted(6));
    world.clock.nowMs += 100_000;
    await repairAll(world.calm);
    expect(states()).toEqual(["quarantined"]);
    world.clock.nowMs += SKEW_MS;
    await repairAll(world.calm);
    expect(states()).toEqual(["freed"]);
  });

  it("keeps all if it speaks again before", async () => {
    await furnish();
    await say(world.calm, deleted(6), stated(7));
    world.clock.nowMs += QUARANTINE_MS + SKEW_MS;
    await repairAll(world.calm);
    expect(held()).toEqual(["node/node-1/uid-1", "pod"]);
    expect(states()).toEqual([]);
  });

  it("loses also what a request got that outlasted its quarantine", async () => {
    const slow = stoppedBefore(world.table, (step) => step === "take-slots");
    const asking = say(contextOver(slow.table, world.clock, 2), stated(5));
    await slow.stops;
    await say(world.calm, deleted(6));
    world.clock.nowMs += QUARANTINE_MS + SKEW_MS;
    slow.goOn();
    await asking;
    expect(held()).toEqual(["node/node-1/uid-1"]);
    world.clock.nowMs += SKEW_MS;
    await repairAll(world.calm);
    expect(held()).toEqual([]);
    expect(states()).toEqual(["freed"]);
  });

  it("leaves its tombstone for 15 days, so that a late event finds it", async () => {
    await furnish();
    await say(world.calm, deleted(6));
    world.clock.nowMs += QUARANTINE_MS + SKEW_MS;
    await repairAll(world.calm);
    world.clock.nowMs += TOMBSTONE_KEPT_MS - QUARANTINE_MS - 2 * SKEW_MS;
    await repairAll(world.calm);
    expect(states()).toEqual(["freed"]);
    expect(await say(world.calm, stated(5))).toMatchObject([{ status: "stale" }]);
    world.clock.nowMs += 2 * SKEW_MS;
    await repairAll(world.calm);
    expect(states()).toEqual([]);
  });

  it("leaves to another object of its name what came to the host", async () => {
    await furnish();
    const next = stated(9, { uid: "uid-2", createdAtMs: 2_000 });
    await say(world.calm, deleted(6), next);
    await ensureConfirmed(world.calm, "uid-2");
    world.clock.nowMs += QUARANTINE_MS + SKEW_MS;
    await repairAll(world.calm);
    expect(held()).toEqual(["node/node-1/uid-2", "pod"]);
    expect(contentsIn(world).affinities).toHaveLength(1);
  });

  it("loses also the rest of what a request got, one address of which was released after its end", async () => {
    await furnish();
    const told = await assigned(world.calm, requestOf("dual", 2, "key"));
    await say(world.calm, deleted(6));
    world.clock.nowMs += 10_000;
    await releaseAll(world.calm, { ...told, addresses: told.addresses.slice(0, 1) });
    world.clock.nowMs += QUARANTINE_MS + SKEW_MS;
    await repairAll(world.calm);
    const [block] = contentsIn(world).blocks;
    expect(block && takenIn(block)).toBe(0);
  });

  it("leaves to the CiliumNode of another object of its name what that has", async () => {
    await furnish();
    const put = await tryPutCilium(world.calm, NODE, { ...addressesShown(1), uid: "uid-2" });
    expect(put).not.toBeInstanceOf(Rejection);
    await say(world.calm, deleted(6));
    world.clock.nowMs += QUARANTINE_MS + SKEW_MS;
    await repairAll(world.calm);
    expect(held()).toEqual(["cilium/node-1/uid-2"]);
  });

  it("stays due since its end began while an item of it cannot be read, is a failure, and loses all else", async () => {
    await furnish();
    await say(world.calm, deleted(6));
    const own = contentsIn(world).allocations.find(({ handle }) => handle.startsWith("node/"));
    const key = own && allocationKey(own.place);
    const before = key && (await world.table.get(key));
    if (!before) throw new Error("the node has no prefix");
    const put = (item: Item) =>
      world.table.write({ step: "test", key: before, when: [], change: { kind: "put", item } });
    await put({ ...before, revision: 7 });
    const due = () => contentsIn(world).tombstones.map(({ dueAtMs }) => dueAtMs);
    world.clock.nowMs += QUARANTINE_MS + SKEW_MS;
    const began = world.clock.nowMs - SKEW_MS;
    for (let run = 0; run < 2; run++) {
      const { failures, nodesEnded } = await repairAll(world.calm);
      expect(nodesEnded).toBe(0);
      expect(failures).toContainEqual(expect.objectContaining({ name: "CorruptItemError" }));
      world.clock.nowMs += 600_000;
    }
    expect(due()).toEqual([began + 1]);
    expect(contentsIn(world).affinities).toEqual([]);
    await put(before);
    expect(await repairAll(world.calm)).toMatchObject({ nodesEnded: 1, failures: [] });
    expect(held()).toEqual([]);
  });

  it("is not over while a block keeps changing, and stays its host's", async () => {
    await furnish();
    await say(world.calm, deleted(6));
    world.clock.nowMs += QUARANTINE_MS + SKEW_MS;
    const busy = contextOver(
      {
        ...tableOf(world),
        write: async (write) =>
          write.step === "disown" ? { outcome: "lost", item: undefined } : world.table.write(write),
      },
      world.clock,
      3,
    );
    await assigned(world.calm, requestOf("later", 1));
    await repairAll(busy);
    expect(states()).toEqual(["freeing"]);
    await repairAll(world.calm);
    expect(states()).toEqual(["freed"]);
    expect(contentsIn(world).affinities).toEqual([]);
  });

  it("leaves to a later host of its name what came after its end", async () => {
    await furnish();
    await say(world.calm, deleted(6));
    world.clock.nowMs += 1;
    await assigned(world.calm, requestOf("later", 1));
    world.clock.nowMs += QUARANTINE_MS + SKEW_MS;
    await repairAll(world.calm);
    expect(held()).toEqual(["later"]);
  });
});

it("a node that another one replaced without a DELETED event has 10 minutes", async () => {
  await furnish();
  await say(world.calm, stated(9, { uid: "uid-2", createdAtMs: 2_000 }));
  world.clock.nowMs += NODE_REPLACED_MS;
  await repairAll(world.calm);
  expect(held()).toEqual(["node/node-1/uid-1", "node/node-1/uid-2", "pod"]);
  world.clock.nowMs += SKEW_MS;
  await repairAll(world.calm);
  expect(held()).toEqual(["node/node-1/uid-2", "pod"]);
});

it("the host of a replaced node keeps its addresses, also if the event of the later object stops midway", async () => {
  await furnish();
  const next = stated(9, { uid: "uid-2", createdAtMs: 2_000 });
  const { table, clock } = world;
  // The first write is the tombstone, and the second one the report of the later object.
  const cut = stoppedBefore(table, (step) => step === "status");
  const walk = answerOf(say(contextOver(cut.table, clock, 2), next));
  await cut.stops;
  cut.end();
  await walk;
  world.clock.nowMs += NODE_REPLACED_MS + SKEW_MS;
  await repairAll(world.calm);
  expect(states()).toEqual(["freed"]);
  expect(held()).toEqual(["pod"]);
});

it("a report that lands after the end of its node goes with the walk", async () => {
  await say(world.calm, stated(5));
  const [report] = contentsIn(world).nodeReports;
  if (!report) throw new Error("there is no report");
  await say(world.calm, deleted(6));
  await world.calm.store.createReport(report);
  await sweepAll(world.calm);
  expect(contentsIn(world).nodeReports).toEqual([]);
});

describe("many nodes that end at once", () => {
  const named = (n: number) => `node-${n}`;

  const sayOf = (name: string, ...events: Parameters<typeof say>[1][]) =>
    say(world.calm, ...events.map((event) => ({ ...event, name })));

  /** Registers nodes, and deletes the first ones. */
  async function lose(lost: number, of: number) {
    for (let n = 0; n < of; n++) await sayOf(named(n), stated(5));
    for (let n = 0; n < lost; n++) await sayOf(named(n), deleted(6));
    world.clock.nowMs += QUARANTINE_MS + SKEW_MS;
  }

  it("are taken for a mistake from 55 % of all on, and none is freed", async () => {
    await lose(11, 20);
    const { nodesHeld, failures } = await repairAll(world.calm);
    expect(nodesHeld).toBe(11);
    expect(String(failures[0])).toContain("goneNodesPercentMax");
    expect(new Set(states())).toEqual(new Set(["quarantined"]));
    await configure({ goneNodesPercentMax: 100 });
    expect(await repairAll(world.calm)).toMatchObject({ nodesEnded: 11, nodesHeld: 0 });
  });

  it("count as ended while their tombstones cannot be read, or come in several pages", async () => {
    await lose(11, 20);
    const { calm, table, clock } = world;
    let reads = 0;
    const failing = withCalls(calm.store, {
      readTombstone: async (of) => {
        if (reads++ < 3) throw new ThrottledError("throttled");
        return calm.store.readTombstone(of);
      },
    });
    expect(await repairAll({ ...calm, store: failing })).toMatchObject({ nodesEnded: 0 });
    const paged = contextOver(
      {
        ...tableOf(world),
        due: (shard, { limit, ...page }) =>
          table.due(shard, { ...page, limit: Math.min(limit, 2) }),
      },
      clock,
      3,
    );
    expect(await repairAll(paged)).toMatchObject({ nodesEnded: 0, nodesHeld: 11 });
  });

  it("are freed below that share", async () => {
    await lose(10, 20);
    expect(await repairAll(world.calm)).toMatchObject({ nodesEnded: 10, nodesHeld: 0 });
  });

  it("are never held if they are two", async () => {
    await lose(2, 2);
    expect(await repairAll(world.calm)).toMatchObject({ nodesEnded: 2, nodesHeld: 0 });
  });
});

it("two runs at once, and a return between them, free nothing of the node that is back", async () => {
  const prepare = async () => {
    const start = await makeWorld();
    await putPrefixPools(start.calm);
    await furnish(start);
    await say(start.calm, deleted(6));
    start.clock.nowMs += QUARANTINE_MS + SKEW_MS;
    return start;
  };
  let returns = 0;
  const calls = await beforeEachCall(
    prepare,
    (context) => repairAll(context),
    async (other, { clock }) => {
      await repairAll(other);
      clock.nowMs += 1_000;
      const [back] = await say(other, stated(7));
      if (back?.status !== "applied") return false;
      await ensureConfirmed(other, "uid-1");
      return true;
    },
    (each, { theirs: isBack, where }) => {
      if (!isBack) return;
      expect(contentsIn(each).nodes, where).toHaveLength(1);
      expect(states(each), where).toEqual([]);
      expect(held(each), where).toContain("node/node-1/uid-1");
      returns++;
    },
    { step: 3 },
  );
  expect(returns).toBeGreaterThan(calls / oneIn(3) / 2);
});

/** Runs `repair` over the whole table, with an act in the middle of it. */
const sweptWith = (
  prepare: () => Promise<World>,
  act: (context: Context) => Promise<unknown>,
  check: (world: World) => unknown,
) => beforeEachCall(prepare, (context) => sweepAll(context), act, check, { step: 3 });

it("a node that ends again while its old tombstone goes has a tombstone", async () => {
  const prepare = async () => {
    const each = await makeWorld();
    await say(each.calm, stated(5), deleted(6));
    each.clock.nowMs += QUARANTINE_MS + SKEW_MS;
    await repairAll(each.calm);
    each.clock.nowMs += TOMBSTONE_KEPT_MS;
    return each;
  };
  const ends = (context: Context) => say(context, stated(20), deleted(21));
  await sweptWith(prepare, ends, (each) =>
    expect(contentsIn(each).tombstones).toMatchObject([{ resourceVersion: "21" }]),
  );
});

it("a sign of life that is old goes, and one that comes at once stays", async () => {
  const renewal = (minute: string) =>
    ({ act: "renew", name: NODE, renewedAt: `2026-03-11T08:${minute}:00Z` }) as const;
  const prepare = async () => {
    const each = await makeWorld();
    await say(each.calm, renewal("10"));
    each.clock.nowMs += SIGN_OF_LIFE_KEPT_MS + 1;
    return each;
  };
  const old = await prepare();
  await sweepAll(old.calm);
  expect(contentsIn(old).signsOfLife).toEqual([]);
  const renews = (context: Context) => say(context, renewal("20"));
  await sweptWith(prepare, renews, (each) => expect(contentsIn(each).signsOfLife).toHaveLength(1));
});

describe("the CiliumNode of a node", () => {
  it("goes with its node, and what it has", async () => {
    await showPrefixes(world.calm, NODE, ["10.64.1.0/24"], { uid: "uid-1" });
    await showPrefixes(world.calm, NODE, ["10.64.2.0/24"], { uid: "uid-2" });
    await say(world.calm, deleted(6));
    world.clock.nowMs += QUARANTINE_MS + SKEW_MS;
    await repairAll(world.calm);
    expect([...new Set(held())]).toEqual(["node/node-1/uid-2"]);
    expect(contentsIn(world).ciliumReports).toMatchObject([{ uid: "uid-2" }]);
  });

  it("goes by a later walk if its report landed after the end", async () => {
    const late = stoppedBefore(world.table, (step) => step === "create-cilium");
    const put = answerOf(showPrefixes(contextOver(late.table, world.clock, 2), NODE, [], OF_UID));
    await late.stops;
    await say(world.calm, deleted(6));
    world.clock.nowMs += QUARANTINE_MS + SKEW_MS;
    await repairAll(world.calm);
    late.goOn();
    await put;
    expect(contentsIn(world).ciliumReports).toHaveLength(1);
    world.clock.nowMs += 100_000;
    await sweepAll(world.calm);
    await repairAll(world.calm);
    expect(contentsIn(world).ciliumReports).toEqual([]);
  });

  it("goes by a later walk if a crash cut its release off", async () => {
    await showPrefixes(world.calm, NODE, ["10.64.1.0/24"], OF_UID);
    const cut = stoppedBefore(world.table, (step) => step === "delete-cilium");
    const end = answerOf(endCilium(contextOver(cut.table, world.clock, 2), NODE, "uid-1"));
    await cut.stops;
    cut.end();
    await end;
    await sweepAll(world.calm);
    expect(contentsIn(world).ciliumReports).toEqual([]);
    expect(held()).toEqual([]);
  });
});

const OF_UID = { uid: "uid-1" };
