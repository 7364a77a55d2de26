import * as v from "valibot";
import { LABELS_MAX, NAME_CHARACTERS_MAX } from "../../base/limits.ts";
import { textMap } from "./attributes.ts";
import { resourceName, text } from "./field.ts";

/**
 * Characters of keys and values together, ASCII. Plat reads labels together with the affinities of their host, 4 KB a
 * unit. Their item has 17 KB at most.
 */
export const LABELS_CHARACTERS_MAX = 16_000;
/** The name of a label after its prefix, and its value, as in Kubernetes. */
const LABEL_NAME_CHARACTERS_MAX = 63;
const LABEL_VALUE_CHARACTERS_MAX = 63;

const NAME = "([A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?)";
const WORD = new RegExp(`^${NAME}$`);

const KEY_SAID = {
  minLength: 1,
  maxLength: NAME_CHARACTERS_MAX + 1 + LABEL_NAME_CHARACTERS_MAX,
  pattern: `^([a-z0-9.-]+/)?${NAME}$`,
};
const VALUE_SAID = { maxLength: LABEL_VALUE_CHARACTERS_MAX, pattern: `^${NAME}?$` };

/** Makes the schema of labels by the rules of Kubernetes: `[prefix/]name` with a DNS name as prefix, and short plain values. */
export const labelsUpTo = (entriesMax: number, charactersMax: number) =>
  v.pipe(
    textMap(entriesMax, (key, value) => keyProblem(key) ?? valueProblem(value), {
      propertyNames: KEY_SAID,
      additionalProperties: { type: "string", ...VALUE_SAID },
    }),
    v.check(
      (labels) => Object.entries(labels).flat().join("").length <= charactersMax,
      `must have at most ${charactersMax} characters in all`,
    ),
  );

/** The labels of a node, a namespace or a workload. */
export const labels = labelsUpTo(LABELS_MAX, LABELS_CHARACTERS_MAX);

/** The key of a label, and a value. */
export const labelKey = v.pipe(text, v.metadata(KEY_SAID), without(keyProblem));
export const labelValue = v.pipe(text, v.metadata(VALUE_SAID), without(valueProblem));

/** Makes the check that a text has no mistake, with the mistake as its message. */
function without(problemOf: (text: string) => string | undefined) {
  return v.rawCheck<string>(({ dataset, addIssue }) => {
    const message = dataset.typed ? problemOf(dataset.value) : undefined;
    if (message !== undefined) addIssue({ message });
  });
}

function keyProblem(key: string): string | undefined {
  const parts = key.split("/");
  const name = parts.at(-1) ?? "";
  const [prefix] = parts.length > 1 ? parts : [];
  if (parts.length > 2) return "must have a name with one slash at most";
  if (prefix !== undefined && !v.is(resourceName, prefix))
    return "must have a name whose prefix is a DNS name in lower case, such as example.org/zone";
  if (name.length > LABEL_NAME_CHARACTERS_MAX || !WORD.test(name))
    return `must have a name of 1 to ${LABEL_NAME_CHARACTERS_MAX} letters, digits, - _ or ., the first and the last a letter or a digit`;
  return undefined;
}

function valueProblem(value: string): string | undefined {
  if (value.length > LABEL_VALUE_CHARACTERS_MAX || !(value === "" || WORD.test(value)))
    return `must be empty, or at most ${LABEL_VALUE_CHARACTERS_MAX} letters, digits, - _ or ., the first and the last a letter or a digit`;
  return undefined;
}
