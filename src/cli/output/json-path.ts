import { query } from "jsonpath-rfc9535";

/** Returns all values of a document that a path leads to. */
type Lookup = (document: unknown) => readonly unknown[];

/**
 * Reads a path as kubectl writes them: `.a.b`, `a.b`, `$.a.b`, `@.a.b` or `[0].a`, with all of RFC 9535 after that.
 *
 * @throws SyntaxError it is no path; the message says why
 */
export function parsePath(text: string): Lookup {
  const rest = text.trim().replace(/^[$@]/, "");
  const path = `$${rest === "" || /^[.[]/.test(rest) ? "" : "."}${rest}`;
  query({}, path);
  return (document) => query(document as Parameters<typeof query>[0], path);
}

/** Returns a value as people read it: text as it is, anything else as JSON. */
export const valueText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);
