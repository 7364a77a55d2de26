import { describe, expect, it } from "vitest";
import { orProblem, Problem } from "../../../../src/api/schema/problem.ts";
import { parseCiliumPodIpPool } from "../../../../src/nouns/cilium/contract/pod-ip-pool.ts";

const manifest = (spec: unknown, metadata: unknown = { name: "mars" }) => ({
  apiVersion: "cilium.io/v2alpha1",
  kind: "CiliumPodIPPool",
  metadata,
  spec,
});

const detailOf = (value: unknown) => {
  const problem = orProblem(() => parseCiliumPodIpPool(value));
  return problem instanceof Problem ? problem.detail : "none";
};

describe("a CiliumPodIPPool", () => {
  it("has networks of both families, each family with one length of its prefixes", () => {
    const spec = {
      ipv4: { cidrs: ["10.10.0.0/16", "10.20.0.0/16"], maskSize: 27 },
      ipv6: { cidrs: ["FD00:0::/104"], maskSize: 120 },
    };
    expect(parseCiliumPodIpPool(manifest(spec))).toEqual([
      { cidr: "10.10.0.0/16", maskSize: 27 },
      { cidr: "10.20.0.0/16", maskSize: 27 },
      { cidr: "fd00::/104", maskSize: 120 },
    ]);
  });

  it("can have no networks, and selectors that are the agent's", () => {
    expect(parseCiliumPodIpPool(manifest({ podSelector: { matchLabels: { a: "b" } } }))).toEqual(
      [],
    );
  });

  it("needs a mask, and networks of the right family that are written once", () => {
    expect(detailOf(manifest({ ipv4: { cidrs: ["10.10.0.0/16"] } }))).toContain(
      "spec.ipv4.maskSize",
    );
    expect(detailOf(manifest({ ipv4: { cidrs: ["fd00::/104"], maskSize: 24 } }))).toContain(
      "spec.ipv4.cidrs[0] must be a network of IPv4",
    );
    const twice = { cidrs: ["10.10.0.0/16", "10.10.0.0/16"], maskSize: 24 };
    expect(detailOf(manifest({ ipv4: twice }))).toContain("must have each network once");
    expect(detailOf(manifest({ ipv4: { cidrs: ["10.10.0.1/16"], maskSize: 24 } }))).toContain(
      "the network is 10.10.0.0/16",
    );
  });

  it("has no fields that would change its prefixes and that Plat does not know", () => {
    expect(detailOf(manifest({ reserved: [] }))).toContain("spec.reserved is not a field here");
  });

  it("has a name", () => {
    expect(detailOf(manifest({}, {}))).toContain("metadata.name");
  });
});
