import { describe, expect, it } from "vitest";
import { Rejection } from "../../src/base/outcome.ts";
import { findViolations } from "../../src/invariants/invariants.ts";
import { claimAffinities } from "../../src/kernel/affinities/claim-range.ts";
import {
  AFFINITIES_RELEASED_MAX,
  releaseAffinities,
  releaseAffinity,
} from "../../src/kernel/affinities/release-range.ts";
import { ensureBlocks } from "../../src/kernel/assign/ensure-blocks.ts";
import type { Context } from "../../src/kernel/core/context.ts";
import { releaseHost } from "../../src/kernel/release/release-host.ts";
import type { HostId } from "../../src/kernel/values/host.ts";
import { CLAIM_TRIES_MAX } from "../../src/kernel/values/limits.ts";
import type { Address } from "../../src/net/address.ts";
import { formatCidr } from "../../src/net/cidr.ts";
import { listAffinities } from "../../src/nouns/affinity/operations/list-affinities.ts";
import { listSpaceAffinities } from "../../src/nouns/affinity/operations/list-space-affinities.ts";
import { putPool } from "../../src/nouns/pool/operations/administration.ts";
import { deletePool } from "../../src/nouns/pool/operations/pool-jobs.ts";
import { contentsOf } from "../../src/store/contents.ts";
import type { Table } from "../../src/table/table.ts";
import { beforeEachCall } from "../each-call.ts";
import { callsOf, withMishap } from "../simulation/crash-points.ts";
import { MutatedTable } from "../simulation/mutate.ts";
import {
  addressOf,
  assigned,
  cidrOf,
  contentsIn,
  contextOver,
  makeWorld,
  poolNamed,
  poolOf,
  releaseAll,
  requestOf,
  SPACE,
  scheduledRuns,
  tableOf,
  type World,
} from "../world.ts";

const HOST: HostId = "host:node-1";
const ALL = { space: SPACE, host: HOST, mustBeEmpty: false };

const release = (context: Context) => releaseAffinities(context, ALL);
const claim = (context: Context, cidr = "10.0.0.0/29", host = HOST) =>
  claimAffinities(context, { space: SPACE, host, cidr: cidrOf(cidr) });
const ensure = (context: Context) =>
  ensureBlocks(context, { space: SPACE, host: HOST, families: [4], pools: [] });
const at = (address: string, handle = address, host = HOST) => ({
  ...requestOf(handle, 1),
  host,
  addresses: [addressOf(address)],
});
const statusesOf = ({ items }: Awaited<ReturnType<typeof release>>) =>
  items.map(({ status }) => status);

describe("a block that was released while it was in use", () => {
  it("is gone once the last address in it has cooled: an owner-less block emptied by cooldown disappears", async () => {
    const world = await makeWorld();
    const { calm } = world;
    const told = await assigned(calm, at("10.0.0.1"));
    await releaseAll(calm, told);
    expect(await release(calm)).toMatchObject({
      items: [{ status: "disowned", inUse: 0, cooling: 1 }],
    });
    expect(contentsIn(world).blocks).toHaveLength(1);
    await scheduledRuns(world, 2);
    expect(contentsIn(world)).toMatchObject({ blocks: [], affinities: [] });
  });

  it("is gone after the lease of its last address has run out", async () => {
    const world = await makeWorld();
    await assigned(world.calm, { ...at("10.0.0.1"), leaseSeconds: 60 });
    await release(world.calm);
    await scheduledRuns(world, 4);
    expect(contentsIn(world)).toMatchObject({
      blocks: [],
      affinities: [],
      borrowedBlocks: [],
      allocations: [],
    });
  });

  it("stands as long as one address in it is assigned, and is the next one's who claims it", async () => {
    const world = await makeWorld();
    const { calm } = world;
    await assigned(calm, at("10.0.0.0", "kept"));
    await releaseAll(calm, await assigned(calm, at("10.0.0.1", "gone")));
    await release(calm);
    await scheduledRuns(world, 5);
    expect(contentsIn(world).blocks).toMatchObject([{ slots: { size: 2 } }]);
    expect(await claim(calm, "10.0.0.0/31", "host:node-2")).toMatchObject({
      blocks: [{ status: "claimed" }],
    });
    expect(contentsIn(world).blocks).toMatchObject([{ host: "host:node-2" }]);
    expect(findViolations(contentsIn(world), { quiet: true })).toEqual([]);
  });
});

describe("a host that is gone", () => {
  const deadHost = async () => {
    const world = await makeWorld();
    await assigned(world.calm, at("10.0.0.1", "kept"));
    await claim(world.calm, "10.0.0.2/31");
    world.clock.nowMs += 70_000;
    return world;
  };
  const affinitiesIn = (world: World) =>
    contentsIn(world).affinities.map(({ block }) => formatCidr(block));

  it("has no affinity that outlives its block, wherever its release was cut off and never sent again", async () => {
    const { table, clock } = await deadHost();
    const calls = await callsOf(table, (own) => release(contextOver(own, clock, 2)));
    for (let call = 0; call < calls.length; call++) {
      const world = await deadHost();
      await withMishap(world.table, call, "killed after the call", (own) =>
        release(contextOver(own, world.clock, 2)),
      );
      await scheduledRuns(world, 3);
      const own = contentsIn(world).blocks.filter(({ host }) => host === HOST);
      expect(affinitiesIn(world), `${calls[call]} (call ${call})`).toEqual(
        own.map(({ cidr }) => formatCidr(cidr)),
      );
    }
  });

  it("and was never there is released all the same", async () => {
    const { calm } = await makeWorld();
    expect(await releaseAffinities(calm, { ...ALL, host: "host:nobody" })).toEqual({ items: [] });
  });
});

describe("a release of affinities", () => {
  it("goes on in the next request where one has done enough, and misses none", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/24", 31), { maxBlocksPerHost: 100 });
    const { calm } = world;
    await claim(calm, "10.0.0.0/25");
    await claim(calm, "10.0.0.128/27");
    world.clock.nowMs += 70_000;
    const first = await release(calm);
    expect(first.items).toHaveLength(AFFINITIES_RELEASED_MAX);
    const second = await releaseAffinities(calm, { ...ALL, position: first.next });
    expect(second.items).toHaveLength(80 - AFFINITIES_RELEASED_MAX);
    expect(second.next).toBeUndefined();
    expect(contentsIn(world)).toMatchObject({ blocks: [], affinities: [] });
  });

  it("stops when its time is up, and says where it goes on", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/24", 31));
    await claim(world.calm, "10.0.0.0/27");
    const first = await release(contextOver(slowTable(world, 500), world.clock, 2));
    expect(first.next).toBeDefined();
    const second = await releaseAffinities(world.calm, { ...ALL, position: first.next });
    expect(first.items.length + second.items.length).toBe(16);
    expect(contentsIn(world).affinities).toEqual([]);
  });

  it("leaves the place of a claim alone whose author may be about to put its block", async () => {
    const world = await makeWorld();
    const place = { space: SPACE, host: HOST, family: 4, place: 0, pool: "pool" } as const;
    const affinity = { ...place, block: cidrOf("10.0.0.0/31"), atMs: world.clock.nowMs };
    await world.calm.store.createAffinity({ ...affinity, state: "pending", revision: "r" });
    expect(statusesOf(await release(world.calm))).toEqual(["not_owned"]);
    expect(contentsIn(world).affinities).toHaveLength(1);
    world.clock.nowMs += 20_000;
    expect(statusesOf(await release(world.calm))).toEqual(["not_owned"]);
    expect(contentsIn(world).affinities).toEqual([]);
  });

  it("of a block that its host claims meanwhile leaves it its place, and what is in it is found", async () => {
    const cidr = cidrOf("10.0.0.0/29");
    await beforeEachCall(
      () => makeWorld(poolOf("10.0.0.0/29", 29)),
      (context) => releaseAffinity(context, { ...ALL, cidr }),
      (context) => assigned(context, requestOf("web", 1)),
      async (world, { where }) => {
        expect(findViolations(contentsIn(world), { quiet: true }), where).toEqual([]);
        await releaseHost(world.calm, SPACE, HOST);
        const [block] = contentsIn(world).blocks;
        expect([...(block?.slots.values() ?? [])], where).toMatchObject([{ kind: "cooling" }]);
      },
    );
  });

  it("of a block that keeps changing says so, and leaves it the host's", async () => {
    const world = await makeWorld();
    await assigned(world.calm, at("10.0.0.1"));
    const table: Table = {
      ...tableOf(world),
      write: async (write) =>
        write.step === "disown" ? { outcome: "lost", item: undefined } : world.table.write(write),
    };
    expect(statusesOf(await release(contextOver(table, world.clock, 2)))).toEqual(["contended"]);
    await scheduledRuns(world, 2);
    expect(findViolations(contentsIn(world), { quiet: true })).toEqual([]);
    expect(contentsIn(world).affinities).toMatchObject([{ state: "confirmed" }]);
  });
});

describe("a release that another host comes before", () => {
  it.each([
    ["leaves it its block", undefined, []],
    ["would take it, were the block not to be as it was seen", "disown-rev", ["I11"]],
  ])("%s", async (_, without, invariants) => {
    const table = new MutatedTable(without);
    const clock = { nowMs: 1_700_000_000_000 };
    const calm = contextOver(table, clock);
    await putPool(calm, SPACE, "pool", poolOf("10.0.0.0/31", 31), undefined);
    await claim(calm, "10.0.0.0/31");
    let isOvertaken = false;
    const walk: Table = {
      ...tableOf({ table, clock, calm }),
      write: async (write) => {
        if (write.step === "disown" && !isOvertaken) {
          isOvertaken = true;
          await release(contextOver(table, clock, 7));
          await claim(contextOver(table, clock, 8), "10.0.0.0/31", "host:node-2");
          await assigned(contextOver(table, clock, 9), at("10.0.0.1", "theirs", "host:node-2"));
        }
        return table.write(write);
      },
    };
    await release(contextOver(walk, clock, 2));
    const violations = findViolations(contentsOf(table.items()));
    expect(violations.map(({ invariant }) => invariant)).toEqual(invariants);
  });
});

describe("a host whose functions claim at once", () => {
  it("has one block when each ensures that it has one, whenever the other comes", async () => {
    await beforeEachCall(makeWorld, ensure, ensure, (world, { ours, theirs, where }) => {
      expect(ours, where).toEqual(theirs);
      expect(contentsIn(world).blocks).toHaveLength(1);
      expect(contentsIn(world).affinities).toMatchObject([{ state: "confirmed" }]);
    });
  });

  it("has each block of a range once, in a place of its own, and none beyond its cap", async () => {
    const capped = () => makeWorld(poolOf("10.0.0.0/29", 31), { maxBlocksPerHost: 3 });
    const take = (context: Context) => claim(context);
    await beforeEachCall(capped, take, take, (world, { where }) => {
      const { blocks, affinities } = contentsIn(world);
      expect(blocks, where).toHaveLength(3);
      expect(affinities.map(({ place }) => place).sort()).toEqual([0, 1, 2]);
      expect(findViolations(contentsIn(world), { quiet: true })).toEqual([]);
    });
  });
});

describe("a claim that loses every race", () => {
  it("is given up after so many tries, each after a pause, and reads no more than its own block", async () => {
    const world = await makeWorld();
    let tries = 0;
    let pauses = 0;
    const queries: string[] = [];
    const table: Table = {
      ...tableOf(world),
      query: (pk, options) => {
        queries.push(pk.split("#")[0] as string);
        return world.table.query(pk, options);
      },
      write: async (write) => {
        if (write.step !== "create-block") return world.table.write(write);
        tries++;
        return { outcome: "lost", item: undefined };
      },
    };
    const sleep = async () => {
      pauses++;
    };
    const context = { ...contextOver(table, world.clock, 2), sleep };
    expect(await claim(context, "10.0.0.0/31")).toMatchObject({
      blocks: [{ status: "contended" }],
    });
    expect({ tries, pauses }).toEqual({ tries: CLAIM_TRIES_MAX, pauses: CLAIM_TRIES_MAX - 1 });
    // The claim reads the configuration and the host's own affinities. It lists no blocks, however often it loses.
    expect(new Set(queries)).toEqual(new Set(["SPACE", "HOST"]));
    expect(contentsIn(world).affinities).toEqual([]);
  });

  it("stands back behind the block of an earlier pool, which is about to go", async () => {
    const world = await makeWorld();
    const orphan = { space: SPACE, cidr: cidrOf("10.0.0.0/31"), pool: "pool", poolId: "gone" };
    const fresh = { epoch: "e", revision: "r", claimedAtMs: world.clock.nowMs };
    await world.calm.store.createBlock({ ...orphan, ...fresh, slots: new Map() });
    expect(await claim(world.calm, "10.0.0.0/30")).toMatchObject({
      blocks: [{ status: "contended" }, { status: "claimed" }],
    });
    await scheduledRuns(world, 2);
    expect(await claim(world.calm, "10.0.0.0/31")).toMatchObject({
      blocks: [{ status: "claimed" }],
    });
  });
});

describe("the affinities of all hosts", () => {
  const listed = async ({ calm }: World) => {
    const page = await listSpaceAffinities(calm, { space: SPACE, limit: 10 });
    if (page instanceof Rejection) throw new Error(page.detail);
    return page.items.map(({ cidr, host, state }) => `${cidr} ${host} ${state}`);
  };

  it("tell how far a claim is that was cut off, once its block stands", async () => {
    const world = await makeWorld();
    const calls = await callsOf(world.table, (own) =>
      claim(contextOver(own, world.clock, 2), "10.0.0.0/31"),
    );
    const cutOffAt = async (
      step: string,
      mishap: "killed before the call" | "killed after the call",
    ) => {
      const other = await makeWorld();
      await withMishap(other.table, calls.indexOf(step), mishap, (own) =>
        claim(contextOver(own, other.clock, 2), "10.0.0.0/31"),
      );
      return other;
    };
    // Only the affinity exists, so the list of its host shows it and the list of the space does not.
    const begun = await cutOffAt("create-block", "killed before the call");
    expect(await listed(begun)).toEqual([]);
    const { items } = await listAffinities(begun.calm, { ...ALL, limit: 10 });
    expect(items).toMatchObject([{ cidr: "10.0.0.0/31", state: "pending" }]);
    const current = await cutOffAt("create-block", "killed after the call");
    expect(await listed(current)).toEqual(["10.0.0.0/31 node-1 pending"]);
    expect(await listed(world)).toEqual(["10.0.0.0/31 node-1 confirmed"]);
  });

  it("cost a read for each of their hosts, beside the looks at the block groups", async () => {
    const world = await makeWorld();
    for (const cidr of ["10.0.0.0/31", "10.0.0.2/31"]) await claim(world.calm, cidr);
    await claim(world.calm, "10.0.0.4/31", "host:node-2");
    const calls = await callsOf(world.table, (own) =>
      listSpaceAffinities(contextOver(own, world.clock, 2), { space: SPACE, limit: 10 }),
    );
    // The five queries read the configuration, the block-group index, one block group and the affinities of two hosts.
    expect(calls).toEqual(Array(5).fill("query"));
  });
});

describe("a claim of a range", () => {
  it("that was cut off is finished by the next, also at the host's cap", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/29", 31), { maxBlocksPerHost: 1 });
    const calls = await callsOf(world.table, (own) => claim(contextOver(own, world.clock, 2)));
    const cutOff = calls.indexOf("create-block");
    const other = await makeWorld(poolOf("10.0.0.0/29", 31), { maxBlocksPerHost: 1 });
    await withMishap(other.table, cutOff, "killed before the call", (own) =>
      claim(contextOver(own, other.clock, 2)),
    );
    expect(contentsIn(other)).toMatchObject({ blocks: [], affinities: [{ state: "pending" }] });
    expect(await claim(other.calm, "10.0.0.0/31")).toMatchObject({
      blocks: [{ status: "claimed" }],
    });
  });

  it("stops when its time is up, and goes on where it stopped, with a block at least each time", async () => {
    const world = await makeWorld(poolOf("10.0.0.0/24", 31));
    const range = { space: SPACE, host: "host:node-1", cidr: cidrOf("10.0.0.0/28") } as const;
    const seen: string[] = [];
    let position: Address | undefined;
    for (let requests = 0; requests < 8; requests++) {
      const slow = contextOver(slowTable(world, 2000), world.clock, 2);
      const page = await claimAffinities(slow, { ...range, position });
      if (page instanceof Rejection) throw new Error(page.detail);
      expect(page.complete).toBe(page.next === undefined);
      seen.push(...page.blocks.map(({ cidr }) => cidr));
      position = page.next;
      if (!position) break;
      if (requests === 0) expect(page.blocks.length).toBeLessThan(8);
    }
    expect(seen).toEqual([0, 2, 4, 6, 8, 10, 12, 14].map((i) => `10.0.0.${i}/31`));
    expect(contentsIn(world).affinities).toHaveLength(8);
  });

  it("of a pool that is being deleted is rejected", async () => {
    const world = await makeWorld();
    await deletePool(world.calm, SPACE, "pool", (await poolNamed(world)).revision);
    expect(await claim(world.calm)).toMatchObject({
      code: "no_pool_available",
      members: { pools: [{ pool: "pool", code: "state" }] },
    });
  });
});

/** Returns a table each of whose calls takes `callMs` milliseconds. */
function slowTable(world: World, callMs: number): Table {
  const table = tableOf(world);
  const slowly = <A extends unknown[], T>(call: (...args: A) => Promise<T>) => {
    return (...args: A): Promise<T> => {
      world.clock.nowMs += callMs;
      return call(...args);
    };
  };
  return {
    get: slowly(table.get),
    query: slowly(table.query),
    scan: slowly(table.scan),
    due: slowly(table.due),
    write: slowly(table.write),
  };
}
