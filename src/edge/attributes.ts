import * as v from "valibot";
import {
  ATTRIBUTE_KEY_CHARACTERS_MAX,
  ATTRIBUTE_VALUE_CHARACTERS_MAX,
  ATTRIBUTES_BYTES_MAX,
  ATTRIBUTES_MAX,
} from "../domain/limits.ts";
import { isRecord } from "./schema.ts";

/** Names that objects of the language, and the marshalling of items, take for their own. */
const OBJECT_NAMES = new Set(["__proto__", "constructor"]);

/** What callers attach to addresses, and who owners are: texts by name, and no more of them than a record has room for. */
export const attributes = v.pipe(
  v.custom<Record<string, unknown>>(isRecord, "must be an object of strings"),
  v.metadata({
    type: "object",
    maxProperties: ATTRIBUTES_MAX,
    propertyNames: {
      minLength: 1,
      maxLength: ATTRIBUTE_KEY_CHARACTERS_MAX,
      pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]+$",
      not: { enum: [...OBJECT_NAMES] },
    },
    additionalProperties: { type: "string", maxLength: ATTRIBUTE_VALUE_CHARACTERS_MAX },
  }),
  v.rawTransform<Record<string, unknown>, Readonly<Record<string, string>>>(
    ({ dataset: { value: input }, addIssue, NEVER }) => {
      const entries = Object.entries(input);
      if (entries.length > ATTRIBUTES_MAX) {
        addIssue({ message: `must have at most ${ATTRIBUTES_MAX} entries` });
        return NEVER;
      }
      const wrong = entries
        .map(([key, value]) => ({ key, value, message: attributeProblem(key, value) }))
        .filter(({ message }) => message !== undefined);
      for (const { key, value, message = "" } of wrong)
        addIssue({
          input: value,
          message,
          path: [{ type: "object", origin: "value", input, key, value }],
        });
      if (wrong.length > 0) return NEVER;
      const bytes = Buffer.byteLength(JSON.stringify(input));
      if (bytes > ATTRIBUTES_BYTES_MAX) {
        addIssue({
          message: `must have at most ${ATTRIBUTES_BYTES_MAX} bytes as JSON, not ${bytes}`,
        });
        return NEVER;
      }
      return Object.fromEntries(entries as [string, string][]);
    },
  ),
);

function attributeProblem(key: string, value: unknown): string | undefined {
  if (typeof value !== "string") return "must be a string";
  if (value.length > ATTRIBUTE_VALUE_CHARACTERS_MAX)
    return `must have at most ${ATTRIBUTE_VALUE_CHARACTERS_MAX} characters`;
  if (/\p{Cs}/u.test(value)) return "must be Unicode text";
  if (OBJECT_NAMES.has(key)) return "is a name that no attribute may have";
  if (key.length === 0 || key.length > ATTRIBUTE_KEY_CHARACTERS_MAX)
    return `must have a name of 1 to ${ATTRIBUTE_KEY_CHARACTERS_MAX} characters`;
  return /[\p{Cc}\p{Cs}]/u.test(key) ? "must have a name of printable characters" : undefined;
}
