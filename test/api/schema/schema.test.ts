import * as v from "valibot";
import { expect, it } from "vitest";
import { address, cidr, idempotencyKey, text, wholeText } from "../../../src/api/schema/field.ts";
import { checked, fields } from "../../../src/api/schema/schema.ts";
import { problemIn } from "../problem-of.ts";

const problemsOf = (schema: v.GenericSchema, value: unknown) =>
  problemIn(() => checked(schema, value)).fields;

const never = <T>() => v.check<T, string>(() => false, "must be another one");

it.each([
  ["an address", v.pipe(address, never()), "10.0.0.7"],
  ["a network", v.pipe(cidr, never()), "10.0.0.0/24"],
  ["a number in a query", wholeText(1, 9), "10"],
  ["a key in quotes", v.pipe(idempotencyKey, never()), '"a\\"b"'],
])("the problem of %s shows the text that was received", (_what, schema, value) => {
  expect(problemsOf(schema, value)).toMatchObject([{ field: "body", value }]);
  expect(problemsOf(fields({ one: v.array(schema) }), { one: [value] })).toMatchObject([
    { field: "one[0]", value },
  ]);
});

it("a problem of a name shows the name", () => {
  const texts = v.record(v.pipe(text, v.maxLength(2, "must be short")), text, "must be an object");
  expect(problemsOf(texts, { long: "x" })).toEqual([
    { field: "long", value: "long", problem: "must be short" },
  ]);
});

it("a schema without words of its own demands its type in Plat's", () => {
  expect(problemsOf(v.object({ one: v.string() }), { one: 1 })).toEqual([
    { field: "one", value: 1, problem: "must be of type string" },
  ]);
});

it.each([
  ["fields", fields({ one: fields({ two: text }) })],
  [
    "a loose object with a message",
    v.looseObject({ one: v.looseObject({ two: text }, "must be X") }, "must be X"),
  ],
  ["an object without a message", v.object({ one: v.object({ two: text }) })],
])("a missing field of %s is told as missing, at each depth", (_what, schema) => {
  expect(problemsOf(schema, {})).toEqual([{ field: "one", problem: "is required" }]);
  expect(problemsOf(schema, { one: {} })).toEqual([{ field: "one.two", problem: "is required" }]);
});
