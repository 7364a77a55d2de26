import type { SetComparison, ValueComparison } from "./selector.ts";

/**
 * The functions, each one token with its parenthesis, because `has` alone is a label like any
 * other.
 */
const CALLS = ["all(", "global(", "has("] as const;
const SIGNS = ["(", ")", "{", "}", ",", "==", "!=", "!", "&&", "||"] as const;
const SYMBOLS = [...CALLS, ...SIGNS];

/** A piece of a selector's text. */
export interface Token {
  /** `stray` is any piece that the language does not have. */
  readonly kind: (typeof SYMBOLS)[number] | "label" | "string" | "stray" | "end";
  /** The text of the token in the selector. */
  readonly text: string;
  /** The start of the token: the number of characters before it, plus one. */
  readonly column: number;
}

export type Operator = (ValueComparison | SetComparison)["kind"];

/** Operators after a label in every spelling, and their names in selectors. */
export const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ["==", "=="],
  ["!=", "!="],
  ["in", "in"],
  ["not in", "not in"],
  ["notin", "not in"],
  ["contains", "contains"],
  ["starts with", "starts with"],
  ["startswith", "starts with"],
  ["ends with", "ends with"],
  ["endswith", "ends with"],
]);

/**
 * Splits any text into tokens, without the blanks between them; the last one is the `end`. Words are labels here,
 * because only their place makes them operators. A mistake such as `===` is one token, so that a problem can name it.
 */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let column = 1;
  for (const { 0: piece, groups } of text.matchAll(PIECE)) {
    const { blank, label, string } = groups ?? {};
    const kind = label
      ? "label"
      : string
        ? "string"
        : (SYMBOLS.find((symbol) => symbol === piece) ?? "stray");
    if (!blank) tokens.push({ kind, text: piece, column });
    column += [...piece].length;
  }
  return [...tokens, { kind: "end", text: "", column }];
}

const PIECE = new RegExp(
  [
    /(?<blank>[ \t]+)/,
    /(?:all|global|has)\(/,
    /(?<label>[A-Za-z0-9_./-]+)/,
    /(?<string>"[^"\r\n]*"|'[^'\r\n]*')/,
    /[=!][=~]*|&+|\|+|[<>]+=?/,
    /\r?\n|./,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gsu",
);
