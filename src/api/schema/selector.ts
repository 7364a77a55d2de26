import * as v from "valibot";
import {
  fromLabelSelector,
  LABEL_OPERATORS,
  type LabelExpression,
} from "../../net/label-selector.ts";
import { SELECTOR_CHARACTERS_MAX, usesGlobal } from "../../net/selector.ts";
import { formatSelector } from "../../net/selector-format.ts";
import { parseSelector } from "../../net/selector-parser.ts";
import { problemAt } from "../../net/selector-problem.ts";
import type { PoolSelector } from "../../nouns/pool/pool.ts";
import { readable } from "./field.ts";
import { labelKey, labels, labelValue } from "./labels.ts";
import type { FieldProblem } from "./problem.ts";
import { fields, isRecord, list, rule } from "./schema.ts";

/** As many as the longest text of a selector can have: a requirement takes at least 8 characters, a value 4. */
const LABEL_SELECTOR_EXPRESSIONS_MAX = 128;
export const LABEL_SELECTOR_VALUES_MAX = 256;

/** A text, kept as written, beside its parsed value. */
const selectorText = v.pipe(
  readable(
    (text) => {
      const read = parseSelector(text, problemAt);
      return read.ok ? { ok: true, value: { text, selector: read.value } } : read;
    },
    {
      description: "A selector of Calico's language, over labels",
      examples: ["all()", 'zone == "west" && !has(gpu)'],
      maxLength: SELECTOR_CHARACTERS_MAX,
    },
  ),
  v.check(
    ({ selector }: PoolSelector) => !usesGlobal(selector),
    "must not contain global(), which selects objects without a namespace",
  ),
);

/** A requirement of a LabelSelector. */
export const labelExpression = v.pipe(
  fields({
    key: labelKey,
    operator: v.picklist(LABEL_OPERATORS, `must be one of ${LABEL_OPERATORS.join(", ")}`),
    values: v.optional(
      list(
        labelValue,
        { max: LABEL_SELECTOR_VALUES_MAX },
        {
          type: "must be an array of values of the label",
          max: `must have at most ${LABEL_SELECTOR_VALUES_MAX} values`,
        },
      ),
      [],
    ),
  }),
  rule((expression) => valuesProblem(expression)),
);

/** A LabelSelector of Kubernetes, as the selector with the same meaning and its text. */
export const labelSelector = v.pipe(
  fields({
    matchLabels: v.optional(labels, {}),
    matchExpressions: v.optional(
      list(
        labelExpression,
        { max: LABEL_SELECTOR_EXPRESSIONS_MAX },
        {
          type: "must be an array of requirements, each with key and operator",
          max: `must have at most ${LABEL_SELECTOR_EXPRESSIONS_MAX} requirements`,
        },
      ),
      [],
    ),
  }),
  // Kubernetes takes an empty selector for everything in some places, and for nothing in others.
  v.check(
    ({ matchLabels, matchExpressions }) =>
      Object.keys(matchLabels).length + matchExpressions.length > 0,
    "has no requirement; name a label in matchLabels or matchExpressions, or write all() to select everything",
  ),
  v.transform((read): PoolSelector => {
    const selector = fromLabelSelector(read);
    return { text: formatSelector(selector), selector };
  }),
  v.check(
    ({ text }) => text.length <= SELECTOR_CHARACTERS_MAX,
    ({ input: { text } }) =>
      `is a selector of ${text.length} characters, more than the ${SELECTOR_CHARACTERS_MAX} that one may have`,
  ),
);

/** A selector of a pool: a text, or a LabelSelector. */
export const selector = chosen();

/** Makes the union of both forms. Unlike valibot's own it has the messages of the form that the caller wrote. */
function chosen() {
  const schema = v.union([selectorText, labelSelector]);
  return {
    ...schema,
    "~run"(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
      const { value } = dataset;
      if (isRecord(value)) return labelSelector["~run"](dataset, config);
      if (typeof value === "string") return selectorText["~run"](dataset, config);
      v._addIssue(schema, "type", dataset, config, {
        message: "must be the text of a selector, or a LabelSelector",
      } as never);
      return dataset;
    },
  } as typeof schema;
}

function valuesProblem({ operator, values }: LabelExpression): readonly FieldProblem[] {
  const isWithValues = operator === "In" || operator === "NotIn";
  if (isWithValues === values.length > 0) return [];
  const problem = isWithValues
    ? `must have a value for the operator ${operator}`
    : `must be absent or empty for the operator ${operator}`;
  return [{ field: "values", value: `an array of ${values.length}`, problem }];
}
