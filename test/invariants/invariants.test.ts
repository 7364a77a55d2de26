import { describe, expect, it } from "vitest";
import { handleHash } from "../../src/base/hash.ts";
import type { Contents } from "../../src/invariants/contents.ts";
import { findViolations } from "../../src/invariants/invariants.ts";
import type { Allocation, Part } from "../../src/kernel/values/allocation.ts";
import type { Block } from "../../src/kernel/values/block.ts";
import { groupIndexOf, groupOf } from "../../src/kernel/values/block-group.ts";
import { freshToken } from "../../src/kernel/values/fresh.ts";
import { workloadHandle } from "../../src/nouns/application/workload.ts";
import {
  affinityWith,
  allocationWith,
  blockWith,
  cooling,
  foreign,
  jobWith,
  NOW_MS,
  network,
  planWith,
  poolWith,
  taken,
  token,
} from "../builders.ts";
import { seededRandom } from "../simulation/random.ts";

/** `web-1` has one address of node 1; another of its addresses is cooling. */
const HEALTHY: Contents = {
  blocks: [blockWith({ 0: taken(1, "web-1"), 1: cooling(NOW_MS, 7) })],
  fullBlocks: [],
  borrowedBlocks: [],
  quotaSlots: [],
  quotas: [],
  budgets: [],
  requestRates: [],
  indexEntries: [],
  indexes: [],
  walks: [],
  affinities: [affinityWith()],
  allocations: [allocationWith()],
  applications: [],
  pools: [poolWith()],
  plans: [planWith(poolWith())],
  maps: [
    {
      space: "default",
      poolId: "id",
      page: "0",
      groups: new Set(Array.from({ length: 128 }, (_, n) => BigInt(n))),
    },
  ],
  reservations: [],
  fullPools: [],
  lending: [],
  poolUsages: [],
  jobs: [],
  nodes: [],
  nodeEntries: [],
  nodeReports: [],
  signsOfLife: [],
  statedRanges: [],
  ciliumReports: [],
  tombstones: [],
  namespaces: [],
  unreadable: [],
};

const NODE = { space: "default", name: "node-1", id: "id", labels: {}, revision: "revision" };
const ENTRY = { space: "default", name: "node-1", id: "id", atMs: NOW_MS };

const TENANT_POOL = poolWith({
  space: "tenant-7",
  cidr: network("2001:db8::/48"),
  blockSize: 122,
});

/** An IPv6 request of two addresses in two blocks, in the middle of being freed. */
const HEALTHY_IPV6: Contents = {
  ...HEALTHY,
  blocks: ["2001:db8::/122", "2001:db8::40/122"].map((text, i) =>
    blockWith({ 5: taken(i, "db-1") }, { cidr: network(text), space: "tenant-7" }),
  ),
  affinities: ["2001:db8::/122", "2001:db8::40/122"].map((text, place) =>
    affinityWith({ block: network(text), space: "tenant-7", family: 6, place }),
  ),
  allocations: [
    allocationWith({
      place: { space: "tenant-7", handleHash: handleHash("db-1"), id: "record-2", keyed: true },
      handle: "db-1",
      want: 3,
      released: new Set(["2001:db8::6"]),
      parts: ["2001:db8::/122", "2001:db8::40/122"].map((text, i) => ({
        token: token(i),
        block: network(text),
        count: 2 - i,
        ordinals: [5],
      })),
    }),
  ],
  pools: [TENANT_POOL],
  plans: [planWith(TENANT_POOL)],
  maps: [{ space: "tenant-7", poolId: "id", page: "0", groups: new Set([0n]) }],
};

const EMPTY: Contents = { ...HEALTHY, blocks: [], affinities: [], allocations: [] };

/** Each violation with its invariant before it. */
const saidOf = (contents: Contents, { quiet = false } = {}) =>
  findViolations(contents, { quiet }).map(({ invariant, message }) => `${invariant}: ${message}`);
const found = (changes: Partial<Contents>) => saidOf(changed(changes));
const foundAtRest = (changes: Partial<Contents>) => saidOf(changed(changes), { quiet: true });

/** A healthy table with something else in it; the plan and the maps follow, unless they are what is changed. */
function changed(changes: Partial<Contents>): Contents {
  const { pools, blocks } = { ...HEALTHY, ...changes };
  const plans = pools.map(planWith);
  const maps = pools.map((pool) => ({
    space: pool.space,
    poolId: pool.id,
    page: "0",
    groups: new Set(
      blocks
        .filter(({ cidr }) => cidr.family === pool.cidr.family)
        .map(({ cidr }) => groupIndexOf(pool, groupOf(cidr))),
    ),
  }));
  return { ...HEALTHY, plans, maps, ...changes };
}

describe("a healthy table", () => {
  it.each([
    { description: "without a block", contents: EMPTY },
    { description: "with an IPv4 address assigned", contents: HEALTHY },
    { description: "with IPv6 addresses assigned over two blocks", contents: HEALTHY_IPV6 },
    {
      description: "with an empty block between its neighbours",
      contents: {
        ...EMPTY,
        blocks: ["10.0.0.0/29", "10.0.0.8/29", "10.0.0.16/29"].map((text) =>
          blockWith({}, { cidr: network(text) }),
        ),
        affinities: ["10.0.0.0/29", "10.0.0.8/29", "10.0.0.16/29"].map((text, place) =>
          affinityWith({ block: network(text), place }),
        ),
      },
    },
    {
      description: "with a block that holds nothing but what its host keeps for itself",
      contents: {
        ...EMPTY,
        blocks: [blockWith({}, { hostReserved: { start: 3, end: 1 } })],
        affinities: [affinityWith()],
      },
    },
    {
      description: "with one range in two spaces",
      contents: changed({
        allocations: [],
        blocks: ["default", "tenant-7"].map((space) => blockWith({}, { space })),
        affinities: ["default", "tenant-7"].map((space) => affinityWith({ space })),
        pools: ["default", "tenant-7"].map((space) => poolWith({ space })),
      }),
    },
    {
      description: "with a keyed allocation kept after its release",
      contents: { ...EMPTY, allocations: [allocationWith({ state: "released" })] },
    },
  ])("$description has no violation, in use or at rest", ({ contents }) => {
    expect(findViolations(contents)).toEqual([]);
    expect(findViolations(contents, { quiet: true })).toEqual([]);
  });
});

describe("I1: an address has at most one owner", () => {
  it("is violated by a taken slot that the block's host keeps for itself", () => {
    const blocks = [blockWith({ 0: taken(1, "web-1") }, { hostReserved: { start: 1, end: 0 } })];
    expect(found({ blocks })).toEqual([
      "I1: block default 10.0.0.0/29 slot 0 is taken, and its host keeps it for itself",
    ]);
  });

  it("is violated by two allocations that name one slot", () => {
    const twin = allocationWith({ place: { ...allocationWith().place, id: "record-2" } });
    expect(found({ allocations: [allocationWith(), twin] })).toEqual([
      "I1: block default 10.0.0.0/29 slot 0 is named by 2 allocations",
    ]);
  });

  it.each([
    { a: "10.0.0.0/28", b: "10.0.0.0/29", description: "from the same base" },
    { a: "10.0.0.0/28", b: "10.0.0.8/29", description: "from another base" },
    { a: "2001:db8::/121", b: "2001:db8::40/122", description: "in IPv6" },
  ])("is violated by blocks that overlap, $description", ({ a, b }) => {
    const blocks = [b, "10.0.1.0/29", a].map((text) => blockWith({}, { cidr: network(text) }));
    const pools = [poolWith({ cidr: network(a.includes(":") ? "2001:db8::/48" : "10.0.0.0/16") })];
    const violations = found({ blocks, pools, allocations: [] }).filter(isOf("I1"));
    expect(violations).toEqual([expect.stringContaining(a)]);
    expect(violations).toEqual([expect.stringContaining(b)]);
  });
});

describe("I1: a range belongs to one pool", () => {
  it("is violated by two pools that overlap", () => {
    const other = poolWith({ name: "other", id: "other", cidr: network("10.0.128.0/24") });
    const plans = [
      {
        ...planWith(poolWith()),
        entries: [poolWith(), other].flatMap((pool) => planWith(pool).entries),
      },
    ];
    expect(found({ pools: [poolWith(), other], plans })).toEqual([
      "I1: pools 10.0.0.0/16 and 10.0.128.0/24 of default overlap",
      "I1: ranges of the plan 10.0.0.0/16 and 10.0.128.0/24 of default overlap",
    ]);
  });

  it.each([
    ["no plan", []],
    ["another range in the plan", [planWith(poolWith({ cidr: network("10.0.0.0/17") }))]],
    ["another pool's range in the plan", [planWith(poolWith({ id: "another" }))]],
  ])("is violated by a pool that serves with %s", (_, plans) => {
    expect(found({ plans })).toEqual([expect.stringContaining("I1: ")]);
  });
});

describe("I4: whoever must see every block does", () => {
  it("is violated by a block whose block group is not in its block-group index of the pool", () => {
    expect(found({ maps: [] })).toEqual([expect.stringContaining("I4: ")]);
  });
});

describe("I3: every taken slot has an allocation", () => {
  const other = allocationWith({ parts: [{ ...allocationPart(), block: network("10.0.0.8/29") }] });
  it.each([
    { description: "there is no allocation", allocations: [] },
    {
      description: "the allocation is another request's",
      allocations: [allocationWith({ parts: [] })],
    },
    { description: "the allocation is for another block", allocations: [other] },
    {
      description: "the allocation is another handle's",
      allocations: [
        allocationWith({ place: { ...allocationWith().place, handleHash: handleHash("web-2") } }),
      ],
    },
    {
      description: "the allocation is of another space",
      allocations: [allocationWith({ place: { ...allocationWith().place, space: "tenant-7" } })],
    },
  ])("is violated when $description", ({ allocations }) => {
    expect(found({ allocations })).toEqual([
      "I3: block default 10.0.0.0/29 slot 0 is taken without an allocation",
    ]);
  });

  it("is violated when a slot's token does not lead to its allocation", () => {
    const token = freshToken({ id: "record-1", keyed: true }, seededRandom(1));
    const slots = { 0: { kind: "taken", token, handleHash: handleHash("web-1") } } as const;
    const [part] = allocationWith().parts;
    const allocations = [allocationWith({ parts: [{ ...(part as Part), token }] })];
    expect(found({ blocks: [blockWith(slots)], allocations })).toEqual([
      "I3: block default 10.0.0.0/29 slot 0 has a token that does not lead to its allocation",
    ]);
  });
});

describe("I4: every block of a host has an affinity under that host", () => {
  it.each([
    { description: "there is none", affinities: [] },
    { description: "it is another host's", affinities: [affinityWith({ host: "host:node-2" })] },
    {
      description: "it is for another block",
      affinities: [affinityWith({ block: network("10.0.0.8/29") })],
    },
    { description: "it is of another space", affinities: [affinityWith({ space: "tenant-7" })] },
  ])("is violated at rest when $description", ({ affinities }) => {
    expect(foundAtRest({ affinities }).filter(isOf("I4"))).toEqual([
      "I4: block 10.0.0.0/29 is affine to host:node-1, which has no affinity for it",
    ]);
  });

  it("may wait for the reclaimer while requests are in flight", () => {
    expect(found({ affinities: [] })).toEqual([]);
  });
});

describe("I8: a request never holds more than it asked for", () => {
  it("is violated by an allocation with two addresses that asked for one", () => {
    expect(found({ blocks: [blockWith({ 0: taken(1), 4: taken(1) })] })).toEqual([
      "I8: the allocation of handle web-1 (record-1) holds 2 addresses and asked for 1",
    ]);
  });

  it("is violated by parts that together have too many", () => {
    const [allocation] = HEALTHY_IPV6.allocations;
    const allocations = allocation ? [{ ...allocation, want: 1 }] : [];
    expect(saidOf({ ...HEALTHY_IPV6, allocations })).toEqual([expect.stringContaining("I8: ")]);
  });

  it("is violated by a part of no interface beside one of an interface", () => {
    const allocations = HEALTHY_IPV6.allocations.map((allocation) => ({
      ...allocation,
      parts: allocation.parts.map((part, i) => (i === 0 ? { ...part, interface: "eth0" } : part)),
    }));
    expect(saidOf({ ...HEALTHY_IPV6, allocations })).toEqual([
      "I8: the allocation of handle db-1 (record-2) has parts of interfaces, and parts of none",
    ]);
  });
});

describe("I14: an instance has one allocation", () => {
  const db = { namespace: "shop", kind: "StatefulSet", name: "db", instance: "db-0", uid: "b" };
  const handle = workloadHandle(db);
  const workload = { ...db, earlierUids: ["a"], incarnation: "incarnation" };
  const place = { ...allocationWith().place, handleHash: handleHash(handle), keyed: true };
  const own = (changes: Partial<Allocation> = {}) =>
    allocationWith({ place, handle, workload, state: "kept", ...changes });
  const blocks = [blockWith({ 0: taken(1, handle) })];
  const messages = (...allocations: Allocation[]) =>
    found({ blocks, allocations })
      .filter(isOf("I14"))
      .map((said) => said.replace(/^I14: the allocation of handle \S+ \(record-1\) /, ""));

  it("holds for a kept one, also at rest, and on no host", () => {
    const allocations = [own({ host: "host:node-9" })];
    expect(foundAtRest({ blocks, allocations })).toEqual([]);
  });

  it("holds for one that is being closed on the host that a return named, and not for one in use there", () => {
    const on = { host: "host:node-9" } as const;
    expect(found({ blocks, allocations: [own({ ...on, state: "released" })] })).toEqual([]);
    expect(found({ blocks, allocations: [own({ ...on, state: "live" })] })).toEqual([
      expect.stringContaining("I11: "),
    ]);
  });

  it.each<[string, Allocation, string]>([
    [
      "a kept allocation of no instance",
      allocationWith({ state: "kept" }),
      "is kept, and names no instance",
    ],
    [
      "a kept allocation of a kind that keeps nothing",
      own({
        workload: { ...workload, kind: "Deployment" },
        handle: workloadHandle({ ...db, kind: "Deployment" }),
      }),
      "is kept, and a Deployment keeps no addresses",
    ],
    ["a handle of another instance", own({ handle: "db" }), "has the handle of another instance"],
    [
      "a handle of an instance without one",
      allocationWith({ handle }),
      "has the handle of an instance, and names none",
    ],
    [
      "a uid that was replaced",
      own({ workload: { ...workload, earlierUids: ["b"] } }),
      "has a uid that another one has replaced",
    ],
    [
      "too many earlier uids",
      own({ workload: { ...workload, earlierUids: [..."123456789"] } }),
      "remembers 9 earlier uids",
    ],
  ])("is violated by %s", (_, allocation, message) => {
    expect(messages(allocation)).toEqual([message]);
  });

  it("is violated by a second allocation", () => {
    expect(messages(own(), own())).toEqual(["is a second one of its instance"]);
  });
});

describe("an item that cannot be right in itself", () => {
  it.each([
    { ordinal: -1, message: "block default 10.0.0.0/29 has a slot -1 outside its range" },
    { ordinal: 8, message: "block default 10.0.0.0/29 has a slot 8 outside its range" },
    { ordinal: 0.5, message: "block default 10.0.0.0/29 has a slot 0.5 outside its range" },
  ])("is a block with a slot $ordinal of eight", ({ ordinal, message }) => {
    const blocks = [blockWith({ 0: taken(), [ordinal]: cooling(NOW_MS) })];
    expect(found({ blocks })).toEqual([`shape: ${message}`]);
  });

  it("is a block of addresses in a pool of prefixes, or a prefix in a pool of addresses", () => {
    const prefixes = [poolWith({ assign: "prefixes" })];
    expect(found({ pools: prefixes })).toEqual([
      "shape: block default 10.0.0.0/29 is no prefix, unlike its pool pool",
    ]);
    const { host: _, ...free } = blockWith({}, { whole: true });
    const blocks = [free];
    expect(found({ ...EMPTY, pools: prefixes, blocks })).toEqual([]);
    expect(found({ ...EMPTY, blocks })).toContainEqual(
      "shape: block default 10.0.0.0/29 is a prefix, unlike its pool pool",
    );
  });

  it("is violated by a block of a pool that is still pending: a pool is deleted at once as long as it has none", () => {
    const pools = [poolWith({ state: "pending" })];
    expect(found({ pools })).toContainEqual(
      "shape: block default 10.0.0.0/29 was claimed in pool pool, which is pending",
    );
  });

  it("may be an empty block of a subnet whose only pool joined it and is still pending, and none that is in use", () => {
    const pools = [poolWith({ id: "joined", subnetId: "id", state: "pending" })];
    expect(found({ pools, blocks: [blockWith({})], allocations: [] })).toEqual([]);
    expect(found({ pools })).toContainEqual(
      "shape: block default 10.0.0.0/29 was claimed in pool pool, which is pending",
    );
  });

  it("is a tag that cannot be read", () => {
    expect(found({ blocks: [blockWith({ 0: taken(), 2: foreign })] })).toEqual([
      "shape: block default 10.0.0.0/29 slot 2 has a tag that cannot be read",
    ]);
  });

  it.each([
    { description: "beside its pool", pools: [poolWith({ cidr: network("10.1.0.0/16") })] },
    { description: "larger than its pool", pools: [poolWith({ cidr: network("10.0.0.0/30") })] },
    { description: "of another size", pools: [poolWith({ blockSize: 28 })] },
  ])("is a block $description", ({ pools }) => {
    expect(found({ pools })).toEqual([
      "shape: block default 10.0.0.0/29 is no block of its pool pool",
    ]);
  });

  it.each([
    { description: "is gone", pools: [] },
    { description: "is of another space", pools: [poolWith({ space: "tenant-7" })] },
    { description: "was an earlier one of the name", pools: [poolWith({ id: "successor" })] },
  ])("is a block in use whose pool $description", ({ pools }) => {
    expect(found({ pools })).toEqual([
      "shape: block default 10.0.0.0/29 is in use, and its pool pool is gone",
    ]);
  });

  it.each([
    { description: "no job", jobs: [] },
    { description: "a job that is over", jobs: [jobWith({ state: "done" })] },
    { description: "the job of another pool", jobs: [jobWith({ poolId: "other" })] },
  ])("is a pool that is being deleted with $description", ({ jobs }) => {
    const pools = [poolWith({ state: "deleting" })];
    expect(found({ pools, jobs })).toEqual([
      "shape: pool pool is being deleted, and no job does it",
    ]);
    expect(found({ pools, jobs: [jobWith()] })).toEqual([]);
  });

  it("is one that could not be read at all", () => {
    const unreadable = [{ key: "BLOCK#default#x 10.0.0.0", reason: "has no epoch" }];
    expect(found({ unreadable })).toEqual(["shape: BLOCK#default#x 10.0.0.0: has no epoch"]);
  });
});

describe("an empty block whose pool is gone", () => {
  const orphan = nobodys({ poolId: "gone" });
  const left = { pools: [poolWith({ blockSize: 28 })], allocations: [], affinities: [] };

  it("may lie in a range that is another pool's by now, until the repair run has passed", () => {
    const successor = nobodys({ cidr: network("10.0.0.0/28") });
    expect(found({ ...left, blocks: [orphan, successor] })).toEqual([]);
    expect(foundAtRest({ ...left, blocks: [orphan, successor] })).toEqual([
      "tidy: block 10.0.0.0/29 is left from a pool that is gone",
    ]);
  });

  it("is tidied up with its map", () => {
    const maps = [{ space: "default", poolId: "gone", page: "0", groups: new Set([0n]) }];
    expect(found({ ...left, blocks: [], maps })).toEqual([]);
    expect(foundAtRest({ ...left, blocks: [], maps })).toEqual([
      "tidy: a page of the block-group index is left from pool gone, which is gone",
    ]);
  });
});

describe("what must be tidy at rest", () => {
  it.each([
    {
      description: "an affinity for a block that is gone",
      changes: {
        affinities: [affinityWith(), affinityWith({ place: 1, block: network("10.0.0.8/29") })],
      },
      message: "host:node-1 has an affinity for 10.0.0.8/29, which is not its block",
    },
    {
      description: "an affinity for another host's block",
      changes: { affinities: [affinityWith(), affinityWith({ host: "host:node-2" })] },
      message: "host:node-2 has an affinity for 10.0.0.0/29, which is not its block",
    },
    {
      description: "an allocation that holds nothing",
      changes: { blocks: [blockWith({})] },
      message: "the allocation of handle web-1 (record-1) is live and holds nothing",
    },
    {
      description: "a released allocation that holds something",
      changes: { allocations: [allocationWith({ state: "released" })] },
      message: "the allocation of handle web-1 (record-1) is released and holds 1 addresses",
    },
    {
      description: "a node that lists do not show",
      changes: { nodes: [NODE], nodeEntries: [] },
      message: "node node-1 is not in the register of nodes",
    },
    {
      description: "an entry of the register without its node",
      changes: { nodes: [], nodeEntries: [ENTRY] },
      message: "the register has a node node-1, which is not there",
    },
  ] as const)("is not: $description", ({ changes, message }) => {
    expect(foundAtRest(changes)).toEqual([`tidy: ${message}`]);
    expect(found(changes)).toEqual([]);
  });
});

function allocationPart() {
  return { token: token(1), block: network("10.0.0.0/29"), count: 1, ordinals: [0] };
}

const isOf = (invariant: string) => (said: string) => said.startsWith(`${invariant}: `);

/** An empty block without a host. */
function nobodys(changes: Partial<Block>): Block {
  const { host: _, ...block } = blockWith({}, changes);
  return block;
}
