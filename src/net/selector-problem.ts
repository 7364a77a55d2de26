import { OPERATORS, type Token } from "./selector-tokens.ts";

/** The tokens that are possible at a place, with their names. */
const EXPECTED = {
  "a condition": 'a condition such as zone == "a" or has(zone)',
  "an operator": "an operator (==, !=, in, not in, contains, starts with or ends with)",
  "a label": "a label",
  "a quoted string": "a quoted string",
  "a quoted string or }": "a quoted string or }",
  "a comma or }": "a comma or }",
  "a set": 'a set such as {"a", "b"}',
  ")": ")",
  "&&, || or )": "&&, || or )",
  "&&, || or the end": "&&, || or the end",
} as const;

export type Expected = keyof typeof EXPECTED;

/**
 * Returns a sentence about a mistake, for `parseSelector`: what would be right, where, what is there instead, and advice if the mistake
 * is a known one.
 * `about` is the label before an operator, or the open bracket.
 */
export function problemAt(expected: Expected, found: Token, about?: Token): string {
  const advice = adviceOnSlip(found) ?? adviceOn(expected, found, about);
  return `expects ${EXPECTED[expected]} at column ${found.column}, found ${nameOf(found)}${advice ? `; ${advice}` : ""}`;
}

const TEXT_CHARACTERS_SHOWN = 40;

function nameOf({ kind, text }: Token): string {
  if (kind === "end") return "the end";
  if (/^[\r\n]/.test(text)) return "a line break";
  if (kind === "stray" && /^["']/.test(text)) return `a ${text} that is not closed`;
  if (kind === "stray" && /^[\p{C}\p{Z}]/u.test(text))
    return `U+${text.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
  return shown(text);
}

function shown(text: string): string {
  const characters = [...text];
  return characters.length > TEXT_CHARACTERS_SHOWN
    ? `${characters.slice(0, TEXT_CHARACTERS_SHOWN).join("")}…`
    : text;
}

/** Frequent mistakes from other languages. The first match applies. */
const SLIPS: readonly (readonly [RegExp, string])[] = [
  [/^[\r\n]/, "a selector stands on one line"],
  [/^["']/, "a string ends on its line with the quote it begins with, and has no escapes"],
  // Curly and angled quotes. Escapes keep the bundles in ASCII, which Node.js loads faster.
  [
    /^[\u201c\u201d\u201e\u2018\u2019`\u00ab\u00bb]/,
    "a string stands between straight quotes, \" or '",
  ],
  [/^\p{Z}/u, "only spaces and tabs may stand between the parts"],
  [/~/, "there are no patterns, only contains, starts with and ends with"],
  [/^[=:]/, "equality is written =="],
  [/^!=/, "inequality is written !="],
  [/^[<>]/, "labels are compared by ==, != and in"],
  [/^&/, "and is written &&"],
  [/^\|/, "or is written ||"],
];

function adviceOnSlip({ kind, text }: Token): string | undefined {
  return kind === "stray" ? SLIPS.find(([slip]) => slip.test(text))?.[1] : undefined;
}

/** Words of other languages, which are labels here. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ["and", "and is written &&"],
  ["or", "or is written ||"],
  ["not", "not is written !"],
]);

const FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ["all", "all()"],
  ["global", "global()"],
  ["has", "has(label)"],
]);

function adviceOn(expected: Expected, found: Token, about?: Token): string | undefined {
  switch (expected) {
    case "a condition":
    case "a label":
      return found.kind === "string" ? "a label stands without quotes" : adviceOnCharacter(found);
    case "an operator":
      return about && adviceOnOperator(about, found);
    case "a quoted string":
    case "a quoted string or }":
      if (found.kind === "label") return `a value needs quotes: "${shown(found.text)}"`;
      if (found.kind === "{") return "a set stands after in or not in";
      return adviceOnOpen(found, about);
    case "a set":
      return "a set stands in braces";
    case "a comma or }":
      return adviceOnOpen(found, about);
    case "&&, || or )":
      return adviceOnOpen(found, about) ?? WORDS.get(found.text.toLowerCase());
    case "&&, || or the end":
      return found.kind === ")" ? "no ( is open" : WORDS.get(found.text.toLowerCase());
    case ")":
      return undefined;
    default:
      return expected satisfies never;
  }
}

function adviceOnOperator(label: Token, found: Token): string | undefined {
  const word = found.text.toLowerCase();
  const meant = [...OPERATORS].find(([spelling]) => `${spelling} `.startsWith(`${word} `))?.[1];
  if (meant) return `write ${meant}`;
  const other = WORDS.get(label.text.toLowerCase()) ?? WORDS.get(word);
  if (other) return other;
  const called = FUNCTIONS.get(label.text);
  switch (found.kind) {
    case "(":
      return called
        ? `no blank may stand between ${label.text} and (`
        : "the functions are all(), global() and has(label)";
    case "end":
    case ")":
    case "&&":
    case "||":
      return called ? `write ${called}` : `has(${shown(label.text)}) asks whether a label is there`;
    case "!":
      return "the negated operators are != and not in";
    default:
      return adviceOnCharacter(found);
  }
}

function adviceOnOpen({ kind }: Token, open?: Token): string | undefined {
  return kind === "end" && open
    ? `the ${open.text} at column ${open.column} is not closed`
    : undefined;
}

function adviceOnCharacter({ kind }: Token): string | undefined {
  return kind === "stray" ? "a label has only letters A-Z and a-z, digits and _ . / -" : undefined;
}
