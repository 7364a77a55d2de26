import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Cidr, cidrOf, formatCidr, parseCidr } from "../../src/net/cidr.ts";
import {
  addressId,
  addressNamed,
  hasCode,
  hasPoolCode,
  namedByAddressId,
  namedByPrefixId,
  prefixId,
  prefixOfBits,
  slugId,
  slugOfId,
  spaceCode,
} from "../../src/netbox/ids.ts";

const cidr = (text: string): Cidr => {
  const read = parseCidr(text);
  return read.ok ? read.value : expect.fail(read.problem);
};
const spaces = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}[a-z0-9]$/);
const V4 = cidr("0.0.0.0/0");
const V6 = cidr("2001:db8::/64");

describe("an id", () => {
  it("of an IPv4 address in the global table is its number", () => {
    expect(addressId("default", V4, { family: 4, value: 0x0a000007n })).toBe(0x0a000007);
  });

  it("leads back to the IPv4 address and to its space, and is a safe integer", () => {
    fc.assert(
      fc.property(spaces, fc.bigInt(0n, 2n ** 32n - 1n), (space, value) => {
        const id = Number(addressId(space, V4, { family: 4, value }));
        expect(Number.isSafeInteger(id)).toBe(true);
        const named = namedByAddressId(id);
        expect(hasCode(space, named)).toBe(true);
        expect(addressNamed(named)).toEqual({ family: 4, value });
      }),
    );
  });

  it("leads back to the IPv4 prefix, and differs for each length", () => {
    fc.assert(
      fc.property(
        spaces,
        fc.bigInt(0n, 2n ** 32n - 1n),
        fc.integer({ min: 0, max: 32 }),
        (space, value, length) => {
          const prefix = cidrOf({ family: 4, value }, length);
          const id = Number(prefixId(space, prefix, prefix));
          expect(Number.isSafeInteger(id)).toBe(true);
          const named = namedByPrefixId(id);
          expect(hasCode(space, named)).toBe(true);
          expect(named.family === 4 && prefixOfBits(named.rest)).toEqual(prefix);
        },
      ),
    );
  });

  it("leads back to the IPv6 address through its pool", () => {
    fc.assert(
      fc.property(spaces, fc.bigInt(0n, 2n ** 24n - 1n), (space, place) => {
        const address = { family: 6 as const, value: V6.base + place };
        const id = Number(addressId(space, V6, address));
        expect(Number.isSafeInteger(id)).toBe(true);
        const named = namedByAddressId(id);
        expect(hasCode(space, named)).toBe(true);
        expect(named.family === 6 && hasPoolCode(space, V6, named.poolCode)).toBe(true);
        expect(addressNamed(named, V6)).toEqual(address);
      }),
    );
  });

  it("does not exist for an IPv6 address beyond the first 2^24 of its pool", () => {
    const address = { family: 6 as const, value: V6.base + 2n ** 24n };
    expect(addressId("default", V6, address)).toBeUndefined();
  });

  it("of a pool of IPv6 differs from those of the prefixes in it", () => {
    const pool = cidr("2001:db8::/56");
    const ids = ["2001:db8::/56", "2001:db8::/64", "2001:db8:0:1::/64"].map((text) =>
      prefixId("blue", pool, cidr(text)),
    );
    expect(new Set(ids).size).toBe(3);
  });

  it("of no prefix leads to none", () => {
    expect(prefixOfBits(0n)).toBeUndefined();
    expect(prefixOfBits(2n ** 33n - 1n)).toEqual(cidr("255.255.255.255/32"));
  });
});

it("the code of a space has 19 bits, and that of default is 0", () => {
  expect(spaceCode("default")).toBe(0);
  fc.assert(
    fc.property(spaces, (space) => {
      expect(spaceCode(space)).toBeLessThan(2 ** 19);
      expect(spaceCode(space) === 0).toBe(space === "default");
    }),
  );
  expect(formatCidr(V6)).toBe("2001:db8::/64");
});

describe("the id of a slug", () => {
  it("leads back to a slug of at most 10 characters, and to no longer one", () => {
    const short = fc.stringMatching(/^[a-z0-9_-]{1,10}$/);
    fc.assert(
      fc.property(short, (slug) => {
        const id = slugId(slug);
        expect(Number.isSafeInteger(id)).toBe(true);
        expect(slugOfId(id)).toBe(slug);
      }),
    );
    fc.assert(
      fc.property(fc.string({ minLength: 11 }), (slug) => {
        const id = slugId(slug);
        expect(Number.isSafeInteger(id)).toBe(true);
        expect(slugOfId(id)).toBeUndefined();
      }),
    );
  });

  it("of no slug leads to none", () => {
    expect([0, -1, 1.5, Number.NaN, 2 ** 53].map(slugOfId)).toEqual(Array(5).fill(undefined));
  });
});
