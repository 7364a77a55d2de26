import * as v from "valibot";
import { isRecord } from "./schema.ts";

/**
 * An object of so many texts under names of the caller's.
 *
 * @param problemOf what is wrong with a name and its text
 * @param said what a JSON Schema can say of them
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
