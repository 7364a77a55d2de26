import { describe, expect, it } from "vitest";
import { formatAddress } from "../../../../src/net/address.ts";
import { formatSet } from "../../../../src/net/address-set.ts";
import { formatCidr } from "../../../../src/net/cidr.ts";
import { type PoolPut, parsePoolPut } from "../../../../src/nouns/pool/serve/request.ts";
import { eventOf } from "../../../api/event.ts";
import { problemIn, rejectedFields } from "../../../api/problem-of.ts";

const put = (body: unknown, type = "application/json") =>
  parsePoolPut(eventOf("PUT", "/v1/pools/master-172", { body, headers: { "content-type": type } }));

/** As `kubectl get spiderippool master-172 -o yaml` prints it. */
const KUBECTL = `apiVersion: spiderpool.spidernet.io/v2beta1
kind: SpiderIPPool
metadata:
  annotations:
    ipam.spidernet.io/ippool-cidr: 172-31-192-0-20
  creationTimestamp: "2026-03-11T08:12:45Z"
  finalizers:
  - spiderpool.spidernet.io
  generation: 1
  labels:
    ipam.spidernet.io/ippool-cidr: 172-31-192-0-20
  name: master-172
  resourceVersion: "1192"
  uid: 3f7f0f6e-8b0e-4f0b-a9a3-0d9c4f6b7f2a
spec:
  default: true
  disable: false
  excludeIPs:
  - 172.31.199.186-172.31.199.188
  - 172.31.199.207
  gateway: 172.31.207.253
  ipVersion: 4
  ips:
  - 172.31.199.180-172.31.199.189
  - 172.31.199.205-172.31.199.209
  subnet: 172.31.192.0/20
  vlan: 0
status:
  allocatedIPCount: 1
  allocatedIPs: '{"172.31.199.180":{"interface":"eth0","pod":"shop/web-0","podUid":"f2"}}'
  totalIPCount: 11
`;

const manifest = (spec: object, more: object = {}) => ({
  apiVersion: "spiderpool.spidernet.io/v2beta1",
  kind: "SpiderIPPool",
  metadata: { name: "master-172" },
  spec: { subnet: "172.31.192.0/20", ips: ["172.31.192.10-172.31.192.19"], ...spec },
  ...more,
});

const specOf = (body: unknown, type?: string) => (put(body, type) as PoolPut).spec;

describe("a SpiderIPPool", () => {
  it("is a pool with ranges, as kubectl prints it", () => {
    const {
      cidr,
      ranges = [],
      excludes = [],
      gateway,
      ...rest
    } = specOf(KUBECTL, "application/yaml");
    expect(formatCidr(cidr)).toBe("172.31.192.0/20");
    expect(formatSet(ranges)).toEqual([
      "172.31.199.180-172.31.199.189",
      "172.31.199.205-172.31.199.209",
    ]);
    expect(formatSet(excludes)).toEqual(["172.31.199.186-172.31.199.188", "172.31.199.207"]);
    expect(gateway && formatAddress(gateway)).toBe("172.31.207.253");
    expect(rest).toEqual({
      blockSize: 26,
      disabled: false,
      assignmentMode: "Automatic",
      allowedUses: ["Workload"],
      borrowing: "allowed",
    });
  });

  it("has the conditions of its affinities and names", () => {
    const conditions = {
      podAffinity: { matchLabels: { app: "web" } },
      nodeAffinity: { matchExpressions: [{ key: "zone", operator: "In", values: ["a", "b"] }] },
      nodeName: ["node-1"],
      namespaceAffinity: { matchExpressions: [{ key: "test", operator: "DoesNotExist" }] },
      namespaceName: ["shop"],
      multusName: ["kube-system/macvlan-100", "ovs"],
    };
    expect(specOf(manifest(conditions))).toMatchObject({
      podSelector: { text: 'app == "web"' },
      nodeSelector: { text: 'zone in {"a", "b"}' },
      nodeNames: ["node-1"],
      namespaceSelector: { text: "!has(test)" },
      namespaceNames: ["shop"],
      networks: ["kube-system/macvlan-100", "ovs"],
    });
  });

  it("has its routes", () => {
    const routes = [{ dst: "10.0.0.0/8", gw: "172.31.192.1" }];
    const [route] = specOf(manifest({ routes })).routes ?? [];
    expect(route && [formatCidr(route.dst), formatAddress(route.gw)]).toEqual([
      "10.0.0.0/8",
      "172.31.192.1",
    ]);
  });

  it("has its VLAN, and none if that is 0", () => {
    expect(specOf(manifest({ vlan: 7 })).vlan).toBe(7);
    expect(specOf(manifest({ vlan: 0 })).vlan).toBeUndefined();
  });

  it("serves only who names it, and is enabled, unless it says otherwise", () => {
    expect(specOf(manifest({}))).toMatchObject({ assignmentMode: "Manual", disabled: false });
    expect(specOf(manifest({ default: false }))).toMatchObject({ assignmentMode: "Manual" });
    expect(specOf(manifest({ disable: true }))).toMatchObject({ disabled: true });
  });

  it("has no addresses if it names none", () => {
    expect(specOf(manifest({ ips: undefined })).ranges).toEqual([]);
  });

  it("has the name of the URL", () => {
    const { code, fields } = problemIn(() => put(manifest({}, { metadata: { name: "other" } })));
    expect(code).toBe("name_mismatch");
    expect(fields).toMatchObject([{ field: "metadata.name", value: "other" }]);
  });

  it("is found by its name among manifests of both kinds", () => {
    const calico = {
      apiVersion: "projectcalico.org/v3",
      kind: "IPPool",
      metadata: { name: "default-ipv4" },
      spec: { cidr: "10.0.0.0/16" },
    };
    expect(put({ apiVersion: "v1", kind: "List", items: [calico, manifest({})] })).toMatchObject({
      name: "master-172",
      spec: { assignmentMode: "Manual" },
      ignored: ["IPPool default-ipv4"],
    });
  });

  it.each<[string, object, string]>([
    ["no subnet", manifest({ subnet: undefined }), "spec.subnet: is required"],
    ["bits below the prefix", manifest({ subnet: "172.31.192.1/20" }), "spec.subnet: has bits set"],
    ["a family that is not its own", manifest({ ipVersion: 6 }), "spec.ipVersion: must be 4, as"],
    ["addresses outside", manifest({ ips: ["10.0.0.1"] }), "spec.ips[0]: is not inside of"],
    [
      "a reversed range",
      manifest({ ips: ["172.31.192.9-172.31.192.1"] }),
      "spec.ips[0]: is reversed",
    ],
    [
      "excludes outside",
      manifest({ excludeIPs: ["10.0.0.1"] }),
      "spec.excludeIPs[0]: is not inside",
    ],
    [
      "its gateway among them",
      manifest({ gateway: "172.31.192.10" }),
      "spec.gateway: is an address",
    ],
    [
      "the default route",
      manifest({ routes: [{ dst: "0.0.0.0/0", gw: "172.31.192.1" }] }),
      "spec.routes[0].dst: must not be the default",
    ],
    ["an empty selector", manifest({ podAffinity: {} }), "spec.podAffinity: has no requirement"],
    [
      "an unknown operator",
      manifest({
        nodeAffinity: { matchExpressions: [{ key: "a", operator: "Gt", values: ["1"] }] },
      }),
      "spec.nodeAffinity.matchExpressions[0].operator: must be one of",
    ],
    [
      "a selector of Calico",
      manifest({ podAffinity: "has(app)" }),
      "spec.podAffinity: must be an object",
    ],
    ["an unknown field", manifest({ blockSize: 26 }), "spec.blockSize: is not a field here"],
    [
      "an unknown version",
      manifest({}, { apiVersion: "spiderpool.spidernet.io/v1" }),
      "apiVersion: must be spiderpool.spidernet.io/v2beta1",
    ],
    [
      "the kind of a reservation",
      manifest({}, { kind: "SpiderReservedIP" }),
      "kind: must be IPPool, SpiderIPPool or",
    ],
  ])("with %s is rejected by the name of its field", (_, body, problem) => {
    expect(rejectedFields(() => put(body))).toContainEqual(expect.stringContaining(problem));
  });
});
