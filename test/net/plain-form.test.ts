import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatAddress } from "../../src/net/address.ts";
import { formatCidr, intervalOf } from "../../src/net/cidr.ts";
import { parsePlainAddress, parsePlainCidr, parsePlainInterval } from "../../src/net/plain-form.ts";
import { address, anyAddress, interval, network } from "../builders.ts";

describe("an IPv4-mapped IPv6 address stands for its IPv4 address", () => {
  it.each([
    ["::ffff:10.0.0.7", "10.0.0.7"],
    ["::FFFF:a00:7", "10.0.0.7"],
    ["0:0:0:0:0:ffff:ffff:ffff", "255.255.255.255"],
    ["::ffff:0.0.0.0", "0.0.0.0"],
  ])("as in %s", (text, plain) => {
    expect(parsePlainAddress(text)).toEqual({ ok: true, value: address(plain) });
  });

  it("whichever it is", () => {
    fc.assert(
      fc.property(
        anyAddress.filter(({ family }) => family === 4),
        (plain) => {
          expect(parsePlainAddress(`::ffff:${formatAddress(plain)}`)).toEqual({
            ok: true,
            value: plain,
          });
        },
      ),
    );
  });

  it.each([
    ["::ffff:10.0.0.0/112", "10.0.0.0/16"],
    ["::ffff:0:0/96", "0.0.0.0/0"],
    ["::ffff:10.0.0.7/128", "10.0.0.7/32"],
  ])("and so does a CIDR of them, as %s", (text, plain) => {
    expect(parsePlainCidr(text)).toEqual({ ok: true, value: network(plain) });
  });

  it.each([
    ["::ffff:10.0.0.0/112", "10.0.0.0/16"],
    ["::ffff:10.0.0.7", "10.0.0.7"],
    ["::ffff:10.0.0.1 - ::ffff:10.0.0.9", "10.0.0.1-10.0.0.9"],
    ["10.0.0.1-::ffff:10.0.0.9", "10.0.0.1-10.0.0.9"],
  ])("and a range, whose text follows: %s", (text, plain) => {
    const value = { text: plain, interval: interval(plain) };
    expect(parsePlainInterval(text)).toEqual({ ok: true, value });
  });
});

describe("any other text means what it says", () => {
  it.each(["10.0.0.7", "::1", "2001:db8::7", "::fffe:10.0.0.7", "::10.0.0.7", "::1:ffff:a00:7"])(
    "address %s",
    (text) => {
      expect(parsePlainAddress(text)).toEqual({ ok: true, value: address(text) });
    },
  );

  it.each(["10.0.0.0/16", "2001:db8::/48", "::/64", "::fffe:0:0/95"])("CIDR %s", (text) => {
    const cidr = network(text);
    expect(parsePlainCidr(text)).toEqual({ ok: true, value: cidr });
    const value = { text: formatCidr(cidr), interval: intervalOf(cidr) };
    expect(parsePlainInterval(text)).toEqual({ ok: true, value });
  });

  it("a range, which keeps its text but for blanks", () => {
    const value = {
      text: "2001:DB8::1-2001:DB8::9",
      interval: interval("2001:db8::1-2001:db8::9"),
    };
    expect(parsePlainInterval("2001:DB8::1 - 2001:DB8::9")).toEqual({ ok: true, value });
  });

  it("and what cannot be read is told as it was", () => {
    expect(parsePlainAddress("::ffff:10.0.0")).toMatchObject({ ok: false });
    expect(parsePlainCidr("::ffff:10.0.0.1/112")).toMatchObject({ ok: false });
    expect(parsePlainInterval("10.0.0.9-::ffff:10.0.0.1")).toMatchObject({
      ok: false,
      problem: expect.stringContaining("is reversed"),
    });
  });
});
