import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SELECTOR_CHARACTERS_MAX, SELECTOR_LABEL_CHARACTERS_MAX } from "../../src/net/selector.ts";
import { parseSelector } from "../../src/net/selector-parser.ts";
import { problemAt } from "../../src/net/selector-problem.ts";
import { selector } from "../builders.ts";

const CONDITION = 'expects a condition such as zone == "a" or has(zone)';
const OPERATOR = "expects an operator (==, !=, in, not in, contains, starts with or ends with)";
const STRING = "expects a quoted string";
const SET = 'expects a set such as {"a", "b"}';
const JOINED = "expects &&, || or the end";
const LABEL_HAS = "a label has only letters A-Z and a-z, digits and _ . / -";
const ONE_LINE = "a selector stands on one line";
const STRINGS_END = "a string ends on its line with the quote it begins with, and has no escapes";

type Row = readonly [text: string, problem: string];

/** Texts that Calico rejects, and the messages about them. */
const REFUSED: readonly Row[] = [
  ['a = "b"', `${OPERATOR} at column 3, found =; equality is written ==`],
  ['a === "b"', `${OPERATOR} at column 3, found ===; equality is written ==`],
  ["a == b", `${STRING} at column 6, found b; a value needs quotes: "b"`],
  ['"a" == "b"', `${CONDITION} at column 1, found "a"; a label stands without quotes`],
  ["has()", "expects a label at column 5, found )"],
  ["has(a", "expects ) at column 6, found the end"],
  ["has (a)", `${OPERATOR} at column 5, found (; no blank may stand between has and (`],
  ["all", `${OPERATOR} at column 4, found the end; write all()`],
  ["all ()", `${OPERATOR} at column 5, found (; no blank may stand between all and (`],
  ['a in "x"', `${SET} at column 6, found "x"; a set stands in braces`],
  ["a in {x}", `${STRING} or } at column 7, found x; a value needs quotes: "x"`],
  [
    'a in {"x"',
    "expects a comma or } at column 10, found the end; the { at column 6 is not closed",
  ],
  ['a in {"x" "y"}', 'expects a comma or } at column 11, found "y"'],
  ['a in {,"x"}', `${STRING} or } at column 7, found ,`],
  ['a starts "x"', `${OPERATOR} at column 3, found starts; write starts with`],
  [
    'a =~ "x"',
    `${OPERATOR} at column 3, found =~; there are no patterns, only contains, starts with and ends with`,
  ],
  ['a > "1"', `${OPERATOR} at column 3, found >; labels are compared by ==, != and in`],
  ["not has(a)", `${OPERATOR} at column 5, found has(; not is written !`],
  ["!", `${CONDITION} at column 2, found the end`],
  ["()", `${CONDITION} at column 2, found )`],
  ['(a=="b"', "expects &&, || or ) at column 8, found the end; the ( at column 1 is not closed"],
  ['a=="b")', `${JOINED} at column 7, found ); no ( is open`],
  ['a=="b" b=="c"', `${JOINED} at column 8, found b`],
  ['&& a=="b"', `${CONDITION} at column 1, found &&`],
  ['a=="b" &&', `${CONDITION} at column 10, found the end`],
  ['a=="b" & b=="c"', `${JOINED} at column 8, found &; and is written &&`],
  ['a=="b" | b=="c"', `${JOINED} at column 8, found |; or is written ||`],
  ['a=="b" and b=="c"', `${JOINED} at column 8, found and; and is written &&`],
  ['a=="b" &&\nb=="c"', `${CONDITION} at column 10, found a line break; ${ONE_LINE}`],
  ['a=="b"\r\n', `${JOINED} at column 7, found a line break; ${ONE_LINE}`],
  ['größe == "b"', `${OPERATOR} at column 3, found ö; ${LABEL_HAS}`],
  ['a%b == "c"', `${OPERATOR} at column 2, found %; ${LABEL_HAS}`],
  ['a == "b', `${STRING} at column 6, found a " that is not closed; ${STRINGS_END}`],
  [
    `${"a".repeat(513)} == "b"`,
    "has a label of 513 characters at column 1, more than the 512 that one may have",
  ],
];

/** Other slips, of people who think of another language or whose editor is too clever. */
const SLIPS: readonly Row[] = [
  ["zone", `${OPERATOR} at column 5, found the end; has(zone) asks whether a label is there`],
  ["a && has(b)", `${OPERATOR} at column 3, found &&; has(a) asks whether a label is there`],
  ["(a)", `${OPERATOR} at column 3, found ); has(a) asks whether a label is there`],
  ["has", `${OPERATOR} at column 4, found the end; write has(label)`],
  ["global && has(a)", `${OPERATOR} at column 8, found &&; write global()`],
  [
    "exists(a)",
    `${OPERATOR} at column 7, found (; the functions are all(), global() and has(label)`,
  ],
  ["not (has(a))", `${OPERATOR} at column 5, found (; not is written !`],
  ["has(a) OR has(b)", `${JOINED} at column 8, found OR; or is written ||`],
  ["(has(a) and has(b))", "expects &&, || or ) at column 9, found and; and is written &&"],
  ['and a == "b"', `${OPERATOR} at column 5, found a; and is written &&`],
  ['a not "b"', `${OPERATOR} at column 3, found not; write not in`],
  ['a NOT IN {"b"}', `${OPERATOR} at column 3, found NOT; write not in`],
  ['a IN {"b"}', `${OPERATOR} at column 3, found IN; write in`],
  ['a startsWith "b"', `${OPERATOR} at column 3, found startsWith; write starts with`],
  ['a !in {"b"}', `${OPERATOR} at column 3, found !; the negated operators are != and not in`],
  ['a !== "b"', `${OPERATOR} at column 3, found !==; inequality is written !=`],
  ['a constructor "b"', `${OPERATOR} at column 3, found constructor`],
  ['zone: "a"', `${OPERATOR} at column 5, found :; equality is written ==`],
  ["has(a) &&& has(b)", `${JOINED} at column 8, found &&&; and is written &&`],
  ["a == “b”", `${STRING} at column 6, found “; a string stands between straight quotes, " or '`],
  [
    'a\u00a0== "b"',
    `${OPERATOR} at column 2, found U+00A0; only spaces and tabs may stand between the parts`,
  ],
  ['a\u0000 == "b"', `${OPERATOR} at column 2, found U+0000; ${LABEL_HAS}`],
  ["a == 'b\nc'", `${STRING} at column 6, found a ' that is not closed; ${STRINGS_END}`],
  ['a == {"b"}', `${STRING} at column 6, found {; a set stands after in or not in`],
  ['a in ["b"]', `${SET} at column 6, found [; a set stands in braces`],
  ['a in {"b",', `${STRING} or } at column 11, found the end; the { at column 6 is not closed`],
  ['has("a")', 'expects a label at column 5, found "a"; a label stands without quotes'],
  ["has(😀)", `expects a label at column 5, found 😀; ${LABEL_HAS}`],
  ['a == "😀" b', `${JOINED} at column 10, found b`],
  [
    `a == ${"b".repeat(41)}`,
    `${STRING} at column 6, found ${"b".repeat(40)}…; a value needs quotes: "${"b".repeat(40)}…"`,
  ],
  ['a == "\ud83d"', "is not Unicode text: it has half a character"],
];

describe("a selector", () => {
  it.each([...REFUSED, ...SLIPS])("written %j is rejected: it %s", (text, problem) => {
    expect(parseSelector(text, problemAt)).toEqual({ ok: false, problem });
  });

  it("is rejected with the place alone where nobody put words to it", () => {
    const problem = "expects a set at column 6";
    expect(parseSelector("a in b")).toEqual({ ok: false, problem });
  });

  it.each([
    ["a not in {'y', \"x\",'y',}", { kind: "not in", label: "a", values: ["x", "y"] }],
    ["\ta\tnot \tin{}", { kind: "not in", label: "a", values: [] }],
    ["a startswith'x'", { kind: "starts with", label: "a", value: "x" }],
    ['not == "x"', { kind: "==", label: "not", value: "x" }],
    ['a == "don\'t"', { kind: "==", label: "a", value: "don't" }],
    ["a == '\"'", { kind: "==", label: "a", value: '"' }],
    ["-./_9 == 'ö\t😀'", { kind: "==", label: "-./_9", value: "ö\t😀" }],
    ["has( a )", { kind: "has()", label: "a" }],
    ["  ", { kind: "all()" }],
    ["((all( )))", { kind: "all()" }],
    ["! !(!!has(a))", { kind: "has()", label: "a" }],
    [
      "has(a)&&(has(b)&&!has(c))||all()",
      {
        kind: "||",
        of: [
          {
            kind: "&&",
            of: [
              { kind: "has()", label: "a" },
              { kind: "has()", label: "b" },
              { kind: "!", of: { kind: "has()", label: "c" } },
            ],
          },
          { kind: "all()" },
        ],
      },
    ],
  ])("written %j is read", (text, value) => {
    expect(parseSelector(text)).toEqual({ ok: true, value });
  });

  it("may name labels of up to 512 characters", () => {
    const label = "a".repeat(SELECTOR_LABEL_CHARACTERS_MAX);
    expect(selector(`has(${label})`)).toEqual({ kind: "has()", label });
    expect(parseSelector(`has(${label}a)`).ok).toBe(false);
  });

  it("may have up to 1024 characters", () => {
    const longest = "all()".padEnd(SELECTOR_CHARACTERS_MAX);
    expect(parseSelector(longest).ok).toBe(true);
    expect(parseSelector(`${longest} `)).toEqual({
      ok: false,
      problem: "has 1025 characters, more than the 1024 that a selector may have",
    });
  });

  it.each([
    ["parentheses", "(".repeat(509), ")".repeat(509)],
    ["negations", "!".repeat(1_018), ""],
    ["negated parentheses", "!(".repeat(338), ")".repeat(338)],
  ])("may nest as many %s as it has room for", (_, before, after) => {
    expect(selector(`${before}all()${after}`)).toEqual({ kind: "all()" });
    expect(parseSelector(before, problemAt)).toEqual({
      ok: false,
      problem: `${CONDITION} at column ${before.length + 1}, found the end`,
    });
  });

  it("is read or refused, whatever the text, and a rejection names a place in it", () => {
    const words = fc.constantFrom(
      ...["a", "not", "in", "starts", "with", "and", "has(", "has", "all(", "all()", "global()"],
      ...["==", "!=", "=", "!", "~", "&&", "&", "||", "|", "(", ")", "{", "}", ",", "<", ">"],
      ...['"', "'", '"x"', "''", " ", "\t", "\n", "\\", "ö", "😀", "\u2028", "constructor"],
    );
    const texts = fc.oneof(
      fc.array(words, { maxLength: 12 }).map((parts) => parts.join("")),
      fc.string({ unit: "grapheme" }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const result = parseSelector(text, problemAt);
        if (result.ok) return;
        const [, column] = /^expects .* at column (\d+), found /su.exec(result.problem) ?? [];
        expect(Number(column)).toBeGreaterThanOrEqual(1);
        expect(Number(column)).toBeLessThanOrEqual([...text].length + 1);
      }),
    );
  });
});
