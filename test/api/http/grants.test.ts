import { expect, it } from "vitest";
import { parseGrants } from "../../../src/api/http/authorized.ts";

it.each([
  ["reader", [{ role: "reader", space: "default" }]],
  ["caller@blue", [{ role: "caller", space: "blue" }]],
  ["operator@*", [{ role: "operator", space: "*" }]],
  [
    "reader@* caller@blue",
    [
      { role: "reader", space: "*" },
      { role: "caller", space: "blue" },
    ],
  ],
  [
    "[reader caller@blue]",
    [
      { role: "reader", space: "default" },
      { role: "caller", space: "blue" },
    ],
  ],
  [
    "reader,caller@blue",
    [
      { role: "reader", space: "default" },
      { role: "caller", space: "blue" },
    ],
  ],
])("%j grants %j", (text, grants) => {
  expect(parseGrants(text)).toEqual(grants);
});

it.each([
  "",
  "[]",
  "Operator",
  "operators@blue",
  "operator@",
  "operator@blue@red",
  "operator@**",
  "operator@Blue",
  "operator@blue/x",
  "@blue",
  "*",
  "operator@[*]",
  "constructor",
  "undefined",
  "null",
])("%j grants nothing", (text) => {
  expect(parseGrants(text)).toEqual([]);
});

it("a malformed entry takes nothing from the others", () => {
  expect(parseGrants("admin operator@BLUE reader@blue")).toEqual([
    { role: "reader", space: "blue" },
  ]);
});
