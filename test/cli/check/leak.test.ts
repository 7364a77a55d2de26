import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Inventory, SeenPod } from "../../../src/cli/check/inventory.ts";
import { judge } from "../../../src/cli/check/leak.ts";
import type { OwnedAddress } from "../../../src/cli/space/contents.ts";
import { NOW_MS } from "../../builders.ts";
import { ALL, assignedWith, inventoryWith, NOTHING } from "./builders.ts";

const verdictOf = (one: Partial<OwnedAddress>, inventory: Inventory): string => {
  const [judged] = judge([assignedWith(one)], inventory);
  return `${judged?.judgement.verdict}: ${judged?.judgement.reason}`;
};

const TUNNEL = { type: "ipipTunnelAddress", node: "gone" };
const WITHOUT_PODS = { covers: { ...ALL, pods: false } };
const WITHOUT_NODES = { covers: { ...ALL, nodes: false } };

describe("an address of a pod", () => {
  it.each<[string, string, Partial<OwnedAddress>, Inventory]>([
    ["has it", "used: in_use", {}, inventoryWith({ "shop/web-0": { addresses: ["10.0.0.1"] } })],
    ["is not there", "gone: pod_not_found", {}, inventoryWith({})],
    [
      "is on another node",
      "gone: pod_on_another_node",
      {},
      inventoryWith({ "shop/web-0": { node: "node-2", addresses: ["10.0.9.9"] } }),
    ],
    [
      "is on another node and has no address there yet",
      "gone: pod_on_another_node",
      {},
      inventoryWith({ "shop/web-0": { node: "node-2" } }),
    ],
    [
      "was evicted, or has failed otherwise",
      "gone: pod_finished",
      {},
      inventoryWith({ "shop/web-0": { finished: true, addresses: ["10.0.0.1"] } }),
    ],
    [
      "has other addresses",
      "gone: pod_has_other_addresses",
      {},
      inventoryWith({ "shop/web-0": { addresses: ["10.0.0.2"] } }),
    ],
    ["has none yet", "used: no_address_yet", {}, inventoryWith({ "shop/web-0": {} })],
    [
      "has none yet, and is on no node yet",
      "used: no_address_yet",
      {},
      inventoryWith({ "shop/web-0": { node: undefined } }),
    ],
    [
      "is of the same name in another namespace",
      "gone: pod_not_found",
      {},
      inventoryWith({ "other/web-0": {} }),
    ],
    [
      "went with its node",
      "gone: node_gone",
      {},
      inventoryWith({}, { nodes: new Set(["node-2"]) }),
    ],
    [
      "has it on a node that is gone",
      "used: in_use",
      {},
      inventoryWith({ "shop/web-0": { addresses: ["10.0.0.1"] } }, { nodes: new Set(["node-2"]) }),
    ],
    [
      "lists it on another node than was said",
      "used: in_use",
      {},
      inventoryWith({ "shop/web-0": { node: "node-2", addresses: ["10.0.0.1"] } }),
    ],
    [
      "is gone, and another pod has it",
      "used: in_use",
      {},
      inventoryWith({ "shop/web-1": { addresses: ["10.0.0.1"] } }),
    ],
    [
      "was assigned it when the inventory was taken",
      "unjudged: assigned_later",
      { assignedAtMs: NOW_MS },
      inventoryWith({}),
    ],
    [
      "was assigned it so shortly before that a clock may lie",
      "unjudged: assigned_later",
      { assignedAtMs: NOW_MS - 2_000 },
      inventoryWith({}),
    ],
  ])("whose pod %s is %s", (_, verdict, one, inventory) => {
    expect(verdictOf(one, inventory)).toBe(verdict);
  });

  it.each<[string, Record<string, string>]>([
    ["no attributes", {}],
    ["no namespace", { pod: "web-0" }],
    ["no pod", { namespace: "shop", node: "node-1" }],
    ["a load balancer's", { service: "web", type: "LoadBalancer" }],
  ])("that cannot be known is never a leak: %s", (_, active) => {
    expect(verdictOf({ owner: { active } }, inventoryWith({}))).toBe("unjudged: no_pod_named");
  });

  it("is on the host that it was assigned on, where no node is said", () => {
    const owner = { active: { namespace: "shop", pod: "web-0" } };
    const nodes = new Set(["node-2"]);
    expect(verdictOf({ owner }, inventoryWith({}, { nodes }))).toBe("gone: node_gone");
    const virtual = { owner, affinityType: "virtual" } as const;
    expect(verdictOf(virtual, inventoryWith({}, { nodes }))).toBe("gone: pod_not_found");
  });

  it("stays as long as one of its two owners may be there", () => {
    const active = { namespace: "shop", pod: "old" };
    const alternate = { namespace: "shop", pod: "new" };
    const owner = { active, alternate };
    expect(verdictOf({ owner }, inventoryWith({ "shop/new": {} }))).toBe("used: no_address_yet");
    expect(verdictOf({ owner }, inventoryWith({}))).toBe("gone: pod_not_found");
    expect(verdictOf({ owner: { active, alternate: {} } }, inventoryWith({}))).toBe(
      "unjudged: no_pod_named",
    );
  });

  it("stays where it is a virtual machine's, whose pods come and go", () => {
    const owner = { active: { namespace: "shop", pod: "launcher", "vmi-name": "db" } };
    expect(verdictOf({ owner }, inventoryWith({}))).toBe("unjudged: virtual_machine");
  });
});

describe("an address of one interface of a pod", () => {
  const named = (ifName: string) => ({
    owner: { active: { namespace: "shop", pod: "web-0", network: "storage", ifName } },
  });
  const other = { addresses: ["10.1.0.5"] };
  const withNet1 = (address: string) => ({ ...other, interfaces: new Map([["net1", [address]]]) });

  it.each<[string, string, Partial<OwnedAddress>, Partial<SeenPod>]>([
    ["the pod has it there", "used: in_use", named("net1"), withNet1("10.0.0.1")],
    ["the inventory lacks the interface", "unjudged: interface_not_listed", named("net1"), other],
    [
      "the interface has others",
      "gone: pod_has_other_addresses",
      named("net1"),
      withNet1("10.9.9.9"),
    ],
    ["the first interface has others", "gone: pod_has_other_addresses", named("eth0"), other],
    [
      "the request named the interface, which the inventory lacks",
      "unjudged: interface_not_listed",
      { interface: "net1" },
      other,
    ],
    [
      "the attributes name a network, and no interface",
      "unjudged: interface_not_listed",
      { owner: { active: { namespace: "shop", pod: "web-0", network: "storage" } } },
      withNet1("10.9.9.9"),
    ],
    ["the pod has ended", "gone: pod_finished", named("net1"), { ...other, finished: true }],
    [
      "the pod is elsewhere, and the interface has others",
      "gone: pod_on_another_node",
      named("net1"),
      { ...withNet1("10.9.9.9"), node: "node-2" },
    ],
    [
      "the pod is elsewhere, and the inventory lacks the interface",
      "unjudged: interface_not_listed",
      named("net1"),
      { ...other, node: "node-2" },
    ],
  ])("where %s is %s", (_, verdict, one, pod) => {
    expect(verdictOf(one, inventoryWith({ "shop/web-0": pod }))).toBe(verdict);
  });

  it("is gone with its pod, and with its node", () => {
    expect(verdictOf(named("net1"), inventoryWith({}))).toBe("gone: pod_not_found");
    const nodes = new Set(["node-2"]);
    expect(verdictOf(named("net1"), inventoryWith({}, { nodes }))).toBe("gone: node_gone");
    const running = inventoryWith({ "shop/web-0": other }, { nodes });
    expect(verdictOf(named("net1"), running)).toBe("unjudged: interface_not_listed");
  });

  it("stays if one of two sightings of the pod lacks the interface", () => {
    const [seen] =
      inventoryWith({ "shop/web-0": withNet1("10.9.9.9") }).pods.get("shop/web-0") ?? [];
    const [without] = inventoryWith({ "shop/web-0": other }).pods.get("shop/web-0") ?? [];
    if (!seen || !without) throw new Error("the builder made no pod");
    for (const sightings of [
      [seen, without],
      [without, seen],
    ]) {
      const inventory = inventoryWith({}, { pods: new Map([["shop/web-0", sightings]]) });
      expect(verdictOf(named("net1"), inventory)).toBe("unjudged: interface_not_listed");
    }
  });
});

describe("what an inventory does not cover", () => {
  it.each<[string, string, Inventory]>([
    ["nothing is covered", "unjudged: not_covered", inventoryWith({}, { covers: NOTHING })],
    [
      "only nodes are, and its own stands",
      "unjudged: not_covered",
      inventoryWith({}, WITHOUT_PODS),
    ],
    [
      "only nodes are, and its own is gone",
      "gone: node_gone",
      inventoryWith({}, { ...WITHOUT_PODS, nodes: new Set() }),
    ],
    [
      "only pods are, and node and pod are gone",
      "gone: pod_not_found",
      inventoryWith({}, { ...WITHOUT_NODES, nodes: new Set() }),
    ],
    [
      "its namespace is",
      "gone: pod_not_found",
      inventoryWith({}, { covers: { ...NOTHING, namespaces: new Set(["shop"]) } }),
    ],
    [
      "another namespace is",
      "unjudged: not_covered",
      inventoryWith({}, { covers: { ...NOTHING, namespaces: new Set(["other"]) } }),
    ],
    [
      "its pod is seen elsewhere, in a part that is not covered",
      "unjudged: not_covered",
      inventoryWith({ "shop/web-0": { node: "node-2", addresses: ["10.0.9.9"] } }, WITHOUT_PODS),
    ],
  ])("says nothing: %s is %s", (_, verdict, inventory) => {
    expect(verdictOf({}, inventory)).toBe(verdict);
  });
});

describe("the address of a tunnel", () => {
  const tunnel = assignedWith({ address: "10.0.0.9", generation: "t", owner: { active: TUNNEL } });
  const reasonsIn = (others: readonly OwnedAddress[], inventory: Inventory) =>
    judge([tunnel, ...others], inventory).map(({ judgement }) => judgement.reason);

  it("is in use as long as its node stands", () => {
    const inventory = inventoryWith({}, { nodes: new Set(["gone"]) });
    expect(reasonsIn([], inventory)).toEqual(["in_use"]);
  });

  it("is nobody's when its node is gone and nothing else is on it", () => {
    expect(reasonsIn([assignedWith()], inventoryWith({}))).toEqual(["node_gone", "pod_not_found"]);
  });

  it("stays as long as anything else is on its node, even what is gone itself", () => {
    const other = assignedWith({
      owner: { active: { namespace: "shop", pod: "p", node: "gone" } },
    });
    expect(reasonsIn([other], inventoryWith({}))).toEqual(["node_has_others", "node_gone"]);
    const unknown = assignedWith({ owner: {}, host: "gone" });
    expect(reasonsIn([unknown], inventoryWith({}))).toEqual(["node_has_others", "no_pod_named"]);
  });

  it("does not keep another tunnel's", () => {
    const other = assignedWith({ owner: { active: { ...TUNNEL, type: "vxlanTunnelAddress" } } });
    expect(reasonsIn([other], inventoryWith({}))).toEqual(["node_gone", "node_gone"]);
  });

  it("is not judged where nodes are not covered", () => {
    expect(reasonsIn([], inventoryWith({}, WITHOUT_NODES))).toEqual(["not_covered"]);
  });
});

describe("the addresses of a handle", () => {
  const gone = assignedWith({ address: "10.0.0.1", generation: "a", handle: "h" });
  const used = assignedWith({ address: "10.0.0.2", generation: "b", handle: "h" });
  const inventory = inventoryWith({ "shop/web-0": { addresses: ["10.0.0.2"] } });
  const verdicts = (assigned: readonly OwnedAddress[]) =>
    judge(assigned, inventory).map(({ judgement }) => judgement.reason);

  it("go one by one", () => {
    expect(verdicts([gone, used])).toEqual(["pod_has_other_addresses", "in_use"]);
  });

  it("go all or none where one of them asks for it", () => {
    expect(verdicts([gone, { ...used, together: true }])).toEqual(["sibling_stays", "in_use"]);
    expect(verdicts([{ ...gone, together: true }])).toEqual(["pod_has_other_addresses"]);
  });
});

describe("whatever is assigned, and whatever an inventory has", () => {
  const anyName = fc.constantFrom("a", "b");
  const anyOwner = fc.record(
    {
      namespace: anyName,
      pod: anyName,
      node: anyName,
      type: fc.constantFrom("ipipTunnelAddress", "LoadBalancer"),
      "vmi-name": anyName,
    },
    { requiredKeys: [] },
  );
  const anyAssigned = fc.uniqueArray(
    fc
      .record({
        address: fc.constantFrom("10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"),
        handle: anyName,
        host: anyName,
        affinityType: fc.constantFrom("host" as const, "virtual" as const),
        assignedAtMs: fc.constantFrom(NOW_MS - 3_600_000, NOW_MS - 1, NOW_MS + 1),
        owner: fc.record({ active: anyOwner, alternate: anyOwner }, { requiredKeys: [] }),
        together: fc.boolean(),
      })
      .map((one) => assignedWith({ ...one, generation: one.address })),
    { selector: ({ address }) => address },
  );
  const anyInventory = fc
    .record({
      pods: fc.dictionary(
        fc.constantFrom("a/a", "a/b", "b/a", "b/b"),
        fc.record({
          node: fc.option(anyName, { nil: undefined }),
          addresses: fc.subarray(["10.0.0.1", "10.0.0.2"]),
          finished: fc.boolean(),
        }),
      ),
      nodes: fc.subarray(["a", "b"]),
      covers: fc.record({
        nodes: fc.boolean(),
        pods: fc.boolean(),
        namespaces: fc.subarray(["a", "b"]).map((names) => new Set(names)),
      }),
    })
    .map(({ pods, nodes, covers }) => inventoryWith(pods, { nodes: new Set(nodes), covers }));
  const holds = (check: (assigned: readonly OwnedAddress[], inventory: Inventory) => void) =>
    fc.assert(fc.property(anyAssigned, anyInventory, check));
  const goneIn = (assigned: readonly OwnedAddress[], inventory: Inventory) =>
    judge(assigned, inventory).filter(({ judgement }) => judgement.verdict === "gone");

  it("nothing is gone of which nothing is covered", () => {
    holds((assigned, inventory) => {
      expect(goneIn(assigned, { ...inventory, covers: NOTHING })).toEqual([]);
    });
  });

  it("nothing is gone that a pod has, or that was assigned later", () => {
    holds((assigned, inventory) => {
      for (const { address, assignedAtMs } of goneIn(assigned, inventory)) {
        expect(inventory.inUse.has(address)).toBe(false);
        expect(assignedAtMs).toBeLessThan(inventory.takenAtMs);
      }
    });
  });

  it("an inventory that has more, and covers no more, takes nothing for gone that was not", () => {
    holds((assigned, inventory) => {
      const more = {
        ...inventory,
        nodes: new Set(["a", "b"]),
        inUse: new Map([...inventory.inUse, ["10.0.0.3", "c/c"]]),
      };
      const before = new Set(goneIn(assigned, inventory).map(({ address }) => address));
      // A tunnel whose node is back is in use, so fewer addresses are gone.
      for (const { address } of goneIn(assigned, more)) expect(before).toContain(address);
    });
  });

  it("of a handle that asks for it all are gone, or none", () => {
    holds((assigned, inventory) => {
      const judged = judge(assigned, inventory);
      const asking = assigned.filter(({ together }) => together).map(({ handle }) => handle);
      for (const handle of asking) {
        const verdicts = judged
          .filter((one) => one.handle === handle)
          .map(({ judgement }) => judgement.verdict === "gone");
        expect(new Set(verdicts).size).toBe(1);
      }
    });
  });

  it("every address is judged, once, and is otherwise as it was", () => {
    holds((assigned, inventory) => {
      expect(
        judge(assigned, inventory).map(({ judgement: _, together: __, ...one }) => one),
      ).toEqual(assigned.map(({ together: _, ...one }) => one));
    });
  });
});
