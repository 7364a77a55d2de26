import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fromLabelSelector,
  LABEL_OPERATORS,
  type LabelExpression,
  type LabelSelector,
} from "../../src/net/label-selector.ts";
import type { Labels } from "../../src/net/labels.ts";
import { formatSelector } from "../../src/net/selector-format.ts";
import { matches } from "../../src/net/selector-match.ts";
import { selector } from "../builders.ts";

const textOf = (matchLabels: Labels, ...matchExpressions: LabelExpression[]) =>
  formatSelector(fromLabelSelector({ matchLabels, matchExpressions }));

describe("the selector of a LabelSelector", () => {
  it("requires its labels, in the order of their keys", () => {
    expect(textOf({ zone: "west", "example.org/app": "web" })).toBe(
      'example.org/app == "web" && zone == "west"',
    );
  });

  it.each<[LabelExpression["operator"], string[], string]>([
    ["In", ["b", "a", "b"], 'zone in {"a", "b"}'],
    ["NotIn", ["a"], 'zone not in {"a"}'],
    ["Exists", [], "has(zone)"],
    ["DoesNotExist", [], "!has(zone)"],
  ])("has the operator %s", (operator, values, text) => {
    expect(textOf({}, { key: "zone", operator, values })).toBe(text);
  });

  it("requires every label and every expression", () => {
    const expression = { key: "gpu", operator: "DoesNotExist", values: [] } as const;
    expect(textOf({ zone: "west" }, expression, { ...expression, key: "arm" })).toBe(
      'zone == "west" && !has(gpu) && !has(arm)',
    );
  });

  it("matches what Kubernetes matches, an absent label included, and so does its text", () => {
    fc.assert(
      fc.property(anyLabelSelector, anyLabels, (labelSelector, labels) => {
        const converted = fromLabelSelector(labelSelector);
        const inKubernetes = matchesInKubernetes(labelSelector, labels);
        expect(matches(converted, labels)).toBe(inKubernetes);
        expect(matches(selector(formatSelector(converted)), labels)).toBe(inKubernetes);
        expect(selector(formatSelector(converted))).toEqual(converted);
      }),
    );
  });
});

/**
 * Evaluates the object itself.
 *
 * @see Requirement.Matches in https://github.com/kubernetes/apimachinery/blob/master/pkg/labels/selector.go
 */
function matchesInKubernetes(
  { matchLabels, matchExpressions }: LabelSelector,
  labels: Labels,
): boolean {
  const present = new Map(Object.entries(labels));
  const holds = ({ key, operator, values }: LabelExpression): boolean => {
    const value = present.get(key);
    if (operator === "Exists") return value !== undefined;
    if (operator === "DoesNotExist") return value === undefined;
    if (value === undefined) return operator === "NotIn";
    return values.includes(value) === (operator === "In");
  };
  return (
    Object.entries(matchLabels).every(([key, value]) => present.get(key) === value) &&
    matchExpressions.every(holds)
  );
}

// Words of the selector language are keys like others, and so is the name of a property that every object has.
const anyKey = fc.constantFrom("zone", "example.org/app", "in", "has", "all", "constructor");
const anyValue = fc.constantFrom("", "a", "b", "c-1");
const anyLabels = fc.dictionary(anyKey, anyValue);
const anyExpression = fc
  .tuple(
    anyKey,
    fc.constantFrom(...LABEL_OPERATORS),
    fc.array(anyValue, { minLength: 1, maxLength: 4 }),
  )
  .map(
    ([key, operator, values]): LabelExpression => ({
      key,
      operator,
      values: operator === "In" || operator === "NotIn" ? values : [],
    }),
  );
const anyLabelSelector = fc
  .record({
    matchLabels: fc.dictionary(anyKey, anyValue, { maxKeys: 2 }),
    matchExpressions: fc.array(anyExpression, { maxLength: 3 }),
  })
  .filter(
    ({ matchLabels, matchExpressions }) =>
      Object.keys(matchLabels).length + matchExpressions.length > 0,
  );
