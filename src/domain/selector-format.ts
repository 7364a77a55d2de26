import { SELECTOR_CHARACTERS_MAX } from "./limits.ts";
import type { Selector } from "./selector.ts";

/**
 * The one text of a selector, which reads back as the same selector: a blank around each operator, double quotes unless the
 * value has one, and only the parentheses that it needs. One that would be longer than a selector may be is written
 * without the blanks that it can do without: no text that it was read from had less, so it can always be read again.
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

/** In parentheses if it binds less than what it stands in. */
function operand(selector: Selector, looser: readonly Selector["kind"][], blank: " " | ""): string {
  const text = written(selector, blank);
  return looser.includes(selector.kind) ? `(${text})` : text;
}

/** No value has both kinds of quotes: a text could not say it. */
const quoted = (value: string): string => (value.includes('"') ? `'${value}'` : `"${value}"`);
