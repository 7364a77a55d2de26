/** A pattern of a filter: values, starts of values, or patterns of the fields of an object. */
export type Pattern =
  | readonly (string | { readonly prefix: string })[]
  | { readonly [field: string]: Pattern };

/**
 * Returns true if one of the filters matches a record, or if there is none
 * (https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html).
 */
export const matches = (filters: readonly Pattern[], streamed: unknown): boolean =>
  filters.length === 0 || filters.some((pattern) => fits(pattern, streamed));

function fits(pattern: Pattern, value: unknown): boolean {
  if (isList(pattern))
    return pattern.some((rule) =>
      typeof rule === "string" ? rule === value : String(value).startsWith(rule.prefix),
    );
  return Object.entries(pattern).every(([field, inner]) =>
    fits(inner, (value as Readonly<Record<string, unknown>> | undefined)?.[field]),
  );
}

const isList = (pattern: Pattern): pattern is Extract<Pattern, readonly unknown[]> =>
  Array.isArray(pattern);
