import { describe, expect, it } from "vitest";
import { ownersAt } from "../../../src/kernel/values/allocation.ts";
import { changedOwners, mismatchesOf } from "../../../src/kernel/values/owner.ts";

const A = { namespace: "shop", pod: "a" };
const B = { namespace: "shop", name: "b", node: "n1" };

describe("the owners of an address", () => {
  it("are, until they are changed, the attributes of its request", () => {
    const allocation = { attributes: A, owners: new Map([["10.0.0.2", { alternate: B }]]) };
    expect(ownersAt(allocation, "10.0.0.1")).toEqual({ active: A });
    expect(ownersAt(allocation, "10.0.0.2")).toEqual({ alternate: B });
    expect(ownersAt({ attributes: {}, owners: new Map() }, "10.0.0.1")).toEqual({});
  });

  it.each([
    ["set", { active: A }, { alternate: B }, { active: A, alternate: B }],
    ["cleared", { active: A, alternate: B }, { active: null }, { alternate: B }],
    [
      "swapped",
      { active: A, alternate: B },
      { active: B, alternate: A },
      { active: B, alternate: A },
    ],
    ["left alone", { active: A }, {}, { active: A }],
  ])("are %s side by side", (_, before, change, after) => {
    expect(changedOwners(before, change)).toEqual(after);
  });
});

describe("what is expected of a side", () => {
  const shopA = { namespace: "shop", name: "a" };
  const shopB = { namespace: "shop", name: "b" };
  it.each([
    ["who stands there, by its pod", { active: A }, { active: shopA }, []],
    ["who stands there, by its name", { active: B }, { active: shopB }, []],
    ["nobody, and nobody does", { active: A }, { alternate: null }, []],
    ["nothing", { active: A }, {}, []],
    [
      "nobody, and somebody does",
      { alternate: A },
      { alternate: null },
      [{ side: "alternate", expected: null, actual: shopA }],
    ],
    [
      "somebody, and nobody does",
      {},
      { alternate: shopA },
      [{ side: "alternate", expected: shopA, actual: null }],
    ],
    [
      "somebody, and somebody else does",
      { alternate: B },
      { alternate: shopA },
      [{ side: "alternate", expected: shopA, actual: shopB }],
    ],
    [
      "one of its name in another namespace",
      { active: { ...A, namespace: "till" } },
      { active: shopA },
      [{ side: "active", expected: shopA, actual: { namespace: "till", name: "a" } }],
    ],
  ])("is %s", (_, owners, expected, mismatches) => {
    expect(mismatchesOf(owners, expected)).toEqual(mismatches);
  });
});
