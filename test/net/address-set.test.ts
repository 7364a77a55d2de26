import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AddressSet,
  countOf,
  formatSet,
  includesAddress,
  networkAt,
  networksOfLength,
  sharedBy,
  subtract,
  unionOf,
} from "../../src/net/address-set.ts";
import { contains, formatCidr, type Interval, merged } from "../../src/net/cidr.ts";
import { interval, intervals } from "../builders.ts";

/** Sets within 16 addresses, which a test can enumerate. */
const SPAN = 16;
const small = fc
  .array(fc.tuple(fc.nat(SPAN - 1), fc.nat(SPAN - 1)), { maxLength: 5 })
  .map((pairs) =>
    merged(
      pairs.map(([a, b]): Interval => {
        const [first, last] = [BigInt(Math.min(a, b)), BigInt(Math.max(a, b))];
        return { family: 4, first, last };
      }),
    ),
  );
const expanded = (set: AddressSet): number[] =>
  Array.from({ length: SPAN }, (_, i) => i).filter((i) =>
    includesAddress(set, { family: 4, value: BigInt(i) }),
  );
/** Runs in order, none of which touches the next. */
const isTidy = (set: AddressSet): boolean =>
  set.every(({ first, last }, i) => {
    const next = set[i + 1];
    return first <= last && (!next || last + 1n < next.first);
  });

describe("a set of addresses", () => {
  it("has what one or the other set has after a union", () => {
    fc.assert(
      fc.property(small, small, (a, b) => {
        const both = unionOf(a, b);
        expect(isTidy(both)).toBe(true);
        expect(expanded(both)).toEqual(
          Array.from({ length: SPAN }, (_, i) => i).filter(
            (i) => expanded(a).includes(i) || expanded(b).includes(i),
          ),
        );
      }),
    );
  });

  it("has what only the first set has after a subtraction", () => {
    fc.assert(
      fc.property(small, small, small, (a, b, c) => {
        const left = subtract(a, b, c);
        expect(isTidy(left)).toBe(true);
        const gone = [...expanded(b), ...expanded(c)];
        expect(expanded(left)).toEqual(expanded(a).filter((i) => !gone.includes(i)));
      }),
    );
  });

  it("shares with another what both have", () => {
    fc.assert(
      fc.property(small, small, (a, b) => {
        const both = sharedBy(a, b);
        expect(isTidy(both)).toBe(true);
        expect(expanded(both)).toEqual(expanded(a).filter((i) => expanded(b).includes(i)));
      }),
    );
  });

  it("counts its addresses without enumerating them", () => {
    fc.assert(
      fc.property(small, (set) => {
        expect(countOf(set)).toBe(BigInt(expanded(set).length));
      }),
    );
    expect(countOf(intervals("2001:db8::/64"))).toBe(2n ** 64n);
  });

  it("is written as single addresses and ranges, which read as the same set", () => {
    const set = merged(intervals("10.0.0.9", "10.0.0.1-10.0.0.3", "10.0.0.4", "2001:db8::/127"));
    expect(formatSet(set)).toEqual(["10.0.0.1-10.0.0.4", "10.0.0.9", "2001:db8::-2001:db8::1"]);
    expect(formatSet(set).map(interval)).toEqual(set);
  });

  it("touches networks, counted by runs, each of which has an address of it", () => {
    fc.assert(
      fc.property(small, fc.integer({ min: 28, max: 32 }), (set, prefix) => {
        const networks = networksOfLength(set, prefix);
        const all = Array.from({ length: Number(networks.count) }, (_, k) =>
          networkAt(networks, BigInt(k)),
        );
        expect(new Set(all.map(formatCidr)).size).toBe(all.length);
        const of = (i: number) =>
          all.filter((each) => contains(each, { family: 4, value: BigInt(i) }));
        expect(expanded(set).every((i) => of(i).length === 1)).toBe(true);
        expect(
          all.every((each) =>
            expanded(set).some((i) => contains(each, { family: 4, value: BigInt(i) })),
          ),
        ).toBe(true);
        expect(() => networkAt(networks, networks.count)).toThrow(RangeError);
      }),
    );
  });
});
