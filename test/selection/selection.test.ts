import { describe, expect, it } from "vitest";
import { POOLS_TOLD_MAX, REASONS_IN_DETAIL_MAX } from "../../src/base/limits.ts";
import { Rejection } from "../../src/base/outcome.ts";
import type { Pool } from "../../src/nouns/pool/pool.ts";
import { considered, type PoolCriteria, selectPools } from "../../src/selection/selection.ts";
import { network, poolWith, selector } from "../builders.ts";

const POOLS = [
  poolWith({ name: "west", cidr: network("10.1.0.0/16") }),
  poolWith({ name: "east", cidr: network("10.0.0.0/16") }),
  poolWith({ name: "by-name-only", cidr: network("10.2.0.0/16"), assignmentMode: "Manual" }),
  poolWith({ name: "closed", cidr: network("10.3.0.0/16"), disabled: true }),
  poolWith({ name: "tunnels", cidr: network("10.4.0.0/16"), allowedUses: ["Tunnel"] }),
  poolWith({ name: "coming", cidr: network("10.5.0.0/16"), state: "pending" }),
  poolWith({ name: "going", cidr: network("10.6.0.0/16"), state: "deleting" }),
  poolWith({ name: "six", cidr: network("2001:db8::/48"), allowedUses: ["Workload", "Tunnel"] }),
];

const criteria = (changes: Partial<PoolCriteria>): PoolCriteria => ({
  family: 4,
  isDual: false,
  use: "Workload",
  pools: [],
  requester: { host: undefined, namespace: undefined },
  ...changes,
});

describe("the pools that may serve a request", () => {
  it.each([
    {
      description: "that names none are those open to everybody, by name",
      criteria: criteria({}),
      names: ["east", "west"],
    },
    {
      description: "have an address left in each block beside what the host keeps",
      criteria: criteria({ hostReserved: { start: 3, end: 4 } }),
      names: ["east", "west"],
    },
    {
      description: "include a manual pool that is named",
      criteria: criteria({ pools: ["by-name-only"] }),
      names: ["by-name-only"],
    },
    {
      description: "leave out a disabled pool, even one that is named",
      criteria: criteria({ pools: ["closed", "east"] }),
      names: ["east"],
    },
    {
      description: "are those that allow its use",
      criteria: criteria({ use: "Tunnel" }),
      names: ["tunnels"],
    },
    {
      description: "leave out one that is being deleted, even one that is named",
      criteria: criteria({ pools: ["going", "east"] }),
      names: ["east"],
    },
    { description: "are those of its family", criteria: criteria({ family: 6 }), names: ["six"] },
    {
      description: "are those of its family among the named",
      criteria: criteria({ family: 6, pools: ["east", "2001:db8::/48"] }),
      names: ["six"],
    },
  ])("$description", ({ criteria, names }) => {
    expect(namesOf(selectPools(POOLS, criteria))).toEqual(names);
  });

  it("are the same whatever order they were read in", () => {
    expect(selectPools(POOLS.toReversed(), criteria({}))).toEqual(selectPools(POOLS, criteria({})));
  });
});

it("a range names the pool that has it now, not one that is all but gone", () => {
  const cidr = network("10.6.0.0/16");
  const pools = [...POOLS, poolWith({ name: "heir", cidr })];
  expect(namesOf(selectPools(pools, criteria({ pools: ["10.6.0.0/16"] })))).toEqual(["heir"]);
});

describe("a request that no pool may serve is told why", () => {
  it.each([
    {
      pool: "closed",
      criteria: criteria({ pools: ["closed"] }),
      code: "disabled",
      reason: "is disabled",
    },
    {
      pool: "tunnels",
      criteria: criteria({ pools: ["tunnels"] }),
      code: "use",
      reason: "does not allow the use Workload",
    },
    {
      pool: "going",
      criteria: criteria({ pools: ["10.6.0.0/16"] }),
      code: "state",
      reason: "is being deleted",
    },
    { pool: "six", criteria: criteria({ pools: ["six"] }), code: "family", reason: "is IPv6" },
    {
      pool: "east",
      criteria: criteria({ pools: ["east"], family: 6 }),
      code: "family",
      reason: "is IPv4",
    },
    {
      pool: "east",
      criteria: criteria({ pools: ["east"], hostReserved: { start: 4, end: 4 } }),
      code: "block_too_small",
      reason:
        "has blocks of /29, too small for the 8 addresses that the host reserves in each; they need /28 or larger",
    },
    {
      pool: "by-name-only",
      criteria: criteria({}),
      pools: POOLS.filter(({ name }) => name === "by-name-only"),
      code: "mode",
      reason: "serves only requests that name it (assignmentMode Manual)",
    },
  ])("$pool $reason", ({ pool, criteria, pools = POOLS, code, reason }) => {
    const { family } = criteria;
    const candidate = { family, pool, cidr: expect.any(String), kept: false, code, reason };
    expect(selectPools(pools, criteria)).toMatchObject({
      code: "no_pool_available",
      detail: `No pool can serve this request: ${pool} ${reason}.`,
      members: { pools: [candidate] },
    });
    expect(considered(pools, criteria).pools).toContainEqual(candidate);
  });

  it("tells of so many pools, the reasons of fewer in words, and how many more there are", () => {
    const [pool] = POOLS;
    if (!pool) throw new Error("there is no pool");
    const many = Array.from({ length: POOLS_TOLD_MAX + 7 }, (_, i) => ({
      ...pool,
      name: `off-${100 + i}`,
      disabled: true,
    }));
    const rejection = selectPools(many, criteria({}));
    if (!(rejection instanceof Rejection)) throw new Error("it is not refused");
    expect(rejection.members.pools).toHaveLength(POOLS_TOLD_MAX);
    const more = POOLS_TOLD_MAX + 7 - REASONS_IN_DETAIL_MAX;
    expect(rejection.detail).toMatch(
      new RegExp(`off-149 is disabled; and ${more} more cannot either\\.$`),
    );
  });

  it.each([
    { pools: ["nowhere"], named: "nowhere", description: "does not exist" },
    { pools: ["east", "nowhere"], named: "nowhere", description: "does not exist beside others" },
    { pools: ["coming"], named: "coming", description: "has no range yet" },
  ])("if it names a pool that $description", ({ pools, named }) => {
    const detail = `There is no pool "${named}".`;
    const rejection = selectPools(POOLS, criteria({ pools }));
    expect(rejection).toMatchObject({ code: "no_pool_available", detail });
    expect(rejection).toMatchObject({
      members: {
        pools: pools.map((pool) => (pool === "east" ? { pool, kept: true } : notFound(pool))),
      },
    });
    expect(considered(POOLS, criteria({ pools })).pools).toContainEqual(notFound(named));
  });

  it("if the space has no pools", () => {
    const told = new Rejection("no_pool_available", "The space has no pools.", {
      rule: "automatic",
      pools: [],
    });
    expect(selectPools([], criteria({}))).toEqual(told);
  });
});

const notFound = (pool: string) => ({
  family: 4,
  pool,
  kept: false,
  code: "not_found",
  reason: "does not exist",
});

it("the pools that can serve are told in their order, then the others, and those that are not named by name", () => {
  const told = considered(POOLS, criteria({ pools: ["west", "nowhere", "east"] })).pools;
  expect(told.map(({ pool, code }) => `${pool} ${code ?? "kept"}`)).toEqual([
    "west kept",
    "east kept",
    "nowhere not_found",
    "by-name-only not_named",
    "closed not_named",
    "six not_named",
    "tunnels not_named",
  ]);
});

describe("the selectors of pools", () => {
  const selecting = (name: string, node?: string, namespace?: string) =>
    poolWith({
      name,
      ...(node !== undefined && { nodeSelector: { text: node, selector: selector(node) } }),
      ...(namespace !== undefined && {
        namespaceSelector: { text: namespace, selector: selector(namespace) },
      }),
    });
  const west = { zone: "west" };
  const web = { team: "web" };

  it.each([
    {
      pool: selecting("west", "zone in {'west', 'north'} && !has(gpu)"),
      requester: { host: { zone: "east", disk: "ssd" }, namespace: undefined },
      code: "node",
      reason:
        "does not select the host (nodeSelector zone in {'west', 'north'} && !has(gpu); the host has zone=east, no gpu)",
    },
    {
      pool: selecting("west", "has(zone)"),
      requester: { host: undefined, namespace: web },
      code: "node",
      reason:
        "does not select the host (nodeSelector has(zone); the host is not registered, so it has no labels)",
    },
    {
      pool: selecting("web", undefined, "team == 'web'"),
      requester: { host: west, namespace: { team: "db" } },
      code: "namespace",
      reason:
        "does not select the namespace (namespaceSelector team == 'web'; the namespace has team=db)",
    },
    {
      pool: selecting("web", undefined, "team == 'web'"),
      requester: { host: west, namespace: undefined },
      code: "namespace",
      reason:
        "does not select the namespace (namespaceSelector team == 'web'; the request names no namespace that is registered, so there are no labels)",
    },
    {
      pool: selecting("nobody", "!all()"),
      requester: { host: west, namespace: undefined },
      code: "node",
      reason: "does not select the host (nodeSelector !all(); it selects no host)",
    },
  ])("are told with the labels that were judged: $reason", ({ pool, requester, code, reason }) => {
    expect(selectPools([pool], criteria({ requester }))).toMatchObject({
      members: { pools: [{ pool: pool.name, code, reason }] },
    });
  });

  it("are told in short where they are long", () => {
    const long = `label == "${"\u{1f600}".repeat(400)}" || ${Array.from({ length: 12 }, (_, n) => `has(l${n})`).join(" || ")}`;
    const told = selectPools(
      [selecting("long", long)],
      criteria({ requester: { host: {}, namespace: undefined } }),
    );
    const text = told instanceof Rejection ? told.detail : "";
    expect(text.length).toBeLessThan(500);
    expect(text).not.toMatch(/\p{Cs}/u);
    expect(text).toContain("no label, no l0, no l1, no l2, no l3, no l4, no l5, no l6 and 5 more");
  });
});

describe("default pools", () => {
  const requester = { host: undefined, namespace: undefined, namespacePools: ["by-name-only"] };

  it("serve a request that names none, also if they are Manual", () => {
    expect(namesOf(selectPools(POOLS, criteria({ requester })))).toEqual(["by-name-only"]);
    expect(namesOf(selectPools(POOLS, criteria({ defaultPools: ["by-*"] })))).toEqual([
      "by-name-only",
    ]);
  });

  it("serve only if their conditions hold, because the request does not name them", () => {
    const pools = [poolWith({ name: "n1-only", nodeNames: ["n1"] })];
    const asked = criteria({ defaultPools: ["n1-only"] });
    expect(selectPools(pools, asked)).toMatchObject({
      code: "no_pool_available",
      members: { rule: "network", pools: [{ pool: "n1-only", code: "node" }] },
    });
    expect(namesOf(selectPools(pools, criteria({ pools: ["n1-only"] })))).toEqual(["n1-only"]);
  });

  it("reject a request if one of them is unknown, and say who names it", () => {
    const unknown = { ...requester, namespacePools: ["east", "nowhere"] };
    expect(selectPools(POOLS, criteria({ requester: unknown }))).toMatchObject({
      detail: 'There is no pool "nowhere", which the defaultPools of the namespace name.',
      members: { rule: "namespace", pools: [{ pool: "east", kept: true }, notFound("nowhere")] },
    });
    expect(selectPools(POOLS, criteria({ defaultPools: ["no-*"] }))).toMatchObject({
      detail: "No pool of the family matches the defaultPools of the request.",
      members: { rule: "network", pools: [] },
    });
  });
});

it("the pool with the highest score is tried first, and pools of one score as the list means them", () => {
  const pools = [
    poolWith({ name: "a" }),
    poolWith({ name: "b", networks: ["macvlan-100"] }),
    poolWith({ name: "c" }),
    poolWith({ name: "d", nodeNames: ["n1"] }),
  ];
  const requester = { hostName: "n1", host: undefined, namespace: undefined };
  const asked = criteria({ network: "macvlan-100", requester, defaultPools: ["c", "*"] });
  expect(considered(pools, asked).pools.map(({ pool, score }) => `${pool} ${score}`)).toEqual([
    "d 16",
    "b 1",
    "c 0",
    "a 0",
  ]);
  const named = { ...asked, pools: ["c", "b", "a", "d"] };
  expect(namesOf(selectPools(pools, named))).toEqual(["c", "b", "a", "d"]);
});

function namesOf(answer: readonly Pool[] | Rejection): string[] {
  if (answer instanceof Rejection) throw new Error(answer.detail);
  return answer.map(({ name }) => name);
}
