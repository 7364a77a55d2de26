import { describe, expect, it } from "vitest";
import { formatAddress } from "../../../../src/net/address.ts";
import { formatSet } from "../../../../src/net/address-set.ts";
import { formatCidr } from "../../../../src/net/cidr.ts";
import { type PoolPut, parsePoolPut } from "../../../../src/nouns/pool/serve/request.ts";
import { eventOf } from "../../../api/event.ts";
import { problemIn, rejectedFields } from "../../../api/problem-of.ts";

const put = (body: unknown, type = "application/json") =>
  parsePoolPut(eventOf("PUT", "/v1/pools/subnet-40", { body, headers: { "content-type": type } }));

/** As `kubectl get spidersubnet subnet-40 -o yaml` prints it. */
const KUBECTL = `apiVersion: spiderpool.spidernet.io/v2beta1
kind: SpiderSubnet
metadata:
  creationTimestamp: "2026-03-11T08:12:45Z"
  finalizers:
  - spiderpool.spidernet.io
  generation: 1
  labels:
    ipam.spidernet.io/subnet-cidr: 172-22-40-0-24
  name: subnet-40
  resourceVersion: "1192"
  uid: 3f7f0f6e-8b0e-4f0b-a9a3-0d9c4f6b7f2a
spec:
  excludeIPs:
  - 172.22.40.10-172.22.40.20
  gateway: 172.22.40.1
  ipVersion: 4
  ips:
  - 172.22.40.2-172.22.40.254
  routes:
  - dst: 10.0.0.0/8
    gw: 172.22.40.1
  subnet: 172.22.40.0/24
  vlan: 0
status:
  allocatedIPCount: 3
  controlledIPPools: '{"auto4-web-eth0-1d2e3":{"ips":["172.22.40.2-172.22.40.4"]}}'
  totalIPCount: 242
`;

const manifest = (spec: object, more: object = {}) => ({
  apiVersion: "spiderpool.spidernet.io/v2beta1",
  kind: "SpiderSubnet",
  metadata: { name: "subnet-40" },
  spec: { subnet: "172.22.40.0/24", ips: ["172.22.40.2-172.22.40.254"], ...spec },
  ...more,
});

const specOf = (body: unknown, type?: string) => (put(body, type) as PoolPut).spec;

describe("a SpiderSubnet", () => {
  it("is a pool for applications, as kubectl prints it", () => {
    const {
      cidr,
      ranges = [],
      excludes = [],
      gateway,
      routes = [],
      ...rest
    } = specOf(KUBECTL, "application/yaml");
    expect(formatCidr(cidr)).toBe("172.22.40.0/24");
    expect(formatSet(ranges)).toEqual(["172.22.40.2-172.22.40.254"]);
    expect(formatSet(excludes)).toEqual(["172.22.40.10-172.22.40.20"]);
    expect(gateway && formatAddress(gateway)).toBe("172.22.40.1");
    expect(routes.map(({ dst, gw }) => [formatCidr(dst), formatAddress(gw)])).toEqual([
      ["10.0.0.0/8", "172.22.40.1"],
    ]);
    expect(rest).toEqual({
      blockSize: 26,
      disabled: false,
      assignmentMode: "Applications",
      allowedUses: ["Workload"],
      borrowing: "allowed",
    });
  });

  it("has no addresses if it names none", () => {
    expect(specOf(manifest({ ips: undefined })).ranges).toEqual([]);
  });

  it("has the name of the URL", () => {
    const { code, fields } = problemIn(() => put(manifest({}, { metadata: { name: "other" } })));
    expect(code).toBe("name_mismatch");
    expect(fields).toMatchObject([{ field: "metadata.name", value: "other" }]);
  });

  it("is found by its name among the pools inside of it", () => {
    const pool = {
      apiVersion: "spiderpool.spidernet.io/v2beta1",
      kind: "SpiderIPPool",
      metadata: { name: "red" },
      spec: { subnet: "172.22.40.0/24", ips: ["172.22.40.2"] },
    };
    expect(put({ apiVersion: "v1", kind: "List", items: [pool, manifest({})] })).toMatchObject({
      name: "subnet-40",
      spec: { assignmentMode: "Applications" },
      ignored: ["SpiderIPPool red"],
    });
  });

  it.each<[string, object, string]>([
    ["no subnet", manifest({ subnet: undefined }), "spec.subnet: is required"],
    ["a family that is not its own", manifest({ ipVersion: 6 }), "spec.ipVersion: must be 4, as"],
    ["addresses outside", manifest({ ips: ["10.0.0.1"] }), "spec.ips[0]: is not inside of"],
    [
      "excludes outside",
      manifest({ excludeIPs: ["10.0.0.1"] }),
      "spec.excludeIPs[0]: is not inside",
    ],
    ["its gateway among them", manifest({ gateway: "172.22.40.2" }), "spec.gateway: is an address"],
    [
      "a condition of a pool",
      manifest({ namespaceName: ["shop"] }),
      "spec.namespaceName: is not a field here",
    ],
    [
      "an unknown version",
      manifest({}, { apiVersion: "spiderpool.spidernet.io/v1" }),
      "apiVersion: must be spiderpool.spidernet.io/v2beta1",
    ],
  ])("with %s is rejected by the name of its field", (_, body, problem) => {
    expect(rejectedFields(() => put(body))).toContainEqual(expect.stringContaining(problem));
  });
});
