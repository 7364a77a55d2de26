import { query } from "jsonpath-rfc9535";

/** Returns the values that a path selects from a document. */
type Lookup = (document: unknown) => readonly unknown[];

/**
 * Parses a path as in kubectl: `.a.b`, `a.b`, `$.a.b`, `@.a.b` or `[0].a`, followed by any RFC 9535 path.
 *
 * @throws Error if the text is no path; the message says why
 */
export function parsePath(text: string): Lookup {
  const rest = text.trim().replace(/^[$@]/, "");
  const path = `$${rest === "" || /^[.[]/.test(rest) ? "" : "."}${rest}`;
  query({}, path);
  return (document) => query(document as Parameters<typeof query>[0], path);
}

/** Returns a string as it is, and any other value as JSON. */
export const valueText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);
