import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SELECTOR_CHARACTERS_MAX } from "../../src/net/selector.ts";
import { formatSelector } from "../../src/net/selector-format.ts";
import { matches } from "../../src/net/selector-match.ts";
import { selector } from "../builders.ts";

describe("the canonical text", () => {
  it.each([
    ["", "all()"],
    ["all( )", "all()"],
    ["global()", "global()"],
    ["has( a )", "has(a)"],
    ["a=='b'", 'a == "b"'],
    ["a!='\"b\"'", "a != '\"b\"'"],
    ["a in{'c',\"b\",'c',}", 'a in {"b", "c"}'],
    ["a notin{}", "a not in {}"],
    ["a contains'b'", 'a contains "b"'],
    ["a startswith'b'", 'a starts with "b"'],
    ["a ends\twith'b'", 'a ends with "b"'],
    ["!! !has(a)", "!has(a)"],
    ["!(has(a))", "!has(a)"],
    ["!(has(a)&&has(b))", "!(has(a) && has(b))"],
    ["((has(a)&&has(b)))||(has(c))", "has(a) && has(b) || has(c)"],
    ["has(a)&&(has(b)||has(c))", "has(a) && (has(b) || has(c))"],
    ["has(a)&&(has(b)&&has(c))", "has(a) && has(b) && has(c)"],
    ["(has(a)||has(b))||has(c)", "has(a) || has(b) || has(c)"],
  ])("of %j is %j", (text, canonical) => {
    expect(formatSelector(selector(text))).toBe(canonical);
  });

  it("goes without blanks where it would be too long with them", () => {
    const text = Array.from({ length: 33 }, () => '!(a==""||b notin{"x","y"})').join("&&");
    expect(text.length).toBeLessThanOrEqual(SELECTOR_CHARACTERS_MAX);
    expect(formatSelector(selector(text))).toBe(text);
    expect(formatSelector(selector(`a startswith""||b contains"x"&&${text}`))).toBe(
      `a startswith""||b contains"x"&&${text}`,
    );
  });

  it("reads back as the same selector, and is its own canonical text", () => {
    fc.assert(
      fc.property(anyMeant, ({ text }) => {
        const read = selector(text);
        const canonical = formatSelector(read);
        expect(selector(canonical)).toEqual(read);
        expect(formatSelector(selector(canonical))).toBe(canonical);
      }),
    );
  });

  it("matches whom the text it comes from was meant to match", () => {
    fc.assert(
      fc.property(anyMeant, anyLabels, ({ text, holds }, labels) => {
        const read = selector(text);
        const meant = holds(labels);
        const allocation = Object.fromEntries(labels);
        expect(matches(read, allocation)).toBe(meant);
        expect(matches(selector(formatSelector(read)), allocation)).toBe(meant);
      }),
    );
  });
});

type Labels = ReadonlyMap<string, string>;

/** A selector as somebody may write it, and what is meant: a second opinion that knows nothing of how selectors are kept. */
interface Meant {
  readonly text: string;
  readonly holds: (labels: Labels) => boolean;
}

const anyLabel = fc.constantFrom("a", "b", "in", "not", "has", "constructor", "__proto__");
const anyValue = fc.constantFrom("", "x", "y", "xy", "yxy", "X", "don't", '"', "ö😀");
const anyLabels = fc.array(fc.tuple(anyLabel, anyValue)).map((pairs) => new Map(pairs));
const blank = fc.constantFrom("", " ", "\t", "  ");

const anyQuoted = fc.tuple(anyValue, fc.boolean()).map(([value, isSingle]) => ({
  value,
  written: value.includes('"') || (isSingle && !value.includes("'")) ? `'${value}'` : `"${value}"`,
}));

const anySet = fc
  .tuple(fc.array(anyQuoted, { maxLength: 4 }), blank, fc.boolean())
  .map(([items, space, trails]) => ({
    values: items.map(({ value }) => value),
    written: `{${space}${items.map(({ written }) => written).join(`${space},`)}${trails && items.length > 0 ? "," : ""}}`,
  }));

const anyComparison: fc.Arbitrary<Meant> = fc
  .tuple(
    anyLabel,
    anyQuoted,
    blank,
    fc.constantFrom<readonly [string, (value: string | undefined, other: string) => boolean]>(
      ["==", (value, other) => value === other],
      ["!=", (value, other) => value !== other],
      [" contains", (value, other) => (value?.indexOf(other) ?? -1) >= 0],
      [" starts with", (value, other) => value?.slice(0, other.length) === other],
      [" startswith", (value, other) => value?.slice(0, other.length) === other],
      [" ends  with", (value, other) => value?.slice(value.length - other.length) === other],
      [" endswith", (value, other) => value?.slice(value.length - other.length) === other],
    ),
  )
  .map(([label, { value, written }, space, [operator, compare]]) => ({
    text: `${label}${space}${operator}${space}${written}`,
    holds: (labels) => compare(labels.get(label), value),
  }));

const anyMembership: fc.Arbitrary<Meant> = fc
  .tuple(anyLabel, anySet, blank, fc.constantFrom("in", "not in", "notin", "not\tin"))
  .map(([label, { values, written }, space, operator]) => ({
    text: `${label} ${operator}${space}${written}`,
    holds: (labels) => {
      const found = values.some((value) => value === labels.get(label));
      return operator === "in" ? found : !found;
    },
  }));

const anyPresence: fc.Arbitrary<Meant> = fc.tuple(anyLabel, blank).map(([label, space]) => ({
  text: `has(${space}${label}${space})`,
  holds: (labels) => labels.has(label),
}));

const joined = (
  operator: "&&" | "||",
  operand: fc.Arbitrary<Meant>,
  meaning: (truths: readonly boolean[]) => boolean,
): fc.Arbitrary<Meant> =>
  fc.tuple(fc.array(operand, { minLength: 1, maxLength: 3 }), blank).map(([operands, space]) => ({
    text: operands.map(({ text }) => text).join(`${space}${operator}${space}`),
    holds: (labels) => meaning(operands.map(({ holds }) => holds(labels))),
  }));

/** As the grammar says it, so that what binds tighter is tried without parentheses too. */
const { expression } = fc.letrec<{ expression: Meant; conjunction: Meant; term: Meant }>((tie) => ({
  expression: joined("||", tie("conjunction"), (truths) => truths.includes(true)),
  conjunction: joined("&&", tie("term"), (truths) => !truths.includes(false)),
  term: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("all()", "global()", "all( )").map((text) => ({ text, holds: () => true })),
    anyPresence,
    anyComparison,
    anyMembership,
    fc.tuple(tie("term"), blank).map(([{ text, holds }, space]) => ({
      text: `!${space}${text}`,
      holds: (labels: Labels) => !holds(labels),
    })),
    fc
      .tuple(tie("expression"), blank)
      .map(([{ text, holds }, space]) => ({ text: `(${space}${text}${space})`, holds })),
  ),
}));
const anyMeant = expression.filter(({ text }) => text.length <= SELECTOR_CHARACTERS_MAX);
