import type { Labels } from "./labels.ts";
import { combined, distinctValues, negated, type Selector } from "./selector.ts";

/**
 * Returns the selector that matches what a LabelSelector of Kubernetes matches. All its requirements must hold. As in
 * Kubernetes, an absent label satisfies only `NotIn` and `DoesNotExist`. Labels stand in the order of their keys, so that
 * two equal objects have one text.
 *
 * @param labelSelector one with at least one requirement
 * @see https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.33/#labelselector-v1-meta
 */
export function fromLabelSelector({ matchLabels, matchExpressions }: LabelSelector): Selector {
  const labels = Object.entries(matchLabels)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([label, value]): Selector => ({ kind: "==", label, value }));
  return combined("&&", [...labels, ...matchExpressions.map(fromExpression)]);
}

export interface LabelSelector {
  readonly matchLabels: Labels;
  readonly matchExpressions: readonly LabelExpression[];
}

/** A requirement. `In` and `NotIn` have values, the others have none. */
export interface LabelExpression {
  readonly key: string;
  readonly operator: (typeof LABEL_OPERATORS)[number];
  readonly values: readonly string[];
}

export const LABEL_OPERATORS = ["In", "NotIn", "Exists", "DoesNotExist"] as const;

function fromExpression({ key, operator, values }: LabelExpression): Selector {
  switch (operator) {
    case "In":
      return { kind: "in", label: key, values: distinctValues(values) };
    case "NotIn":
      return { kind: "not in", label: key, values: distinctValues(values) };
    case "Exists":
      return { kind: "has()", label: key };
    case "DoesNotExist":
      return negated({ kind: "has()", label: key });
  }
}
