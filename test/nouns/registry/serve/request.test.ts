import { describe, expect, it } from "vitest";
import { sealCursor } from "../../../../src/api/http/cursor.ts";
import { namespaceList, nodeList } from "../../../../src/nouns/registry/serve/answer.ts";
import { namespaces, nodes } from "../../../../src/nouns/registry/serve/request.ts";
import { eventOf } from "../../../api/event.ts";
import { problemIn, rejectedFields } from "../../../api/problem-of.ts";

const YAML = { "content-type": "application/yaml" };

const put = (body: unknown, headers: Record<string, string> = {}) =>
  nodes.readPut(eventOf("PUT", "/v1/nodes/ip-10-0-1-17", { body, headers }));
const labelled = (labels: unknown) => put({ labels });

/** A node as `kubectl get node ip-10-0-1-17 -o yaml` prints it. */
const KUBECTL = `apiVersion: v1
kind: Node
metadata:
  annotations:
    node.alpha.kubernetes.io/ttl: "0"
    projectcalico.org/IPv4Address: 10.0.1.17/24
  creationTimestamp: "2026-03-11T08:12:45Z"
  finalizers:
  - wrangler.cattle.io/node
  labels:
    beta.kubernetes.io/arch: arm64
    kubernetes.io/hostname: ip-10-0-1-17
    node-role.kubernetes.io/worker: ""
    topology.kubernetes.io/zone: eu-west-1a
  name: ip-10-0-1-17
  resourceVersion: "1192"
  uid: 3f7f0f6e-8b0e-4f0b-a9a3-0d9c4f6b7f2a
spec:
  podCIDR: 10.244.3.0/24
  taints:
  - effect: NoSchedule
    key: dedicated
status:
  addresses:
  - address: 10.0.1.17
    type: InternalIP
  capacity:
    cpu: "8"
`;

describe("a node", () => {
  it("is taken as kubectl prints it: its labels, and nothing else", () => {
    expect(put(KUBECTL, YAML)).toEqual({
      space: "default",
      name: "ip-10-0-1-17",
      dryRun: false,
      ifMatch: {},
      ignored: [],
      spec: {
        labels: {
          "beta.kubernetes.io/arch": "arm64",
          "kubernetes.io/hostname": "ip-10-0-1-17",
          "node-role.kubernetes.io/worker": "",
          "topology.kubernetes.io/zone": "eu-west-1a",
        },
      },
    });
  });

  it("is found among others, which are named", () => {
    const other = KUBECTL.replaceAll("ip-10-0-1-17", "ip-10-0-1-18");
    expect(put(`${other}---\n${KUBECTL}`, YAML)).toMatchObject({
      name: "ip-10-0-1-17",
      ignored: ["Node ip-10-0-1-18"],
    });
  });

  it("needs no labels", () => {
    expect(put({})).toMatchObject({ spec: { labels: {} } });
    const bare = { apiVersion: "v1", kind: "Node", metadata: { name: "ip-10-0-1-17" } };
    expect(put(bare)).toMatchObject({ spec: { labels: {} } });
  });

  it("may have labels that are called like the methods of objects", () => {
    const taken = put('{"labels":{"constructor":"a","toString":"b","hasOwnProperty":""}}');
    expect(taken).toMatchObject({
      spec: { labels: { constructor: "a", toString: "b", hasOwnProperty: "" } },
    });
    expect(rejectedFields(() => put('{"labels":{"__proto__":"a"}}'))).toEqual([
      expect.stringContaining("labels.__proto__: must have a name of 1 to 63 letters"),
    ]);
  });

  it.each([
    ["another name than the URL's", KUBECTL.replaceAll("ip-10-0-1-17", "x"), "name_mismatch"],
    ["another kind", KUBECTL.replace("kind: Node", "kind: Pod"), "invalid_request"],
    ["another version", KUBECTL.replace("v1", "v2"), "invalid_request"],
  ])("of %s is rejected", (_, body, code) => {
    expect(problemIn(() => put(body, YAML)).code).toBe(code);
  });

  it("may be called whatever a host may be called that a path can name", () => {
    const read = (name: string) => nodeList.readOne(eventOf("GET", `/v1/nodes/${name}`));
    expect(read("DB_01.example.org")).toMatchObject({ name: "DB_01.example.org" });
    expect(rejectedFields(() => read("a%2Fb"))).toEqual([
      expect.stringContaining("node: must be 1 to"),
    ]);
    expect(rejectedFields(() => read("a%3Fb"))).toEqual([
      expect.stringContaining("node: must not contain ?, % or #"),
    ]);
  });

  it("may end a page of the list although no path can name it", () => {
    const cursor = sealCursor(["nodes", "default"], { after: "a?b" });
    expect(nodeList.read(eventOf("GET", "/v1/nodes", { query: { cursor } }))).toMatchObject({
      after: "a?b",
    });
  });
});

describe("labels", () => {
  const longest = `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(61)}`;

  it.each([
    { a: "b" },
    { "example.org/zone": "west-1" },
    { [`${longest}/${"n".repeat(63)}`]: "v".repeat(63) },
    { "A_b.c-9": "" },
    { "9": "9" },
  ])("may be %j", (labels) => {
    expect(labelled(labels)).toMatchObject({ spec: { labels } });
  });

  it.each([
    ["an empty name", { "": "a" }, "must have a name of 1 to 63"],
    ["a name of 64 characters", { ["n".repeat(64)]: "" }, "must have a name of 1 to 63"],
    ["a name that ends in a dash", { "a-": "" }, "must have a name of 1 to 63"],
    ["two slashes", { "a/b/c": "" }, "must have a name with one slash"],
    ["an empty prefix", { "/a": "" }, "whose prefix is a DNS name"],
    ["a prefix in capitals", { "Example.org/a": "" }, "whose prefix is a DNS name"],
    ["a prefix of 254 characters", { [`${longest}d/a`]: "" }, "whose prefix is a DNS name"],
    ["a value of 64 characters", { a: "v".repeat(64) }, "must be empty, or at most 63"],
    ["a value that begins with a dash", { a: "-v" }, "must be empty, or at most 63"],
    ["a blank in a value", { a: "b c" }, "must be empty, or at most 63"],
    ["a letter beyond ASCII", { a: "é" }, "must be empty, or at most 63"],
    ["a line break", { a: "b\n" }, "must be empty, or at most 63"],
    ["a number as value", { a: 1 }, "must be a string"],
    ["no object", ["a=b"], "labels: must be an object"],
    [
      "257 of them",
      Object.fromEntries(Array.from({ length: 257 }, (_, n) => [`l${n}`, ""])),
      "must have at most 256 entries",
    ],
    [
      "more characters than are kept",
      Object.fromEntries(Array.from({ length: 256 }, (_, n) => [`l${n}`, "v".repeat(63)])),
      "must have at most 16000 characters in all",
    ],
  ])("may not have %s", (_, labels, rejection) => {
    expect(rejectedFields(() => labelled(labels))).toEqual([expect.stringContaining(rejection)]);
  });
});

describe("a namespace", () => {
  const path = "/v1/namespaces/shop";

  it("is taken as kubectl prints it", () => {
    const body = {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: {
        name: "shop",
        uid: "3f7f0f6e-8b0e-4f0b-a9a3-0d9c4f6b7f2a",
        labels: { "kubernetes.io/metadata.name": "shop", team: "web" },
      },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    };
    expect(namespaces.readPut(eventOf("PUT", path, { body }))).toMatchObject({
      name: "shop",
      spec: { labels: { "kubernetes.io/metadata.name": "shop", team: "web" } },
    });
  });

  /** Reads the manifest of a namespace whose annotation names its default pools. */
  const annotated = (text?: string) => {
    const annotations = text === undefined ? {} : { "ipam.spidernet.io/default-ipv4-ippool": text };
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", annotations } };
    return namespaces.readPut(eventOf("PUT", path, { body }));
  };

  it("has no default pools if the annotations are missing or empty", () => {
    for (const text of [undefined, "[]"])
      expect(annotated(text)).toMatchObject({ spec: { labels: {} } });
    expect(annotated("[]")).toEqual(annotated());
  });

  it.each(["", "a", '{"ipv4": ["a"]}', '[""]', '["a", "a"]', "[1]", '["web-["]'])(
    "has a list of pools in JSON as annotation, not %j",
    (text) => {
      expect(rejectedFields(() => annotated(text))).toEqual([
        expect.stringContaining("metadata.annotations"),
      ]);
    },
  );

  it("is called as in Kubernetes", () => {
    const read = (name: string) => namespaceList.readOne(eventOf("GET", `/v1/namespaces/${name}`));
    for (const name of ["Shop", "a.b", "-a", "a".repeat(64)])
      expect(rejectedFields(() => read(name))).toEqual([
        expect.stringContaining("namespace: must"),
      ]);
  });
});
