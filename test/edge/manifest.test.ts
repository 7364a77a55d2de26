import { describe, expect, it } from "vitest";
import { type PoolRequest, readPoolPut } from "../../src/edge/pool-request.ts";
import { eventOf } from "./event.ts";
import { problemIn, refusedFields } from "./problem-of.ts";

const YAML = { "content-type": "application/yaml" };

const put = (body: unknown, headers: Record<string, string> = YAML) =>
  readPoolPut(eventOf("PUT", "/v1/pools/default-ipv4-ippool", { body, headers }));

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
  nodeSelector: all()
  vxlanMode: Never
status:
  conditions: []
`;

describe("a manifest of Calico", () => {
  it("is taken as kubectl prints it, with its routing fields kept", () => {
    const { name, spec } = put(KUBECTL) as PoolRequest;
    expect(name).toBe("default-ipv4-ippool");
    expect(spec).toMatchObject({
      blockSize: 26,
      disabled: false,
      assignmentMode: "Automatic",
      allowedUses: ["Workload", "Tunnel"],
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
    expect((put(manifest, {}) as PoolRequest).spec).not.toHaveProperty("routing");
  });

  it.each(["v1\nkind: List", "projectcalico.org/v3\nkind: IPPoolList"])(
    "may come alone in a list of %s",
    (kind) => {
      const item = KUBECTL.replaceAll("\n", "\n  ");
      const list = (items: number) =>
        `apiVersion: ${kind}\nmetadata: {}\nitems:\n${`- ${item}\n`.repeat(items)}`;
      expect(put(list(1))).toMatchObject({ name: "default-ipv4-ippool" });
      expect(refusedFields(put(list(2)))).toEqual(["items: has 2; PUT one pool at a time"]);
    },
  );

  it("of another name than the URL's is refused", () => {
    const { code, fields } = problemIn(
      put(KUBECTL.replace("name: default-ipv4-ippool", "name: x")),
    );
    expect(code).toBe("name_mismatch");
    expect(fields).toMatchObject([{ field: "metadata.name", value: "x" }]);
  });

  it("that selects nodes is refused, because its pool would serve the others as well", () => {
    const refused = refusedFields(put(KUBECTL.replace("all()", "zone == 'a'")));
    expect(refused).toEqual([
      expect.stringContaining('spec.nodeSelector: must be empty or "all()": selectors are not'),
    ]);
  });

  it.each([
    ["another version", "projectcalico.org/v3", "v1", "apiVersion: must be projectcalico.org/v3"],
    ["another kind", "IPPool", "BGPPeer", "kind: must be IPPool, or a list of one"],
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
  ])("with %s is refused by the field's name", (_, from, to, refusal) => {
    expect(refusedFields(put(KUBECTL.replace(from, to)))).toEqual([
      expect.stringContaining(refusal),
    ]);
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
    ["of two documents", `${KUBECTL}---\n${KUBECTL}`, "body: has 2 YAML documents; send one"],
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
  ])("%s is refused", (_, body, refusal) => {
    expect(refusedFields(put(body))).toEqual([expect.stringContaining(refusal)]);
  });

  it("of more than a manifest's size is refused unread", () => {
    expect(problemIn(put(`# ${"x".repeat(100_000)}`)).code).toBe("payload_too_large");
  });
});
