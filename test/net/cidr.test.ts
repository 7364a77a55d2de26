import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addressAt,
  cidrOf,
  contains,
  formatCidr,
  includes,
  intervalOf,
  ordinalOf,
  overlaps,
  parseCidr,
  parseInterval,
  sameCidr,
  sizeOf,
} from "../../src/net/cidr.ts";
import {
  address,
  anyAddress,
  anyCidr,
  BLOCKS_OF_EACH_SIZE,
  interval,
  network,
} from "../builders.ts";

const NO_CIDR = "is not a CIDR such as 10.0.0.0/16 or 2001:db8::/48";
const NO_RANGE = "is not a CIDR, an address or a range such as 10.0.0.1-10.0.0.9";

describe("a network", () => {
  it.each(["0.0.0.0/0", "10.0.0.0/16", "10.0.0.7/32", "::/0", "2001:db8::/48", "2001:db8::7/128"])(
    "%s is read and written back",
    (text) => {
      expect(formatCidr(network(text))).toBe(text);
    },
  );

  it("is the one its text was made from", () => {
    fc.assert(
      fc.property(anyCidr, (cidr) => {
        expect(parseCidr(formatCidr(cidr))).toEqual({ ok: true, value: cidr });
      }),
    );
  });

  it.each([
    { text: "10.0.0.0", problem: NO_CIDR },
    { text: "10.0.0.0/", problem: NO_CIDR },
    { text: "10.0.0.0/-1", problem: NO_CIDR },
    { text: "10.0.0.0/8/8", problem: NO_CIDR },
    { text: "10.0/16", problem: NO_CIDR },
    { text: "10.0.0.0/08", problem: "is not a CIDR such as 10.0.0.0/16 or 2001:db8::/48" },
    { text: "10.0.0.0/33", problem: "has a prefix longer than the 32 bits of IPv4" },
    { text: "2001:db8::/129", problem: "has a prefix longer than the 128 bits of IPv6" },
    {
      text: "10.0.0.7/16",
      problem: "has bits set below its prefix; the network is 10.0.0.0/16",
    },
    {
      text: "2001:db8::7/48",
      problem: "has bits set below its prefix; the network is 2001:db8::/48",
    },
  ])("written $text is rejected: it $problem", ({ text, problem }) => {
    expect(parseCidr(text)).toEqual({ ok: false, problem });
  });

  it("around an address contains it, whatever the prefix length", () => {
    fc.assert(
      fc.property(anyAddress, fc.nat(128), (address, bits) => {
        const prefix = address.family === 4 ? bits % 33 : bits;
        const cidr = cidrOf(address, prefix);
        expect(contains(cidr, address)).toBe(true);
        expect(parseCidr(formatCidr(cidr)).ok).toBe(true);
      }),
    );
  });

  it("ends where the next one begins", () => {
    const { first, last } = intervalOf(network("10.0.0.64/26"));
    expect([first, last]).toEqual([0x0a000040n, 0x0a00007fn]);
    expect(contains(network("10.0.0.64/26"), address("10.0.0.63"))).toBe(false);
    expect(contains(network("10.0.0.64/26"), address("10.0.0.128"))).toBe(false);
  });

  it("contains no address of the other family, even with the same number", () => {
    expect(contains(network("0.0.0.0/0"), address("::7"))).toBe(false);
    expect(contains(network("::/0"), address("0.0.0.7"))).toBe(false);
  });

  it.each([
    { a: "10.0.0.0/26", b: "10.0.0.0/26", same: true },
    { a: "10.0.0.0/26", b: "10.0.0.0/27", same: false },
    { a: "10.0.0.0/26", b: "10.0.0.64/26", same: false },
    { a: "::/26", b: "0.0.0.0/26", same: false },
  ])("$a is $b: $same", ({ a, b, same }) => {
    expect(sameCidr(network(a), network(b))).toBe(same);
  });
});

describe.each(BLOCKS_OF_EACH_SIZE)("$size", ({ cidr, capacity }) => {
  it(`has ${capacity} addresses, numbered from its base`, () => {
    expect(sizeOf(cidr)).toBe(BigInt(capacity));
    expect(addressAt(cidr, 0)).toEqual({ family: cidr.family, value: cidr.base });
    expect(contains(cidr, addressAt(cidr, capacity - 1))).toBe(true);
    expect(contains(cidr, addressAt(cidr, capacity))).toBe(false);
  });

  it("knows the ordinal of each of its addresses", () => {
    fc.assert(
      fc.property(fc.nat(capacity - 1), (ordinal) => {
        expect(ordinalOf(cidr, addressAt(cidr, ordinal))).toBe(ordinal);
      }),
      { examples: [[0], [capacity - 1]] },
    );
  });
});

describe("a range", () => {
  it.each([
    { text: "10.0.0.0/30", first: "10.0.0.0", last: "10.0.0.3" },
    { text: "10.0.0.7", first: "10.0.0.7", last: "10.0.0.7" },
    { text: "10.0.0.1-10.0.0.9", first: "10.0.0.1", last: "10.0.0.9" },
    { text: "10.0.0.1 - 10.0.0.1", first: "10.0.0.1", last: "10.0.0.1" },
    { text: "2001:db8::/126", first: "2001:db8::", last: "2001:db8::3" },
    { text: "2001:db8::7", first: "2001:db8::7", last: "2001:db8::7" },
    { text: "2001:db8::1-2001:db8::9", first: "2001:db8::1", last: "2001:db8::9" },
  ])("written $text goes from $first to $last", ({ text, first, last }) => {
    const { family, value } = address(first);
    expect(interval(text)).toEqual({ family, first: value, last: address(last).value });
  });

  it.each([
    { text: "10.0.0.9-10.0.0.1", problem: "is reversed: its first address is above its last" },
    { text: "::9-::1", problem: "is reversed: its first address is above its last" },
    { text: "10.0.0.1-::9", problem: "mixes IPv4 and IPv6" },
    { text: "10.0.0.7/16", problem: "has bits set below its prefix; the network is 10.0.0.0/16" },
    { text: "1.1.1.1-1.1.1.2-1.1.1.3", problem: NO_RANGE },
    { text: "10.0.0.1-", problem: NO_RANGE },
    { text: "routers", problem: NO_RANGE },
  ])("written $text is rejected: it $problem", ({ text, problem }) => {
    expect(parseInterval(text)).toEqual({ ok: false, problem });
  });

  it("overlaps another when they share an address, and includes it when they share all of its", () => {
    const small = fc
      .tuple(fc.nat(9), fc.nat(4), fc.constantFrom<4 | 6>(4, 6))
      .map(([first, more, family]) => ({
        family,
        first: BigInt(first),
        last: BigInt(first + more),
      }));
    fc.assert(
      fc.property(small, small, (a, b) => {
        const both = membersOf(a).filter((member) => membersOf(b).includes(member));
        expect(overlaps(a, b)).toBe(both.length > 0);
        expect(includes(a, b)).toBe(both.length === membersOf(b).length);
      }),
    );
  });
});

function membersOf({ family, first, last }: ReturnType<typeof interval>): string[] {
  return Array.from(
    { length: Number(last - first) + 1 },
    (_, i) => `${family} ${Number(first) + i}`,
  );
}
