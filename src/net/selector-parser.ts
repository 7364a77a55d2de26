import { type Parsed, parsed, unreadable } from "./address.ts";
import {
  combined,
  distinctValues,
  EVERYTHING,
  negated,
  SELECTOR_CHARACTERS_MAX,
  SELECTOR_LABEL_CHARACTERS_MAX,
  type Selector,
} from "./selector.ts";
import type { Expected } from "./selector-problem.ts";
import { OPERATORS, type Operator, type Token, tokensOf } from "./selector-tokens.ts";

/**
 * Reads a selector of Calico's language; a blank text is `all()`.
 *
 *     expression = term { ( "&&" | "||" ) term }              "&&" binds tighter
 *     term       = { "!" } ( "(" expression ")" | "all()" | "global()" | "has(" label ")" | comparison )
 *     comparison = label ( "==" | "!=" | "contains" | "starts with" | "ends with" ) string
 *                | label ( "in" | "not in" ) "{" [ string { "," string } [ "," ] ] "}"
 *
 * `notin`, `startswith` and `endswith` are read too. Strings stand in either quotes and have no escapes. Spaces and tabs may
 * stand anywhere but before the parenthesis of a function; a line break nowhere, not even in a string.
 *
 * Only parentheses recurse, two calls each: at most some 2,000, less than half of what a stack of Node holds.
 *
 * @param tell returns a sentence about a mistake. A function that reads stored selectors has no room for `problemAt`.
 */
export function parseSelector(text: string, tell: Tell = plainly): Parsed<Selector> {
  if (text.length > SELECTOR_CHARACTERS_MAX)
    return unreadable(
      `has ${text.length} characters, more than the ${SELECTOR_CHARACTERS_MAX} that a selector may have`,
    );
  // The database would not return such a text unchanged.
  if (/\p{Cs}/u.test(text)) return unreadable("is not Unicode text: it has half a character");
  const cursor = { tokens: tokensOf(text), index: 0, tell };
  if (peek(cursor).kind === "end") return parsed(EVERYTHING);
  try {
    const selector = readExpression(cursor);
    take(cursor, "end", "&&, || or the end");
    return parsed(selector);
  } catch (error) {
    if (error instanceof Slip) return unreadable(error.message);
    throw error;
  }
}

/** Returns a sentence about a token that was found where another was expected, `about` a token before it. */
type Tell = (expected: Expected, found: Token, about?: Token) => string;

const plainly: Tell = (expected, { column }) => `expects ${expected} at column ${column}`;

/** The position in the tokens. The last token marks the end. */
interface Cursor {
  readonly tokens: readonly Token[];
  readonly tell: Tell;
  index: number;
}

/** The error that ends the parsing at the first mistake. */
class Slip extends Error {
  override readonly name = "Slip";
}

function readExpression(cursor: Cursor): Selector {
  const alternatives: Selector[] = [];
  do {
    const terms: Selector[] = [];
    do terms.push(readTerm(cursor));
    while (skip(cursor, "&&"));
    alternatives.push(combined("&&", terms));
  } while (skip(cursor, "||"));
  return combined("||", alternatives);
}

function readTerm(cursor: Cursor): Selector {
  let isNegated = false;
  while (skip(cursor, "!")) isNegated = !isNegated;
  const open = peek(cursor);
  if (!skip(cursor, "(")) {
    const condition = readCondition(cursor);
    return isNegated ? negated(condition) : condition;
  }
  const selector = readExpression(cursor);
  take(cursor, ")", "&&, || or )", open);
  return isNegated ? negated(selector) : selector;
}

function readCondition(cursor: Cursor): Selector {
  const first = peek(cursor);
  switch (first.kind) {
    case "all(":
    case "global(":
      cursor.index++;
      take(cursor, ")", ")");
      return { kind: `${first.kind})` };
    case "has(": {
      cursor.index++;
      const label = takeLabel(cursor, "a label");
      take(cursor, ")", ")");
      return { kind: "has()", label };
    }
    default:
      return readComparison(cursor);
  }
}

function readComparison(cursor: Cursor): Selector {
  const first = peek(cursor);
  const label = takeLabel(cursor, "a condition");
  const kind = takeOperator(cursor, first);
  if (kind === "in" || kind === "not in") return { kind, label, values: readSet(cursor) };
  return { kind, label, value: takeString(cursor, "a quoted string") };
}

function readSet(cursor: Cursor): readonly string[] {
  const open = take(cursor, "{", "a set");
  const values: string[] = [];
  while (!skip(cursor, "}")) {
    values.push(takeString(cursor, "a quoted string or }", open));
    if (peek(cursor).kind !== "}") take(cursor, ",", "a comma or }", open);
  }
  return distinctValues(values);
}

function takeLabel(cursor: Cursor, expected: Expected): string {
  const { text, column } = take(cursor, "label", expected);
  if (text.length <= SELECTOR_LABEL_CHARACTERS_MAX) return text;
  throw new Slip(
    `has a label of ${text.length} characters at column ${column}, more than the ${SELECTOR_LABEL_CHARACTERS_MAX} that one may have`,
  );
}

/** Reads the operator after a label, and returns its canonical spelling. */
function takeOperator(cursor: Cursor, label: Token): Operator {
  const [first, second] = cursor.tokens.slice(cursor.index);
  const two = OPERATORS.get(`${first?.text} ${second?.text}`);
  const one = first && OPERATORS.get(first.text);
  const operator = two ?? one;
  if (!operator) throw slip(cursor, "an operator", label);
  cursor.index += two ? 2 : 1;
  return operator;
}

function takeString(cursor: Cursor, expected: Expected, about?: Token): string {
  return take(cursor, "string", expected, about).text.slice(1, -1);
}

function take(cursor: Cursor, kind: Token["kind"], expected: Expected, about?: Token): Token {
  const token = peek(cursor);
  if (token.kind !== kind) throw slip(cursor, expected, about);
  cursor.index++;
  return token;
}

function skip(cursor: Cursor, kind: Token["kind"]): boolean {
  const isThere = peek(cursor).kind === kind;
  if (isThere) cursor.index++;
  return isThere;
}

const peek = ({ tokens, index }: Cursor): Token => tokens[index] as Token;

const slip = (cursor: Cursor, expected: Expected, about?: Token): Slip =>
  new Slip(cursor.tell(expected, peek(cursor), about));
