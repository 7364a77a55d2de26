import { describe, expect, it } from "vitest";
import { whyNeverAssigned, whyNoPool } from "../../src/net/special-ranges.ts";
import { address, network } from "../builders.ts";

const why = (cidr: string) => whyNoPool(network(cidr)) ?? "";

describe("no pool has", () => {
  it.each([
    ["0.0.0.0/8", '0.0.0.0/8 ("this network", RFC 791, section 3.2)'],
    ["0.1.2.0/24", '0.0.0.0/8 ("this network", RFC 791, section 3.2)'],
    ["127.0.0.0/16", "127.0.0.0/8 (loopback, RFC 1122, section 3.2.1.3)"],
    ["169.254.0.0/24", "169.254.0.0/16 (link-local, RFC 3927)"],
    ["239.0.0.0/8", "224.0.0.0/4 (multicast, RFC 5771)"],
    ["255.255.255.255/32", "255.255.255.255/32 (the limited broadcast address, RFC 919"],
    ["::/128", "::/128 (the unspecified address, RFC 4291"],
    ["::1/128", "::1/128 (the loopback address, RFC 4291"],
    ["fe80::/64", "fe80::/10 (link-local, RFC 4291"],
    ["ff02::/16", "ff00::/8 (multicast, RFC 4291"],
  ])("%s: it overlaps %s", (cidr, named) => {
    expect(why(cidr)).toContain(`overlaps ${named}`);
    expect(why(cidr)).toContain("a pool takes unicast addresses, such as ");
  });

  it.each([
    ["0.0.0.0/0", ["0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4"]],
    ["128.0.0.0/1", ["169.254.0.0/16", "224.0.0.0/4"]],
    ["224.0.0.0/3", ["224.0.0.0/4"]],
    ["::/0", ["::/128", "::1/128", "::ffff:0:0/96", "fe80::/10", "ff00::/8"]],
    ["::/127", ["::/128", "::1/128"]],
  ])("%s: a pool around such a range would assign its addresses too", (cidr, ranges) => {
    for (const range of ranges) expect(why(cidr)).toContain(`${range} (`);
  });

  it("IPv4-mapped addresses: it is written in IPv4", () => {
    expect(why("::ffff:10.0.0.0/112")).toMatch(
      /^overlaps ::ffff:0:0\/96 \(IPv4-mapped, RFC 4291, section 2\.5\.5\.2\).*; write it as 10\.0\.0\.0\/16$/,
    );
    expect(why("::ffff:127.0.0.0/104")).toContain("such as fd00:10::/48");
    expect(why("::fffe:0:0/95")).toContain("such as fd00:10::/48");
  });
});

it.each([
  ["1.0.0.0/8"],
  ["10.0.0.0/8"],
  ["100.64.0.0/10"],
  ["126.0.0.0/8"],
  ["128.0.0.0/8"],
  ["192.0.2.0/24"],
  ["223.0.0.0/8"],
  ["240.0.0.0/4"],
  ["255.255.255.254/31"],
  ["::2/127"],
  ["::1:0:0/96"],
  ["2001:db8::/32"],
  ["fc00::/7"],
  ["fec0::/10"],
])("a pool may have %s", (cidr) => {
  expect(whyNoPool(network(cidr))).toBeUndefined();
});

it("the limited broadcast address is never assigned, and it alone", () => {
  expect(whyNeverAssigned(address("255.255.255.255"))).toBe(
    "is the limited broadcast address (RFC 919, section 7), which is never assigned",
  );
  expect(whyNeverAssigned(address("255.255.255.254"))).toBeUndefined();
  expect(whyNeverAssigned(address("::ffff:255.255.255.255"))).toBeUndefined();
});
