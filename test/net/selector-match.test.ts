import { describe, expect, it } from "vitest";
import { matches } from "../../src/net/selector-match.ts";
import { selector } from "../builders.ts";

type Row = readonly [text: string, labels: Readonly<Record<string, string>>, result: boolean];

/** The answers of Calico. */
const ROWS: readonly Row[] = [
  ["", {}, true],
  ["\t", {}, true],
  ["all()", {}, true],
  ["!all()", { a: "b" }, false],
  ["global()", {}, true],

  ['a == "b"', { a: "b" }, true],
  ['a == "b"', {}, false],
  ['a == "b"', { a: "c" }, false],
  ["a == ''", {}, false],
  ["a == ''", { a: "" }, true],
  ['a == "X"', { a: "x" }, false],
  ['A == "x"', { a: "x" }, false],
  ['all == "1"', { all: "1" }, true],
  ['a != "b"', {}, true],
  ['a != "b"', { a: "b" }, false],

  ['a in {"a","b"}', { a: "b" }, true],
  ['a in {"a","b"}', { a: "c" }, false],
  ['a in {"a","b"}', {}, false],
  ['a in {"x",}', { a: "x" }, true],
  ["a in {}", { a: "x" }, false],
  ["a not in {}", {}, true],
  ['a not in {"c"}', {}, true],
  ['a not in {"c"}', { a: "e" }, true],
  ['a not in {"c"}', { a: "c" }, false],
  ['env notin{"prod"}', { env: "dev" }, true],
  ["in in {'x'}", { in: "x" }, true],

  ['a contains "a"', { a: "bab" }, true],
  ['a contains "a"', { a: "b" }, false],
  ['a contains ""', { a: "z" }, true],
  ['a contains ""', {}, false],
  ['contains contains "c"', { contains: "abc" }, true],
  ['a starts with "a"', { a: "abb" }, true],
  ['a starts with "a"', { a: "baa" }, false],
  ['a starts with ""', {}, false],
  ['a startswith"a"', { a: "abb" }, true],
  ['a ends with "a"', { a: "bba" }, true],
  ['a ends with "a"', { a: "aab" }, false],
  ['a ends with ""', {}, false],
  ['a ends\t with "a"', { a: "bba" }, true],
  ['a endswith"a"', { a: "bba" }, true],

  ["has(a)", { a: "" }, true],
  ["has(a)", {}, false],
  ["!has(a)", { b: "b" }, true],
  ["!!has(a)", { a: "x" }, true],
  ["!!!has(a)", { a: "b" }, false],

  ['a=="1" || b=="2" && c=="3"', { a: "1" }, true],
  ['a=="1" || b=="2" && c=="3"', { b: "2" }, false],
  ['(a=="1" || b=="2") && c=="3"', { a: "1" }, false],
  ['(a=="1" || b=="2") && c=="3"', { b: "2", c: "3" }, true],
  ['!a=="x" && b=="y"', { a: "z", b: "y" }, true],
  ['!a=="x" && b=="y"', { a: "z" }, false],
  ["!(has(b) || !has(a))", { a: "a" }, true],

  ['zone in {"us-east-1a","us-east-1b"} && !has(gpu)', { zone: "us-east-1a" }, true],
  ['zone in {"us-east-1a","us-east-1b"} && !has(gpu)', { zone: "us-east-1a", gpu: "1" }, false],
  [
    'topology.kubernetes.io/zone == "eu-west-1c"',
    { "topology.kubernetes.io/zone": "eu-west-1c" },
    true,
  ],
  [
    "environment == 'production' && tier == 'frontend'",
    { environment: "production", tier: "backend" },
    false,
  ],
];

describe("a selector", () => {
  it.each(ROWS)("%j of the labels %j: %s", (text, labels, result) => {
    expect(matches(selector(text), labels)).toBe(result);
  });

  it.each(["constructor", "toString", "hasOwnProperty", "__proto__"])(
    "takes %s for a label only where somebody set it",
    (label) => {
      const labelled = JSON.parse(`{"${label}": "x"}`);
      expect(matches(selector(`has(${label})`), {})).toBe(false);
      expect(matches(selector(`${label} != "x"`), {})).toBe(true);
      expect(matches(selector(`${label} contains ""`), {})).toBe(false);
      expect(matches(selector(`has(${label})`), labelled)).toBe(true);
      expect(matches(selector(`${label} == "x"`), labelled)).toBe(true);
    },
  );
});
