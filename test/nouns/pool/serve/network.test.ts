import { describe, expect, it } from "vitest";
import { POOL_LABELS_MAX } from "../../../../src/nouns/pool/contract/request.ts";
import { type PoolPut, parsePoolPut } from "../../../../src/nouns/pool/serve/request.ts";
import { eventOf } from "../../../api/event.ts";
import { rejectedFields } from "../../../api/problem-of.ts";

const TOO_MANY = Object.fromEntries(
  Array.from({ length: POOL_LABELS_MAX + 1 }, (_, n) => [`label-${n}`, ""]),
);
const CIDR = { cidr: "10.0.0.0/24" };
const put = (body: object) =>
  parsePoolPut(eventOf("PUT", "/v1/pools/web", { body: { ...CIDR, ...body } }));
const spec = (body: object) => (put(body) as PoolPut).spec;

describe("the network of a pool", () => {
  it("is read with all its fields", () => {
    const { kind, prefixLength, domain, vlan, mtu, labels, dns, gateway } = spec({
      kind: "subnet",
      prefixLength: 22,
      gateway: "10.0.2.1",
      dns: ["10.0.0.53", "2001:db8::53"],
      domain: "example.org",
      vlan: 4094,
      mtu: 9000,
      labels: { zone: "a" },
    });
    expect({ kind, prefixLength, domain, vlan, mtu, labels }).toEqual({
      kind: "subnet",
      prefixLength: 22,
      domain: "example.org",
      vlan: 4094,
      mtu: 9000,
      labels: { zone: "a" },
    });
    expect(gateway).toEqual({ family: 4, value: 0x0a000201n });
    expect(dns).toHaveLength(2);
  });

  it("has no kind but subnet, and the fields that are empty, which keep out those of the pool around it", () => {
    const { kind, dns, labels, routes } = spec({ kind: "pods", dns: [], labels: {}, routes: [] });
    expect([kind, dns, labels, routes]).toEqual([undefined, [], {}, []]);
    expect(Object.keys(spec({}))).not.toContain("routes");
  });

  it("of a subnet may have its gateway among its addresses, with ranges and without", () => {
    expect(spec({ kind: "subnet", gateway: "10.0.0.1" }).gateway).toBeDefined();
    const ranged = { kind: "subnet", ranges: ["10.0.0.0/25"], gateway: "10.0.0.1" };
    expect(spec(ranged).gateway).toBeDefined();
  });

  it("in which each address is alone has a gateway anywhere, and one of IPv6 on the link", () => {
    expect(spec({ prefixLength: 32, gateway: "169.254.1.1" }).gateway).toBeDefined();
    expect(spec({ cidr: "2001:db8::/64", gateway: "fe80::1" }).gateway).toBeDefined();
  });

  it.each<[object, string]>([
    [{ kind: "vlan" }, "kind: must be pods or subnet"],
    [{ prefixLength: 0 }, "prefixLength: must be a whole number from 1 to 128"],
    [{ prefixLength: 25 }, "prefixLength: must be at most 24, because one network has all of cidr"],
    [{ prefixLength: 33 }, "or 32 if each address has a network of its own"],
    [{ kind: "subnet", prefixLength: 32 }, "prefixLength: must be at most 24"],
    [
      { prefixLength: 23, gateway: "10.0.2.1" },
      "gateway: is not inside of the network 10.0.0.0/23",
    ],
    [{ kind: "subnet", gateway: "10.0.0.0" }, "gateway: is no address that a router can have"],
    [{ kind: "subnet", gateway: "10.0.0.255" }, "gateway: is no address that a router can have"],
    [{ gateway: "2001:db8::1", prefixLength: 32 }, "gateway: is not inside of the network"],
    [
      { cidr: "10.0.0.1/32", kind: "subnet", blockSize: 32, gateway: "10.0.0.1" },
      "kind: leaves no address",
    ],
    [{ kind: "subnet", ranges: ["10.0.0.0"] }, "kind: leaves no address"],
    [{ dns: ["ns1.example.org"] }, "dns[0]: is not an IPv4 or IPv6 address"],
    [{ dns: ["10.0.0.53", "::ffff:10.0.0.53"] }, "dns: must have each address once"],
    [{ dns: Array(9).fill("10.0.0.53") }, "dns: must have at most 8 addresses"],
    [{ domain: "Example.org" }, "domain: must be a DNS name in lower case"],
    [{ vlan: 0 }, "vlan: must be a whole number from 1 to 4094"],
    [{ vlan: 4095 }, "vlan: must be a whole number from 1 to 4094"],
    [{ mtu: 67 }, "mtu: must be a whole number from 68 to 65535"],
    [{ cidr: "2001:db8::/64", mtu: 1279 }, "mtu: must be at least 1280 for IPv6"],
    [{ labels: { zone: "not a value" } }, "labels.zone: must be empty, or at most 63 letters"],
    [
      { routes: [{ dst: "192.168.0.0/16", gw: "10.0.4.1" }], prefixLength: 22 },
      "routes[0].gw: is not inside of the network 10.0.0.0/22",
    ],
    [{ labels: { a: "x".repeat(64) } }, "labels.a: must be empty, or at most 63"],
    [{ labels: TOO_MANY }, "labels: must have at most 32 entries"],
  ])("is rejected with %j", (wrong, problem) => {
    expect(rejectedFields(() => put(wrong))).toEqual([expect.stringContaining(problem)]);
  });

  it("is rejected by its kind, and is no manifest, if the kind is that of one", () => {
    expect(rejectedFields(() => put({ kind: "IPPool" }))).toEqual([
      expect.stringContaining("kind: must be pods or subnet"),
    ]);
  });

  it.each(["pods", "subnet"])("is no manifest without a cidr, if its kind is %s", (kind) => {
    expect(rejectedFields(() => put({ cidr: undefined, kind }))).toEqual([
      expect.stringContaining("cidr: is required"),
    ]);
  });

  it.each(["kind", "prefixLength", "dns", "domain", "vlan", "mtu"])(
    "is nothing for a pool of prefixes, so %s is rejected",
    (field) => {
      const values = { prefixLength: 16, dns: ["10.0.0.53"], domain: "a", vlan: 7, mtu: 1500 };
      const value = { kind: "pods", ...values }[field as "kind"];
      expect(rejectedFields(() => put({ assign: "prefixes", [field]: value }))).toEqual([
        expect.stringContaining(`${field}: must be absent beside assign prefixes`),
      ]);
    },
  );
});
