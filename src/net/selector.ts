/** Calico's maxima for a pool's selector, and for a label that it names. */
export const SELECTOR_CHARACTERS_MAX = 1_024;
export const SELECTOR_LABEL_CHARACTERS_MAX = 512;

/**
 * A selector of Calico's language: a condition on labels. Each kind has the name that the language uses.
 *
 * A parsed selector is normalized: sets are in order and without repetitions, nothing is negated twice, and neither
 * `&&` nor `||` is directly inside itself. So two texts that differ in nothing else give the same value.
 */
export type Selector = Requirement | Negation | Combination;

/** A condition on all labels, or on one. */
export type Requirement =
  | { readonly kind: "all()" | "global()" }
  | { readonly kind: "has()"; readonly label: string }
  | ValueComparison
  | SetComparison;

export interface ValueComparison {
  readonly kind: "==" | "!=" | "contains" | "starts with" | "ends with";
  readonly label: string;
  readonly value: string;
}

export interface SetComparison {
  readonly kind: "in" | "not in";
  readonly label: string;
  readonly values: readonly string[];
}

interface Negation {
  readonly kind: "!";
  readonly of: Selector;
}

export interface Combination {
  readonly kind: "&&" | "||";
  readonly of: readonly Selector[];
}

/** The meaning of an empty selector. */
export const EVERYTHING: Selector = { kind: "all()" };

/** Returns true if the selector contains `global()`. The language has it, but a pool's selector must not. */
export function usesGlobal(selector: Selector): boolean {
  switch (selector.kind) {
    case "!":
      return usesGlobal(selector.of);
    case "&&":
    case "||":
      return selector.of.some(usesGlobal);
    default:
      return selector.kind === "global()";
  }
}

export function negated(selector: Selector): Selector {
  return selector.kind === "!" ? selector.of : { kind: "!", of: selector };
}

/** Combines operands, and flattens nested ones of the same operator; returns a single operand unchanged. */
export function combined(kind: Combination["kind"], operands: readonly Selector[]): Selector {
  const of = operands.flatMap((one) => (one.kind === kind ? one.of : [one]));
  const [first] = of;
  return first && of.length === 1 ? first : { kind, of };
}

/** Returns the values of a set, each once, in the order of their UTF-16 code units. */
export const distinctValues = (values: readonly string[]): readonly string[] =>
  [...new Set(values)].sort();
