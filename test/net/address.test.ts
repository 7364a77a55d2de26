import { isIP } from "node:net";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { describe, expect, it } from "vitest";
import { formatAddress, parseAddress } from "../../src/net/address.ts";
import { address, anyAddress } from "../builders.ts";

describe("the text of an address", () => {
  it.each([
    { text: "0.0.0.0", family: 4, value: 0n },
    { text: "10.0.0.7", family: 4, value: 0x0a000007n },
    { text: "255.255.255.255", family: 4, value: 2n ** 32n - 1n },
    { text: "::", family: 6, value: 0n },
    { text: "2001:db8::7", family: 6, value: 0x20010db8000000000000000000000007n },
    { text: "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", family: 6, value: 2n ** 128n - 1n },
  ])("$text is a number of IPv$family", ({ text, family, value }) => {
    expect(parseAddress(text)).toEqual({ ok: true, value: { family, value } });
  });

  it.each([
    { text: "2001:DB8::7", same: "2001:db8::7", description: "upper case" },
    { text: "2001:0db8:0:0:0:0:0:0007", same: "2001:db8::7", description: "leading zeros" },
    { text: "::ffff:10.0.0.7", same: "::ffff:a00:7", description: "an IPv4 tail" },
    { text: "::10.0.0.7", same: "::a00:7", description: "an IPv4 tail alone" },
    {
      text: "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
      same: "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
      description: "the longest text there is",
    },
  ])("an IPv6 address may be written with $description", ({ text, same }) => {
    expect(formatAddress(address(text))).toBe(same);
  });

  it.each([
    { text: "", description: "nothing" },
    { text: "10.0.0", description: "three parts" },
    { text: "10.0.0.256", description: "a part above 255" },
    { text: "010.0.0.1", description: "a leading zero, which some read as octal" },
    { text: "::ffff:010.0.0.1", description: "a leading zero in an IPv4 tail" },
    { text: "0x0a.0.0.1", description: "a hexadecimal part" },
    { text: "167772161", description: "one decimal number" },
    { text: " 10.0.0.1", description: "a space" },
    { text: "10.0.0.1\n", description: "a line break" },
    { text: "10.0.0.0/8", description: "a prefix" },
    { text: "1:2:3:4:5:6:7", description: "seven groups" },
    { text: "1:2:3:4:5:6:7:8:9", description: "nine groups" },
    { text: "1::2::3", description: "two gaps" },
    { text: "1:2:3:4:5:6:7::8", description: "a gap for no group" },
    { text: ":1:2:3:4:5:6:7", description: "a colon before the first group" },
    { text: "1:2:3:4:5:6:7:", description: "a colon behind the last group" },
    { text: ":::", description: "three colons" },
    { text: "::1.2.3.4:5", description: "an IPv4 notation that is no tail" },
    { text: "1:2:3:4:5:6:7:1.2.3.4", description: "nine groups with an IPv4 tail" },
    { text: "1.2.3.4::", description: "an IPv4 notation before a gap" },
    { text: "12345::", description: "a group of five digits" },
    { text: "fe80::1%eth0", description: "a zone" },
    { text: "[::1]", description: "brackets" },
    { text: "node-1", description: "a name" },
  ])("with $description is rejected", ({ text }) => {
    expect(parseAddress(text)).toEqual({
      ok: false,
      problem: "is not an IPv4 or IPv6 address such as 10.0.0.7 or 2001:db8::7",
    });
  });

  it.each([
    { family: 4, value: 0x0a000007n, text: "10.0.0.7", rule: "four decimal parts" },
    { family: 6, value: 1n, text: "::1", rule: "the longest run of zeros is left out" },
    { family: 6, value: 0x1000000000000n, text: "::1:0:0:0", rule: "the first of two equal runs" },
    {
      family: 6,
      value: 0x00010000000200030004000500060007n,
      text: "1:0:2:3:4:5:6:7",
      rule: "a single zero group stays",
    },
    { family: 6, value: 0xabcdn << 112n, text: "abcd::", rule: "lower case" },
  ] as const)("is canonical (RFC 5952): $rule", ({ family, value, text }) => {
    expect(formatAddress({ family, value })).toBe(text);
  });

  it("names the address it was made from", () => {
    fc.assert(
      fc.property(anyAddress, (address) => {
        expect(parseAddress(formatAddress(address))).toEqual({ ok: true, value: address });
      }),
      {
        examples: [
          [{ family: 4, value: 0n }],
          [{ family: 4, value: 2n ** 32n - 1n }],
          [{ family: 6, value: 0n }],
          [{ family: 6, value: 2n ** 32n - 1n }],
          [{ family: 6, value: 2n ** 128n - 1n }],
        ],
      },
    );
  });

  it("is read and written as a library for addresses does", () => {
    const part = fc.oneof(
      fc.constantFrom("", "0", "00", "::", ":", "1.2.3.4", "256.0.0.1", "ffff", "g"),
      fc.nat(0x1ffff).map((group) => group.toString(16)),
    );
    const texts = fc.oneof(
      fc.array(part, { minLength: 1, maxLength: 9 }).map((parts) => parts.join(":")),
      fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(".")),
      anyAddress.map(formatAddress),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const read = parseAddress(text);
        expect(read.ok).toBe(isIP(text) !== 0);
        if (!read.ok) return;
        const { family, value } = read.value;
        // The library takes `::1.2.3.4` for an IPv4-mapped address (RFC 4291, section 2.2).
        const peer = ipaddr.parse(text.replace(/^::(?=\d+\.)/, "::0:"));
        expect(BigInt(`0x${Buffer.from(peer.toByteArray()).toString("hex")}`)).toBe(value);
        expect(formatAddress({ family, value })).toBe(
          peer instanceof ipaddr.IPv6 ? peer.toRFC5952String() : peer.toString(),
        );
      }),
      { examples: [["::ffff:1.2.3.4"], ["1:2:3:4:5:6:7::"], ["::2:3:4:5:6:7:8"]] },
    );
  });

  it("is the one that URLs have for it", () => {
    const group = fc.oneof(
      fc.constant("0"),
      fc.nat(0xffff).map((group) => group.toString(16)),
    );
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const text = groups.join(":");
        expect(`[${formatAddress(address(text))}]`).toBe(new URL(`http://[${text}]`).hostname);
      }),
    );
  });
});
