import * as v from "valibot";
import {
  LABEL_NAME_CHARACTERS_MAX,
  LABEL_VALUE_CHARACTERS_MAX,
  LABELS_CHARACTERS_MAX,
  LABELS_MAX,
  NAME_CHARACTERS_MAX,
} from "../../domain/limits.ts";
import { resourceName } from "./field.ts";
import { textMap } from "./text-map.ts";

const NAME = "([A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?)";
const WORD = new RegExp(`^${NAME}$`);

/** Labels by the rules of Kubernetes: `[prefix/]name` with a DNS name as prefix, and short plain values. */
export const labels = v.pipe(
  textMap(LABELS_MAX, labelProblem, {
    propertyNames: {
      minLength: 1,
      maxLength: NAME_CHARACTERS_MAX + 1 + LABEL_NAME_CHARACTERS_MAX,
      pattern: `^([a-z0-9.-]+/)?${NAME}$`,
    },
    additionalProperties: {
      type: "string",
      maxLength: LABEL_VALUE_CHARACTERS_MAX,
      pattern: `^${NAME}?$`,
    },
  }),
  v.check(
    (labels) => Object.entries(labels).flat().join("").length <= LABELS_CHARACTERS_MAX,
    `must have at most ${LABELS_CHARACTERS_MAX} characters in all`,
  ),
);

function labelProblem(key: string, value: string): string | undefined {
  const parts = key.split("/");
  const name = parts.at(-1) ?? "";
  const [prefix] = parts.length > 1 ? parts : [];
  if (parts.length > 2) return "must have a name with one slash at most";
  if (prefix !== undefined && !v.is(resourceName, prefix))
    return "must have a name whose prefix is a DNS name in lower case, such as example.org/zone";
  if (name.length > LABEL_NAME_CHARACTERS_MAX || !WORD.test(name))
    return `must have a name of 1 to ${LABEL_NAME_CHARACTERS_MAX} letters, digits, - _ or ., the first and the last a letter or a digit`;
  if (value.length > LABEL_VALUE_CHARACTERS_MAX || !(value === "" || WORD.test(value)))
    return `must be empty, or at most ${LABEL_VALUE_CHARACTERS_MAX} letters, digits, - _ or ., the first and the last a letter or a digit`;
  return undefined;
}
