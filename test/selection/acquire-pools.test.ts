import { describe, expect, it } from "vitest";
import {
  type AcquireCriteria,
  acquirePools,
  isMeant,
  poolsNamed,
} from "../../src/selection/acquire-pools.ts";
import { network, poolWith } from "../builders.ts";

const POOLS = [
  poolWith({ name: "web-2", cidr: network("10.2.0.0/16") }),
  poolWith({ name: "web-1", cidr: network("10.1.0.0/16") }),
  poolWith({ name: "web-10", cidr: network("10.10.0.0/16") }),
  poolWith({ name: "db", cidr: network("10.4.0.0/16"), assignmentMode: "Manual" }),
  poolWith({ name: "going", cidr: network("10.5.0.0/16"), state: "deleting" }),
  poolWith({ name: "coming", cidr: network("10.6.0.0/16"), state: "pending" }),
  poolWith({ name: "web-six", cidr: network("2001:db8::/48") }),
];

function acquired(changes: Partial<AcquireCriteria>) {
  const { rule, candidates } = acquirePools(POOLS, {
    family: 4,
    isDual: false,
    pools: [],
    requester: {},
    ...changes,
  });
  return [rule, ...candidates.map(({ name, pool }) => (pool ? name : `no ${name}`))];
}

const shop = { namespacePools: ["web-2"] };

describe("the first rule that applies gives the candidates", () => {
  it.each([
    [
      "pools that the request names come before all others",
      { pools: ["db"], requester: shop, defaultPools: ["web-1"] },
      ["pools", "db"],
    ],
    [
      "then the default pools of the namespace",
      { requester: shop, defaultPools: ["web-1"] },
      ["namespace", "web-2"],
    ],
    [
      "then the default pools of the request",
      { requester: { namespacePools: [] }, defaultPools: ["web-1"] },
      ["network", "web-1"],
    ],
    [
      "and then all pools by name, Manual ones and those of the other family too, for the filter to tell of them",
      {},
      ["automatic", "db", "going", "web-1", "web-10", "web-2", "web-six"],
    ],
    [
      "no later rule helps if nothing matches",
      { requester: { namespacePools: ["nothing-*"] }, defaultPools: ["web-1"] },
      ["namespace"],
    ],
    [
      "no later rule helps a family that the default pools leave out",
      { family: 6, isDual: true, requester: { namespacePools: ["web-1"] } },
      ["namespace", "web-1"],
    ],
  ] as const)("%s", (_, changes, expected) => {
    expect(acquired(changes)).toEqual(expected);
  });

  it("a list for the other family alone leaves this one to the next rule", () => {
    const poolsByFamily = { 6: ["web-six"] };
    expect(acquired({ poolsByFamily, requester: shop })).toEqual(["namespace", "web-2"]);
    expect(acquired({ poolsByFamily, family: 6 })).toEqual(["pools", "web-six"]);
    expect(acquired({ poolsByFamily: { 4: [] } })).toEqual(["pools"]);
  });
});

describe("default pools of each family", () => {
  const byFamily = { 4: ["web-*"], 6: [] };

  it("serve their own family, and the other gets none of them and no later rule", () => {
    for (const isDual of [false, true]) {
      const four = { isDual, family: 4 } as const;
      const six = { isDual, family: 6 } as const;
      const requester = { namespacePools: byFamily };
      expect(acquired({ ...four, requester })).toEqual(["namespace", "web-1", "web-10", "web-2"]);
      expect(acquired({ ...six, requester, defaultPools: ["web-six"] })).toEqual(["namespace"]);
      expect(acquired({ ...four, defaultPools: byFamily })).toEqual([
        ...["network", "web-1", "web-10", "web-2"],
      ]);
      expect(acquired({ ...six, defaultPools: byFamily })).toEqual(["network"]);
    }
  });

  it("tell of a pool of the other family, which one list for both would pass over", () => {
    const defaultPools = { 4: ["web-1"], 6: ["web-six", "web-1"] };
    expect(acquired({ defaultPools, isDual: true, family: 6 })).toEqual([
      ...["network", "web-six", "web-1"],
    ]);
  });
});

describe("a list of pools", () => {
  it.each([
    ["means pools in its own order", ["web-2", "web-1"], ["web-2", "web-1"]],
    ["has CIDRs too", ["10.4.0.0/16", "web-1"], ["db", "web-1"]],
    ["has patterns too, with their pools by name", ["web-*"], ["web-1", "web-10", "web-2"]],
    [
      "means a pool once, where it does so first",
      ["web-2", "web-*", "10.1.0.0/16"],
      ["web-2", "web-1", "web-10"],
    ],
    ["tells of a name or a CIDR of no pool", ["no", "10.9.0.0/16"], ["no no", "no 10.9.0.0/16"]],
    ["tells of a pool that is not created yet", ["coming"], ["no coming"]],
    ["means nothing by a pattern that matches nothing", ["?"], []],
    ["means pools of the other family by name only", ["web-six", "web-s*"], ["web-six"]],
  ])("%s", (_, pools, expected) => {
    expect(acquired({ pools })).toEqual(["pools", ...expected]);
  });

  it("for both families gives each its own pools", () => {
    const pools = ["web-six", "web-1"];
    expect(acquired({ pools, isDual: true })).toEqual(["pools", "web-1"]);
    expect(acquired({ pools, isDual: true, family: 6 })).toEqual(["pools", "web-six"]);
    expect(acquired({ pools: ["web-six"], isDual: true })).toEqual(["pools", "web-six"]);
  });

  it("means a pool by its name, its CIDR or a pattern", () => {
    const [pool] = POOLS;
    if (!pool) throw new Error("there is no pool");
    for (const text of ["web-2", "10.2.0.0/16", "web-[1-3]"])
      expect(isMeant(pool, ["db", text])).toBe(true);
    expect(isMeant(pool, ["db", "web-[3-9]", "10.2.0.0/17"])).toBe(false);
  });

  it("is the request's own for a family only if it names a pool", () => {
    expect(poolsNamed({ pools: [] }, 4)).toBeUndefined();
    expect(poolsNamed({ pools: ["db"] }, 6)).toEqual(["db"]);
    expect(poolsNamed({ pools: [], poolsByFamily: { 4: ["db"] } }, 6)).toBeUndefined();
  });
});
