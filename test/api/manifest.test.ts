import { describe, expect, it } from "vitest";
import { type PoolPut, parsePoolPut } from "../../src/nouns/pool/serve/request.ts";
import { eventOf } from "./event.ts";
import { problemIn, rejectedFields } from "./problem-of.ts";

const YAML = { "content-type": "application/yaml" };

const put = (body: unknown, headers: Record<string, string> = YAML) =>
  parsePoolPut(eventOf("PUT", "/v1/pools/default-ipv4-ippool", { body, headers }));

/** As `kubectl get ippool default-ipv4-ippool -o yaml` prints it. */
const KUBECTL = `apiVersion: projectcalico.org/v3
kind: IPPool
metadata:
  annotations:
    projectcalico.org/metadata: '{"creationTimestamp":"2026-03-11T08:12:45Z"}'
  creationTimestamp: "2026-03-11T08:12:45Z"
  generation: 1
  managedFields:
  - apiVersion: crd.projectcalico.org/v1
    fieldsType: FieldsV1
    fieldsV1:
      f:spec:
        .: {}
        f:cidr: {}
    manager: calico-node
    operation: Update
    time: "2026-03-11T08:12:45Z"
  name: default-ipv4-ippool
  resourceVersion: "1192"
  uid: 3f7f0f6e-8b0e-4f0b-a9a3-0d9c4f6b7f2a
spec:
  allowedUses:
  - Workload
  - Tunnel
  assignmentMode: Automatic
  blockSize: 26
  cidr: 10.244.0.0/16
  ipipMode: Always
  natOutgoing: true
  nodeSelector: topology.kubernetes.io/zone in {'eu-west-1a', 'eu-west-1b'} && !has(gpu)
  vxlanMode: Never
status:
  conditions: []
`;

describe("a manifest of Calico", () => {
  it("is taken as kubectl prints it, with its routing fields kept", () => {
    const { name, spec } = put(KUBECTL) as PoolPut;
    expect(name).toBe("default-ipv4-ippool");
    expect(spec).toMatchObject({
      blockSize: 26,
      disabled: false,
      assignmentMode: "Automatic",
      allowedUses: ["Workload", "Tunnel"],
      nodeSelector: {
        text: "topology.kubernetes.io/zone in {'eu-west-1a', 'eu-west-1b'} && !has(gpu)",
      },
      routing: { ipipMode: "Always", natOutgoing: true, vxlanMode: "Never" },
    });
  });

  it("is taken in JSON, and of the CRD's own version", () => {
    const manifest = {
      apiVersion: "crd.projectcalico.org/v1",
      kind: "IPPool",
      metadata: { name: "default-ipv4-ippool" },
      spec: { cidr: "10.244.0.0/16" },
    };
    expect((put(manifest, {}) as PoolPut).spec).not.toHaveProperty("routing");
  });

  it.each(["v1\nkind: List", "projectcalico.org/v3\nkind: IPPoolList"])(
    "may come alone in a list of %s",
    (kind) => {
      const item = KUBECTL.replaceAll("\n", "\n  ");
      const list = `apiVersion: ${kind}\nmetadata: {}\nitems:\n- ${item}\n`;
      expect(put(list)).toMatchObject({ name: "default-ipv4-ippool", ignored: [] });
    },
  );

  it("of another name than the URL's is rejected", () => {
    const { code, fields } = problemIn(() =>
      put(KUBECTL.replace("name: default-ipv4-ippool", "name: x")),
    );
    expect(code).toBe("name_mismatch");
    expect(fields).toMatchObject([{ field: "metadata.name", value: "x" }]);
  });

  it("keeps whom its selectors choose", () => {
    const body = KUBECTL.replace("  - Tunnel\n", "").replace(
      "  natOutgoing",
      "  namespaceSelector: team == 'shop'\n  natOutgoing",
    );
    const { spec } = put(body) as PoolPut;
    expect(spec.namespaceSelector?.text).toBe("team == 'shop'");
  });

  it.each([
    ["another version", "projectcalico.org/v3", "v1", "apiVersion: must be projectcalico.org/v3"],
    [
      "another kind",
      "IPPool",
      "BGPPeer",
      "kind: must be IPPool, SpiderIPPool or SpiderSubnet, or a list with one",
    ],
    ["a field nobody knows", "blockSize", "blocksize", "spec.blocksize: is not a field here"],
    [
      "a field that only Plat knows",
      "blockSize: 26",
      "borrowing: forbidden",
      "spec.borrowing: is not",
    ],
    ["a CIDR that is none", "10.244.0.0/16", "10.244.0.1/16", "spec.cidr: has bits set below"],
    [
      "two encapsulations",
      "vxlanMode: Never",
      "vxlanMode: Always",
      "spec.vxlanMode: must be Never",
    ],
    [
      "a text as flag",
      "natOutgoing: true",
      'natOutgoing: "true"',
      "spec.natOutgoing: must be true",
    ],
    ["link-local addresses", "10.244.0.0/16", "169.254.0.0/16", "spec.cidr: overlaps 169.254.0.0"],
  ])("with %s is rejected by the field's name", (_, from, to, rejection) => {
    expect(rejectedFields(() => put(KUBECTL.replace(from, to)))).toEqual([
      expect.stringContaining(rejection),
    ]);
  });
});

describe("of several manifests", () => {
  const other = KUBECTL.replace("name: default-ipv4-ippool", "name: other").replace("244", "245");
  const named = (kind: string, name: string) =>
    `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n`;
  const listOf = (...items: readonly string[]) =>
    `apiVersion: v1\nkind: List\nitems:\n${items.map((item) => `- ${item.trimEnd().replaceAll("\n", "\n  ")}\n`).join("")}`;
  const documents = (...items: readonly string[]) => items.join("---\n");

  it.each([
    ["documents", documents],
    ["items of a list", listOf],
    ["lists", (...items: readonly string[]) => documents(...items.map((item) => listOf(item)))],
  ])("the pool of the URL's name is taken, and the others are named: as %s", (_, joined) => {
    const body = joined(named("ConfigMap", "cni"), other, KUBECTL, named("IPPool", "x"));
    const taken = put(body) as PoolPut;
    expect(taken.name).toBe("default-ipv4-ippool");
    expect(taken.ignored).toEqual(["ConfigMap cni", "IPPool other", "IPPool x"]);
  });

  it("what stands between two separators and says nothing is none", () => {
    expect(put(`---\n---\n# nothing\n---\n${KUBECTL}---\n`)).toMatchObject({ ignored: [] });
  });

  it("what has no name, or no kind, is named as such", () => {
    const taken = put(documents(KUBECTL, "kind: Secret\n", "a: 1\n", "[]\n")) as PoolPut;
    expect(taken.ignored).toEqual([
      "Secret without a name",
      "something without a name",
      "something without a name",
    ]);
  });

  it("the pool must be there once, and no more", () => {
    const problem = problemIn(() => put(documents(KUBECTL, other, KUBECTL)));
    expect(problem.code).toBe("invalid_request");
    expect(problem.fields).toMatchObject([
      { field: "metadata.name", problem: expect.stringContaining("is that of 2 IPPools") },
    ]);
  });

  it("the names of others are told when none has the URL's", () => {
    const problem = problemIn(() => put(documents(other, other.replace("other", "third"))));
    expect(problem.code).toBe("name_mismatch");
    expect(problem.fields[0]?.problem).toContain("the body has IPPool other, IPPool third");
  });

  it("what there is is told when none is a pool", () => {
    const refused = rejectedFields(() =>
      put(documents(named("BGPPeer", "a"), named("IPPool", "b"))),
    );
    expect(refused).toEqual([
      expect.stringContaining("kind: must be IPPool of projectcalico.org/v3 or crd.projectcalico"),
    ]);
    expect(refused[0]).toContain("the body has BGPPeer a, IPPool b");
  });

  it.each([
    ["that is empty", "kind: List\nitems: []", "items: has none"],
    ["without items", "kind: List", "items: is required, an array of manifests"],
    ["of another type", "kind: List\nitems: 7", "items: must be an array of manifests"],
    [
      "of more than two thousand",
      JSON.stringify({ kind: "List", items: Array(2_001).fill({}) }),
      "body: ",
    ],
    [
      "of more than one call takes arguments",
      JSON.stringify({ kind: "List", items: Array(200_000).fill(0) }),
      "body: has 200000 manifests and may have 2000",
    ],
  ])("a list %s is rejected", (_, body, rejection) => {
    const headers = body.startsWith("{") ? {} : YAML;
    expect(rejectedFields(() => put(body, headers))).toEqual([expect.stringContaining(rejection)]);
  });
});

describe("YAML", () => {
  const BOMB = `a: &a [x,x,x,x,x,x,x,x,x,x]
b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]
c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]
d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]
e: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]
`;

  it.each([
    ["whose aliases multiply", BOMB, "body: is not YAML: Excessive alias count"],
    [
      "of two documents that are no manifests",
      "a: 1\n---\nb: 2",
      "body: has 2 documents; send one",
    ],
    ["whose second document is broken", `${KUBECTL}---\na: [1`, "body: is not YAML: "],
    ["that is broken", "a: [1", "body: is not YAML: "],
    ["that is deep without end", "[".repeat(19_000), "body: is nested more than 32 levels deep"],
    // Its keys are written into keys: at 700 levels this took more than ten minutes.
    ["whose keys are deep", "? ".repeat(9_000), "body: is nested more than 32 levels deep"],
    // This one ended the process: the stack was gone where a regular expression was to be compiled.
    [
      "that is deep and ends",
      `${"[".repeat(9_000)}${"]".repeat(9_000)}`,
      "body: is nested more than 32 levels deep",
    ],
    ["of a lone text", "hello", "body: must be an object"],
  ])("%s is rejected", (_, body, rejection) => {
    expect(rejectedFields(() => put(body))).toEqual([expect.stringContaining(rejection)]);
  });

  it("of more than a manifest's size is rejected unread", () => {
    expect(problemIn(() => put(`# ${"x".repeat(100_000)}`)).code).toBe("payload_too_large");
  });
});
