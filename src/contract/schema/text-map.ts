import * as v from "valibot";
import { isRecord } from "./schema.ts";

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
