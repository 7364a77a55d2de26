import fc from "fast-check";
import { expect, it } from "vitest";
import { same } from "../../src/base/same.ts";

it.each([
  [
    { a: 1, b: "x" },
    { b: "x", a: 1 },
  ],
  [{ a: undefined }, {}],
  [{ __proto__: null, a: [1n, { b: true }] }, { a: [1n, { b: true }] }],
  [[], []],
  [null, null],
])("%o is the same as %o", (one, other) => {
  expect(same(one, other)).toBe(true);
  expect(same(other, one)).toBe(true);
});

it.each([
  [{ a: 1 }, { a: 2 }],
  [{ a: 1 }, { a: 1, b: 1 }],
  [{ a: 1 }, { b: 1 }],
  [{ constructor: Object }, {}],
  [
    [1, 2],
    [2, 1],
  ],
  [[], {}],
  [{}, null],
  [undefined, {}],
  [1, 1n],
  ["1", 1],
])("%o is not the same as %o", (one, other) => {
  expect(same(one, other)).toBe(false);
  expect(same(other, one)).toBe(false);
});

it("any JSON is the same as its copy, whatever the order of its fields, and not as one with a field more", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const copy = Object.fromEntries(Object.entries(structuredClone(value)).toReversed());
      expect(same(value, copy)).toBe(true);
      expect(same(value, { ...copy, [`${Object.keys(copy).join()}+`]: 1 })).toBe(false);
    }),
  );
});
