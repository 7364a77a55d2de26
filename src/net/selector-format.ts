import { SELECTOR_CHARACTERS_MAX, type Selector } from "./selector.ts";

/**
 * Formats a selector as the one text that reads back as the same selector. It has a blank around each operator, double
 * quotes unless the value has one, and only the necessary parentheses. If that exceeds the maximum length of a
 * selector, it omits optional blanks. No text that parses to this selector is shorter, so the result can always be read
 * again.
 */
export function formatSelector(selector: Selector): string {
  const text = written(selector, " ");
  return text.length <= SELECTOR_CHARACTERS_MAX ? text : written(selector, "");
}

function written(selector: Selector, blank: " " | ""): string {
  switch (selector.kind) {
    case "all()":
    case "global()":
      return selector.kind;
    case "has()":
      return `has(${selector.label})`;
    case "==":
    case "!=":
      return `${selector.label}${blank}${selector.kind}${blank}${quoted(selector.value)}`;
    case "contains":
    case "starts with":
    case "ends with":
      return `${selector.label} ${selector.kind.replace(" ", blank)}${blank}${quoted(selector.value)}`;
    case "in":
    case "not in": {
      const values = selector.values.map(quoted).join(`,${blank}`);
      return `${selector.label} ${selector.kind.replace(" ", blank)}${blank}{${values}}`;
    }
    case "!":
      return `!${operand(selector.of, ["&&", "||"], blank)}`;
    case "&&":
      return selector.of
        .map((one) => operand(one, ["||"], blank))
        .join(`${blank}${selector.kind}${blank}`);
    case "||":
      return selector.of.map((one) => written(one, blank)).join(`${blank}${selector.kind}${blank}`);
  }
}

/** Formats an operand, in parentheses if it binds less than the expression around it. */
function operand(selector: Selector, looser: readonly Selector["kind"][], blank: " " | ""): string {
  const text = written(selector, blank);
  return looser.includes(selector.kind) ? `(${text})` : text;
}

/** Quotes a value. No value has both kinds of quotes, because no selector text can contain it. */
const quoted = (value: string): string => (value.includes('"') ? `'${value}'` : `"${value}"`);
