import type { Requirement, Selector } from "./selector.ts";

/**
 * Returns true if these labels match. As in Calico, values are compared exactly and by case, and a missing label
 * satisfies only `!=` and `not in`. A label is an own property: `constructor` is missing unless it was set.
 */
export function matches(selector: Selector, labels: Readonly<Record<string, string>>): boolean {
  switch (selector.kind) {
    case "!":
      return !matches(selector.of, labels);
    case "&&":
      return selector.of.every((one) => matches(one, labels));
    case "||":
      return selector.of.some((one) => matches(one, labels));
    case "all()":
    case "global()":
      return true;
    default:
      return holds(
        selector,
        Object.hasOwn(labels, selector.label) ? labels[selector.label] : undefined,
      );
  }
}

function holds(
  condition: Exclude<Requirement, { readonly kind: "all()" | "global()" }>,
  value: string | undefined,
): boolean {
  switch (condition.kind) {
    case "has()":
      return value !== undefined;
    case "==":
      return value === condition.value;
    case "!=":
      return value !== condition.value;
    case "contains":
      return value?.includes(condition.value) ?? false;
    case "starts with":
      return value?.startsWith(condition.value) ?? false;
    case "ends with":
      return value?.endsWith(condition.value) ?? false;
    case "in":
      return value !== undefined && condition.values.includes(value);
    case "not in":
      return value === undefined || !condition.values.includes(value);
  }
}
