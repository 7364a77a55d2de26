import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { type Coverage, parseCoverage, readInventory } from "../../../src/cli/check/inventory.ts";
import { ALL, NOTHING } from "./builders.ts";

const TAKEN = "2026-01-31T12:00:00Z";
const TAKEN_MS = Date.parse(TAKEN);
const NOW_MS = TAKEN_MS + 60_000;

const node = (name: string, heartbeat = TAKEN) => ({
  kind: "Node",
  metadata: { name, creationTimestamp: "2025-12-01T00:00:00Z" },
  status: { conditions: [{ type: "Ready", lastHeartbeatTime: heartbeat }] },
});
const pod = (name: string, ip = "10.0.0.1", more: object = {}) => ({
  kind: "Pod",
  metadata: { name, namespace: "shop", creationTimestamp: "2026-01-31T11:00:00Z" },
  spec: { nodeName: "node-1", ...more },
  status: { phase: "Running", podIP: ip, podIPs: [{ ip }, { ip: "2001:DB8:0::1" }] },
});
/** Makes a pod with an annotation of Multus. */
const attached = (annotation: string, status: unknown) => {
  const text = typeof status === "string" ? status : JSON.stringify(status);
  const { metadata, ...one } = pod("web-0");
  const annotations = { [`k8s.v1.cni.cncf.io/${annotation}`]: text };
  return { ...one, metadata: { ...metadata, annotations } };
};
const list = (...items: object[]) => ({ apiVersion: "v1", kind: "List", items, metadata: {} });

const read = (texts: readonly (string | object)[], covers: Coverage = ALL, takenAtMs?: number) =>
  readInventory(
    texts.map((text, i) => ({
      name: `file-${i}`,
      text: typeof text === "string" ? text : JSON.stringify(text),
    })),
    covers,
    { takenAtMs, nowMs: NOW_MS },
  );

describe("an inventory", () => {
  const whole = list(node("node-1"), pod("web-0"), { kind: "Service", metadata: { name: "s" } });

  it("has the nodes, the pods with all their addresses, and ignores the rest", () => {
    const { nodes, pods, inUse, ignored, takenAtMs } = read([whole]);
    expect([...nodes]).toEqual(["node-1"]);
    expect([...pods]).toEqual([
      [
        "shop/web-0",
        [
          {
            node: "node-1",
            addresses: ["10.0.0.1", "2001:db8::1"],
            interfaces: new Map([["eth0", ["10.0.0.1", "2001:db8::1"]]]),
            finished: false,
          },
        ],
      ],
    ]);
    expect([...inUse]).toEqual([
      ["10.0.0.1", "shop/web-0"],
      ["2001:db8::1", "shop/web-0"],
    ]);
    expect(ignored).toBe(1);
    expect(takenAtMs).toBe(TAKEN_MS);
  });

  it("has the time of a cluster with more times than one call takes arguments", () => {
    const times = Array.from({ length: 200_000 }, () => ({ lastTransitionTime: TAKEN }));
    const old = { ...node("node-1"), status: { conditions: times } };
    expect(read([list(old, pod("web-0"))]).takenAtMs).toBe(TAKEN_MS);
  });

  it.each([
    ["YAML", [stringify(whole)]],
    [
      "several documents of YAML",
      [`${stringify(node("node-1"))}---\n${stringify(pod("web-0"))}---\n`],
    ],
    ["several files", [list(node("node-1")), list(pod("web-0"))]],
    [
      "lists of the API, whose items do not say what they are",
      [
        { kind: "NodeList", items: [{ ...node("node-1"), kind: undefined }] },
        { kind: "PodList", items: [{ ...pod("web-0"), kind: undefined }] },
      ],
    ],
  ])("may be %s", (_, texts) => {
    const { nodes, pods } = read(texts, ALL, TAKEN_MS);
    expect([...nodes.keys(), ...pods.keys()]).toEqual(["node-1", "shop/web-0"]);
  });

  it("the addresses of a node are not those of the pods that use it", () => {
    expect(read([list(node("n"), pod("p", "192.0.2.1", { hostNetwork: true }))]).inUse.size).toBe(
      0,
    );
  });

  it.each(["Failed", "Succeeded"])(
    "the addresses of a pod that is over are in nobody's use: %s",
    (phase) => {
      const over = { ...pod("p"), status: { phase, podIPs: [{ ip: "10.0.0.1" }] } };
      const { inUse, pods } = read([list(node("n"), over)]);
      expect(inUse.size).toBe(0);
      expect(pods.get("shop/p")).toMatchObject([{ finished: true }]);
    },
  );

  it.each(["network-status", "networks-status"])("has what Multus says in %s", (annotation) => {
    const networks = [
      { name: "podnet", interface: "eth0", ips: ["10.0.0.1", "2001:DB8:0::1"], default: true },
      { name: "shop/storage", interface: "net1", ips: ["10.9.0.7"], mac: "c2:b0:57:49:47:f1" },
      { name: "shop/backup", ips: ["10.9.1.7"] },
      { name: "shop/layer2", interface: "net3" },
    ];
    const { inUse, pods } = read([list(node("node-1"), attached(annotation, networks))]);
    expect([...inUse.keys()]).toEqual(["10.0.0.1", "2001:db8::1", "10.9.0.7", "10.9.1.7"]);
    expect(pods.get("shop/web-0")).toMatchObject([
      {
        addresses: ["10.0.0.1", "2001:db8::1"],
        interfaces: new Map([
          ["eth0", ["10.0.0.1", "2001:db8::1"]],
          ["net1", ["10.9.0.7"]],
        ]),
      },
    ]);
  });

  it.each([
    ["no JSON", "[{"],
    ["no list", {}],
    ["a text that is no address", [{ interface: "net1", ips: ["10.9.0.7/24"] }]],
  ])("knows no interface of a pod whose annotation has %s", (_, status) => {
    const { inUse, pods } = read([list(node("node-1"), attached("network-status", status))]);
    expect([...inUse.keys()]).toEqual(["10.0.0.1", "2001:db8::1"]);
    expect(pods.get("shop/web-0")).toMatchObject([{ interfaces: new Map() }]);
  });

  it("a pod that stands in two files comes twice: either may be right", () => {
    const { pods } = read([list(node("n"), pod("p")), list(pod("p", "10.0.0.2"))]);
    expect(pods.get("shop/p")).toHaveLength(2);
  });
});

describe("an inventory was taken", () => {
  it("at the newest time in it, or later", () => {
    const files = [list(node("a", "2026-01-31T11:59:00Z"), node("b"), pod("p"))];
    expect(read(files).takenAtMs).toBe(TAKEN_MS);
  });

  it("as long ago as its oldest file", () => {
    const files = [list(node("a")), list(pod("p"))];
    expect(read(files).takenAtMs).toBe(Date.parse("2026-01-31T11:00:00Z"));
  });

  it("when somebody says so", () => {
    expect(read([list(node("a"), pod("p"))], ALL, 7).takenAtMs).toBe(7);
  });

  it("no later than now", () => {
    const soon = new Date(NOW_MS + 1_000).toISOString();
    expect(read([list(node("a", soon), pod("p"))]).takenAtMs).toBe(NOW_MS);
  });

  it("at an unknown time, where it covers nothing and has none", () => {
    expect(read([list()], NOTHING).takenAtMs).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe("a file that is odd is rejected by its name", () => {
  const cut = JSON.stringify(list(node("a"), pod("p"))).slice(0, -20);
  const cutYaml = stringify({ items: [node("a")] });
  const nameless = { kind: "Pod", metadata: { name: "p" } };
  it.each<[string, string, readonly (string | object)[], Coverage?]>([
    ["JSON that is cut off", "file-0 is not complete JSON: ", [cut]],
    [
      "JSON with a field twice",
      "file-0: the field kind is there more than once.",
      ['{"kind": "List", "kind": "List", "items": []}'],
    ],
    ["YAML with a field twice", "file-0 is not complete YAML: Map keys must be", ["a: 1\na: 2"]],
    [
      "YAML that is cut off",
      "file-0 is not a Kubernetes list. It must be what kubectl get -o json prints: kind is required.",
      [cutYaml],
    ],
    ["YAML with an alias of nothing", "file-0 is not complete YAML: Unresolved alias", ["a: *foo"]],
    ["YAML that is none", "file-0 is not complete YAML: ", ["a: [b\n- c: }"]],
    ["nothing", "file-0 is empty; it must be what kubectl get -o json prints.", ["\n"]],
    [
      "prose",
      "file-0 is not a Kubernetes list. It must be what kubectl get -o json prints: it must be of type Object",
      ["no resources found"],
    ],
    ["an array", "file-0 is not a Kubernetes list. It ", ["[]"]],
    ["a list without items", "file-1 is a List without items", [list(node("a")), { kind: "List" }]],
    [
      "one page of a list",
      "file-0 is one page of a list (metadata.continue); it must be all of it.",
      [{ ...list(pod("p")), metadata: { continue: "abc" } }],
    ],
    [
      "a pod without a namespace",
      "file-0: items[1], a Pod, is not valid: metadata.namespace is required.",
      [list(node("a"), nameless)],
    ],
    [
      "a time that is none",
      "file-0: items[0], a Node, is not valid: status.conditions[0].lastHeartbeatTime must be a time",
      [list(node("a", "yesterday"))],
    ],
    [
      "a time that is yet to come",
      "file-0 has the time 2026-02-01T00:00:00.000Z, which is in the future; set --taken-at",
      [list(node("a", "2026-02-01T00:00:00Z"), pod("p"))],
    ],
    [
      "no time at all",
      "file-1 has no time in it; set --taken-at to the time when it was taken",
      [list(node("a"), pod("p")), list()],
    ],
    [
      "no node where it covers nodes",
      "--covers says nodes, but the inventory has no node",
      [list(pod("p"))],
    ],
    [
      "no pod where it covers pods",
      "--covers says pods, but the inventory has no pod",
      [list(node("a"))],
    ],
  ])("%s", (_, message, texts, covers) => {
    expect(() => read(texts, covers)).toThrow(message);
  });

  it("a namespace may be empty", () => {
    const covers = parseCoverage(["pods/shop"]);
    expect(read([list()], covers, TAKEN_MS).pods.size).toBe(0);
  });
});

describe("what an inventory covers", () => {
  it("is named part by part, or with commas", () => {
    expect(parseCoverage(["nodes,pods"])).toEqual(ALL);
    expect(parseCoverage([])).toEqual(NOTHING);
    expect(parseCoverage(["pods/shop", "pods/blog, nodes"])).toEqual({
      nodes: true,
      pods: false,
      namespaces: new Set(["shop", "blog"]),
    });
  });

  it.each(["", "pod", "pods/", "nodes/node-1", "Pods"])("is rejected by its name: %j", (part) => {
    expect(() => parseCoverage(["nodes", part])).toThrow(
      `--covers has "${part}"; it must be nodes, pods or pods/NAMESPACE.`,
    );
  });
});
