import { describe, expect, it } from "vitest";
import { formatAddress } from "../../../src/net/address.ts";
import { formatSet } from "../../../src/net/address-set.ts";
import { inNetworks, networkFinder } from "../../../src/nouns/pool/application-pools.ts";
import { reservedBy } from "../../../src/nouns/pool/configuration.ts";
import { isBound, isReached, keptOutOf } from "../../../src/nouns/pool/network.ts";
import { address, intervals, network, poolWith } from "../../builders.ts";

const subnet = (cidr: string, more: object = {}) =>
  ({ cidr: network(cidr), kind: "subnet", ...more }) as const;

const keptOut = (pool: Parameters<typeof keptOutOf>[0]): readonly string[] =>
  keptOutOf(pool).map(({ family, first }) => formatAddress({ family, value: first }));

describe("a pool of a subnet keeps out of automatic assignment", () => {
  it.each<[string, string, readonly string[]]>([
    ["network and broadcast address", "10.0.0.0/24", ["10.0.0.0", "10.0.0.255"]],
    ["both of the smallest that has them", "10.0.0.4/30", ["10.0.0.4", "10.0.0.7"]],
    ["nothing of a /31 (RFC 3021)", "10.0.0.4/31", []],
    ["nothing of a /32", "10.0.0.4/32", []],
    ["the anycast address of IPv6 routers (RFC 4291)", "2001:db8::/64", ["2001:db8::"]],
    ["the anycast address of a small network", "2001:db8::8/126", ["2001:db8::8"]],
    ["nothing of a /127 (RFC 6164)", "2001:db8::8/127", []],
    ["nothing of a /128", "2001:db8::8/128", []],
  ])("%s", (_, cidr, expected) => {
    expect(keptOut(subnet(cidr))).toEqual(expected);
  });

  it("its gateway, and not one of another family or of the link", () => {
    expect(keptOut(subnet("10.0.0.0/31", { gateway: address("10.0.0.1") }))).toEqual(["10.0.0.1"]);
    const linkLocal = subnet("2001:db8::/64", { gateway: address("fe80::1") });
    expect(keptOut(linkLocal)).toEqual(["2001:db8::", "fe80::1"]);
  });

  it("the addresses of the network that it is a part of", () => {
    const half = subnet("10.0.0.128/25", { prefixLength: 24, gateway: address("10.0.0.1") });
    expect(keptOut(half)).toEqual(["10.0.0.0", "10.0.0.255", "10.0.0.1"]);
    expect(isBound(half, address("10.0.0.255"))).toBe(true);
    expect(isBound(half, address("10.0.0.128"))).toBe(false);
  });

  it("nothing if it is of pods", () => {
    expect(keptOut({ cidr: network("10.0.0.0/24"), gateway: address("10.0.0.1") })).toEqual([]);
  });

  it("beside the reservations of its space, in runs that do not touch", () => {
    const reserved = reservedBy(
      [{ intervals: intervals("10.0.0.1-10.0.0.9") }],
      [poolWith(subnet("10.0.0.0/24", { gateway: address("10.0.0.10") }))],
    );
    expect(formatSet(reserved)).toEqual(["10.0.0.0-10.0.0.10", "10.0.0.255", "255.255.255.255"]);
  });

  it("those of the network that it inherits", () => {
    const inner = poolWith({ ...subnet("10.0.0.0/24"), id: "inner", subnetId: "id", ranges: [] });
    const outer = poolWith({
      ...{ cidr: network("10.0.0.0/24"), id: "outer", subnetId: "id", ranges: [] },
      ...{ assignmentMode: "Applications", prefixLength: 16 },
    });
    expect(inNetworks([inner, outer]).flatMap(keptOut)).toEqual(["10.0.0.0", "10.0.255.255"]);
    expect(inNetworks([inner]).flatMap(keptOut)).toEqual(["10.0.0.0", "10.0.0.255"]);
  });
});

describe("a router is reached", () => {
  it.each<[string, string, object, boolean]>([
    ["10.0.0.1", "10.0.0.0/24", {}, true],
    ["10.0.1.1", "10.0.0.0/24", {}, false],
    ["10.0.1.1", "10.0.0.0/24", { prefixLength: 23 }, true],
    ["169.254.1.1", "10.0.0.0/24", {}, false],
    ["169.254.1.1", "10.0.0.0/24", { prefixLength: 32 }, true],
    ["2001:db8::1", "10.0.0.0/24", { prefixLength: 32 }, false],
    ["fe80::1", "2001:db8::/64", {}, true],
    ["2001:db8:1::1", "2001:db8::/64", {}, false],
    ["2001:db8:1::1", "2001:db8::/64", { prefixLength: 128 }, true],
  ])("%s from %s with %j: %s", (router, cidr, more, expected) => {
    expect(isReached({ cidr: network(cidr), ...more }, address(router))).toBe(expected);
  });
});

describe("an address has the network of its pool", () => {
  const CIDR = { cidr: network("10.0.0.0/24"), blockSize: 28, subnetId: "id" };
  const around = poolWith({
    ...CIDR,
    name: "around",
    id: "around",
    ranges: [],
    assignmentMode: "Applications",
    gateway: address("10.0.0.1"),
    mtu: 9000,
  });

  it("with the length of its cidr unless it says another", () => {
    const [pool, routed] = [
      poolWith(CIDR),
      poolWith({ ...CIDR, name: "routed", prefixLength: 32 }),
    ];
    expect(networkFinder([pool])("pool")).toEqual({ network: { prefixLength: 24 } });
    expect(networkFinder([pool, routed])("routed")).toEqual({ network: { prefixLength: 32 } });
  });

  it("and inherits from the Applications pool around it what it does not have itself", () => {
    const pool = poolWith({ ...CIDR, ranges: [], mtu: 1500, vlan: 7 });
    expect(networkFinder([around, pool])("pool").network).toEqual({
      prefixLength: 24,
      gateway: address("10.0.0.1"),
      mtu: 1500,
      vlan: 7,
    });
  });

  it("if the pool is known and assigns addresses", () => {
    expect(networkFinder([around])("gone")).toEqual({});
    expect(networkFinder([poolWith({ ...CIDR, assign: "prefixes" })])("pool")).toEqual({});
  });
});
