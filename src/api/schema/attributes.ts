import * as v from "valibot";
import {
  ATTRIBUTE_VALUE_CHARACTERS_MAX,
  ATTRIBUTES_BYTES_MAX,
  ATTRIBUTES_MAX,
  INDEXED_ATTRIBUTES_MAX,
} from "../../base/limits.ts";
import { isRecord, list } from "./schema.ts";

const ATTRIBUTE_KEY_CHARACTERS_MAX = 253;

/** Names that objects of the language, and the marshalling of items, take for their own. */
const OBJECT_NAMES = new Set(["__proto__", "constructor"]);

const NAME = {
  minLength: 1,
  maxLength: ATTRIBUTE_KEY_CHARACTERS_MAX,
  pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]+$",
};

/** The attribute that host-reserved addresses have too. They have no allocation, so no index leads to them. */
const NOTE = "note";

/** The names of the attributes that a space has indexes of. */
export const indexedAttributes = v.pipe(
  list(
    v.pipe(
      v.string("must be the name of an attribute"),
      v.metadata({ ...NAME, not: { enum: [...OBJECT_NAMES, NOTE] } }),
      v.rawCheck(({ dataset, addIssue }) => {
        const problem = dataset.typed ? indexProblem(dataset.value) : undefined;
        if (problem !== undefined) addIssue({ message: problem });
      }),
    ),
    { max: INDEXED_ATTRIBUTES_MAX },
    {
      type: "must be a list of attributes",
      max: `must have at most ${INDEXED_ATTRIBUTES_MAX} attributes: each takes a write of every assign`,
    },
  ),
  v.metadata({ uniqueItems: true }),
  v.check((names) => new Set(names).size === names.length, "must name each attribute once"),
);

/** Attributes of addresses and owners: texts by name, limited to the room of an allocation. */
export const attributes = v.pipe(
  textMap(ATTRIBUTES_MAX, attributeProblem, {
    propertyNames: { ...NAME, not: { enum: [...OBJECT_NAMES] } },
    additionalProperties: { type: "string", maxLength: ATTRIBUTE_VALUE_CHARACTERS_MAX },
  }),
  v.check(
    (attributes) => bytesOf(attributes) <= ATTRIBUTES_BYTES_MAX,
    ({ input }) => `must have at most ${ATTRIBUTES_BYTES_MAX} bytes as JSON, not ${bytesOf(input)}`,
  ),
);

const bytesOf = (attributes: Readonly<Record<string, string>>) =>
  Buffer.byteLength(JSON.stringify(attributes));

function attributeProblem(key: string, value: string): string | undefined {
  if (value.length > ATTRIBUTE_VALUE_CHARACTERS_MAX)
    return `must have at most ${ATTRIBUTE_VALUE_CHARACTERS_MAX} characters`;
  if (/\p{Cs}/u.test(value)) return "must be Unicode text";
  return nameProblem(key);
}

/** Returns what is wrong with the name of an attribute; nothing for a good one. */
export function nameProblem(key: string): string | undefined {
  if (OBJECT_NAMES.has(key)) return "is a name that no attribute may have";
  if (key.length === 0 || key.length > ATTRIBUTE_KEY_CHARACTERS_MAX)
    return `must have a name of 1 to ${ATTRIBUTE_KEY_CHARACTERS_MAX} characters`;
  return /[\p{Cc}\p{Cs}]/u.test(key) ? "must have a name of printable characters" : undefined;
}

const indexProblem = (name: string): string | undefined =>
  name === NOTE
    ? "cannot be indexed: host-reserved addresses have this attribute too, and no index leads to them"
    : nameProblem(name);

/**
 * Makes the schema of an object with a bounded number of texts under names of the caller's choice.
 *
 * @param problemOf returns the mistake in a name and its text
 * @param said the part of it that a JSON Schema can express
 */
export function textMap(
  entriesMax: number,
  problemOf: (key: string, value: string) => string | undefined,
  said: { readonly propertyNames: object; readonly additionalProperties: object },
) {
  return v.pipe(
    v.custom<Record<string, unknown>>(isRecord, "must be an object of strings"),
    v.metadata({ type: "object", maxProperties: entriesMax, ...said }),
    v.rawTransform<Record<string, unknown>, Readonly<Record<string, string>>>(
      ({ dataset: { value: input }, addIssue, NEVER }) => {
        const entries = Object.entries(input);
        if (entries.length > entriesMax) {
          addIssue({ message: `must have at most ${entriesMax} entries` });
          return NEVER;
        }
        const wrong = entries
          .map(([key, value]) => ({
            key,
            value,
            message: typeof value === "string" ? problemOf(key, value) : "must be a string",
          }))
          .filter(({ message }) => message !== undefined);
        for (const { key, value, message = "" } of wrong)
          addIssue({
            input: value,
            message,
            path: [{ type: "object", origin: "value", input, key, value }],
          });
        return wrong.length > 0 ? NEVER : Object.fromEntries(entries as [string, string][]);
      },
    ),
  );
}
