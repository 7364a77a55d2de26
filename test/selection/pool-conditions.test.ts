import { describe, expect, it } from "vitest";
import type { Pool } from "../../src/nouns/pool/pool.ts";
import type { Requester } from "../../src/selection/requester.ts";
import { excludedBy, selectsHost } from "../../src/selection/selection.ts";
import { poolWith, selector } from "../builders.ts";

const bySelector = (text: string) => ({ text, selector: selector(text) });

const WEB: Requester = {
  hostName: "n1",
  host: { zone: "west" },
  namespaceName: "shop",
  namespace: { team: "web" },
  workload: { app: "web" },
};

const excluded = (changes: Partial<Pool>, requester: Partial<Requester> = {}, network?: string) =>
  excludedBy(poolWith(changes), { ...WEB, ...requester }, network);

describe("a pool serves a requester", () => {
  it.each([
    ["if it has no condition", {}],
    ["if it names the host", { nodeNames: ["n0", "n1"] }],
    ["if it selects the host", { nodeSelector: bySelector("zone == 'west'") }],
    ["if it names the namespace", { namespaceNames: ["shop"] }],
    ["if it selects the namespace", { namespaceSelector: bySelector("has(team)") }],
    ["if it selects the workload", { podSelector: bySelector("app in {'web'}") }],
    [
      "if it names the host, whatever its selector is",
      { nodeNames: ["n1"], nodeSelector: bySelector("zone == 'east'") },
    ],
    [
      "if it names the namespace, whatever its selector is",
      { namespaceNames: ["shop"], namespaceSelector: bySelector("team == 'db'") },
    ],
  ])("%s", (_, changes) => {
    expect(excluded(changes)).toBeUndefined();
  });

  it("of any network if it names none, and of no network too", () => {
    expect(excluded({}, {}, "macvlan-100")).toBeUndefined();
    expect(excluded({})).toBeUndefined();
    expect(excluded({ networks: ["macvlan-100"] }, {}, "macvlan-100")).toBeUndefined();
  });
});

describe("a condition excludes a requester, and says why", () => {
  it.each([
    [
      { nodeNames: ["n2", "n3"], nodeSelector: bySelector("zone == 'west'") },
      {},
      "node",
      "does not serve host n1 (nodeNames n2, n3)",
    ],
    [
      { nodeNames: ["lb"] },
      { hostName: undefined },
      "node",
      "does not serve a virtual owner (nodeNames lb)",
    ],
    [
      { nodeSelector: bySelector("zone == 'east'") },
      {},
      "node",
      "does not select the host (nodeSelector zone == 'east'; the host has zone=west)",
    ],
    [
      { namespaceNames: ["bank"], namespaceSelector: bySelector("has(team)") },
      {},
      "namespace",
      "does not serve namespace shop (namespaceNames bank)",
    ],
    [
      { namespaceNames: ["bank"] },
      { namespaceName: undefined },
      "namespace",
      "does not serve a request without a namespace (namespaceNames bank)",
    ],
    [
      { podSelector: bySelector("app == 'db'") },
      {},
      "pod",
      "does not select the workload (podSelector app == 'db'; the workload has app=web)",
    ],
    [
      { podSelector: bySelector("has(app)") },
      { workload: undefined },
      "pod",
      "does not select the workload (podSelector has(app); the request has no labels)",
    ],
    [
      { networks: ["macvlan-100"] },
      {},
      "network",
      "does not serve a request without a network (networks macvlan-100)",
    ],
    [
      { networks: Array.from({ length: 10 }, (_, n) => `net-${n}`) },
      {},
      "network",
      "does not serve a request without a network (networks net-0, net-1, net-2, net-3, net-4, net-5, net-6, net-7 and 2 more)",
    ],
  ] as const)("%j: %s %s", (changes, requester, code, reason) => {
    expect(excluded(changes, requester)).toEqual({ code, reason });
  });

  it("in the order host, namespace, workload, network", () => {
    const all = {
      nodeNames: ["n9"],
      namespaceNames: ["bank"],
      podSelector: bySelector("app == 'db'"),
      networks: ["macvlan-100"],
    };
    expect(excluded(all)?.code).toBe("node");
    expect(excluded(all, { hostName: "n9" })?.code).toBe("namespace");
    const bank = { hostName: "n9", namespaceName: "bank" };
    expect(excluded(all, bank)?.code).toBe("pod");
    expect(excluded(all, { ...bank, workload: { app: "db" } })?.code).toBe("network");
  });
});

it("a host that a pool names is selected without its labels", () => {
  const pool = poolWith({ nodeNames: ["n1"], nodeSelector: bySelector("zone == 'east'") });
  expect(selectsHost(pool, "n1", undefined)).toBe(true);
  expect(selectsHost(pool, "n2", { zone: "east" })).toBe(false);
});
