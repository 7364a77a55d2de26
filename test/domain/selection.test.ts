import { describe, expect, it } from "vitest";
import { POOLS_TOLD_MAX, REASONS_IN_DETAIL_MAX } from "../../src/domain/limits.ts";
import { Rejection } from "../../src/domain/outcome.ts";
import type { Pool } from "../../src/domain/pool.ts";
import { considered, type PoolCriteria, selectPools } from "../../src/domain/selection.ts";
import { network, poolWith, selector } from "./builders.ts";

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
      description: "that names some are these, in its order",
      criteria: criteria({ pools: ["west", "east"] }),
      names: ["west", "east"],
    },
    {
      description: "may be named by their CIDR",
      criteria: criteria({ pools: ["10.1.0.0/16"] }),
      names: ["west"],
    },
    {
      description: "are tried once, however often they are named",
      criteria: criteria({ pools: ["west", "10.1.0.0/16", "west"] }),
      names: ["west"],
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
      reason: "disabled",
      detail: "is disabled",
    },
    {
      pool: "tunnels",
      criteria: criteria({ pools: ["tunnels"] }),
      reason: "use",
      detail: "does not allow the use Workload",
    },
    {
      pool: "going",
      criteria: criteria({ pools: ["10.6.0.0/16"] }),
      reason: "deleting",
      detail: "is being deleted",
    },
    { pool: "six", criteria: criteria({ pools: ["six"] }), reason: "family", detail: "is IPv6" },
    {
      pool: "east",
      criteria: criteria({ pools: ["east"], family: 6 }),
      reason: "family",
      detail: "is IPv4",
    },
    {
      pool: "east",
      criteria: criteria({ pools: ["east"], hostReserved: { start: 4, end: 4 } }),
      reason: "block_too_small",
      detail:
        "has blocks of /29, too small for the 8 addresses that the host reserves in each; they need /28 or larger",
    },
    {
      pool: "by-name-only",
      criteria: criteria({}),
      pools: POOLS.filter(({ name }) => name === "by-name-only"),
      reason: "manual",
      detail: "serves only requests that name it (assignmentMode Manual)",
    },
  ])("$pool $detail", ({ pool, criteria, pools = POOLS, reason, detail }) => {
    const { family } = criteria;
    const candidate = { family, pool, cidr: expect.any(String), kept: false, reason, detail };
    expect(selectPools(pools, criteria)).toMatchObject({
      code: "no_pool_available",
      detail: `No pool can serve this request: ${pool} ${detail}.`,
      members: { pools: [candidate] },
    });
    expect(considered(pools, criteria)).toContainEqual(candidate);
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
    expect(considered(POOLS, criteria({ pools }))).toContainEqual(notFound(named));
  });

  it("if the space has no pools", () => {
    const told = new Rejection("no_pool_available", "The space has no pools.", { pools: [] });
    expect(selectPools([], criteria({}))).toEqual(told);
  });
});

const notFound = (pool: string) => ({
  family: 4,
  pool,
  kept: false,
  reason: "not_found",
  detail: "does not exist",
});

it("the named pools are told in their order, and then those that are not named, by name", () => {
  const told = considered(POOLS, criteria({ pools: ["west", "nowhere", "east"] }));
  expect(told.map(({ pool, reason }) => `${pool} ${reason ?? "kept"}`)).toEqual([
    "west kept",
    "nowhere not_found",
    "east kept",
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
  const pools = [
    selecting("everybody", "all()", ""),
    selecting("west", 'zone == "west"'),
    selecting("no-gpu", "!has(gpu)"),
    selecting("web", undefined, "team == 'web'"),
    selecting("web-in-west", 'zone == "west"', "team == 'web'"),
  ];
  const west = { zone: "west" };
  const web = { team: "web" };

  it.each([
    { whom: "nobody knows", host: undefined, namespace: undefined, names: ["everybody", "no-gpu"] },
    {
      whom: "has its labels",
      host: west,
      namespace: undefined,
      names: ["everybody", "no-gpu", "west"],
    },
    {
      whom: "lacks what is asked for",
      host: { gpu: "" },
      namespace: undefined,
      names: ["everybody"],
    },
    {
      whom: "is of a namespace that is chosen",
      host: west,
      namespace: web,
      names: ["everybody", "no-gpu", "web", "web-in-west", "west"],
    },
    {
      whom: "has a label only in its prototype",
      host: Object.create({ gpu: "yes", zone: "west" }),
      namespace: undefined,
      names: ["everybody", "no-gpu"],
    },
  ])("leave a request that $whom $names", ({ host, namespace, names }) => {
    expect(namesOf(selectPools(pools, criteria({ requester: { host, namespace } })))).toEqual(
      names,
    );
  });

  it("are passed over for pools that are named", () => {
    const named = criteria({ pools: ["web-in-west"] });
    expect(namesOf(selectPools(pools, named))).toEqual(["web-in-west"]);
  });

  it.each([
    {
      pool: selecting("west", "zone in {'west', 'north'} && !has(gpu)"),
      requester: { host: { zone: "east", disk: "ssd" }, namespace: undefined },
      reason: "nodeSelector",
      detail:
        "does not select the host (nodeSelector zone in {'west', 'north'} && !has(gpu); the host has zone=east, no gpu)",
    },
    {
      pool: selecting("west", "has(zone)"),
      requester: { host: undefined, namespace: web },
      reason: "nodeSelector",
      detail:
        "does not select the host (nodeSelector has(zone); the host is not registered, so it has no labels)",
    },
    {
      pool: selecting("web", undefined, "team == 'web'"),
      requester: { host: west, namespace: { team: "db" } },
      reason: "namespaceSelector",
      detail:
        "does not select the namespace (namespaceSelector team == 'web'; the namespace has team=db)",
    },
    {
      pool: selecting("web", undefined, "team == 'web'"),
      requester: { host: west, namespace: undefined },
      reason: "namespaceSelector",
      detail:
        "does not select the namespace (namespaceSelector team == 'web'; the request names no namespace that is registered, so there are no labels)",
    },
    {
      pool: selecting("nobody", "!all()"),
      requester: { host: west, namespace: undefined },
      reason: "nodeSelector",
      detail: "does not select the host (nodeSelector !all(); it selects no host)",
    },
  ])(
    "are told with the labels that were judged: $detail",
    ({ pool, requester, reason, detail }) => {
      expect(selectPools([pool], criteria({ requester }))).toMatchObject({
        members: { pools: [{ pool: pool.name, reason, detail }] },
      });
    },
  );

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

function namesOf(answer: readonly Pool[] | Rejection): string[] {
  if (answer instanceof Rejection) throw new Error(answer.detail);
  return answer.map(({ name }) => name);
}
