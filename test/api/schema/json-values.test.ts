import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, it } from "vitest";
import { fromJson, toJson } from "../../../src/api/schema/json-values.ts";

const anyName = fc.oneof(
  fc.constantFrom("$map", "$set", "$bigint", "$bytes", "$", "$$map", "constructor"),
  fc.string(),
);

const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string(),
    fc.bigInt(),
    fc.uint8Array({ maxLength: 8 }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(anyName, tie("value"), { maxKeys: 4, noNullPrototype: true }),
    fc.array(fc.oneof(fc.string(), fc.bigInt()), { maxLength: 4 }).map((items) => new Set(items)),
    fc
      .array(fc.tuple(fc.oneof(fc.integer(), anyName), tie("value")), { maxLength: 4 })
      .map((entries) => new Map(entries)),
  ),
}));

it("any value comes back from its JSON as it was, also one that looks like ours", () => {
  fc.assert(
    fc.property(anyValue, (value) =>
      isDeepStrictEqual(fromJson(JSON.parse(JSON.stringify(toJson(value)))), value),
    ),
  );
});

it("what is absent stays absent", () => {
  expect(toJson({ host: undefined, cidr: "10.0.0.0/8" })).toEqual({ cidr: "10.0.0.0/8" });
  expect(JSON.stringify(toJson({ host: undefined }))).toBe("{}");
});

it("an attribute called like a tag is an attribute", () => {
  const attributes = { $map: "x", $bigint: "7" };
  expect(fromJson(toJson(attributes))).toEqual(attributes);
});
