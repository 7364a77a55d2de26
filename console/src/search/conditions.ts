import type { Query } from "../api/api.ts";

/** The parameters of a search that have a name of their own; any other name is that of an attribute. */
const PARAMETERS: ReadonlySet<string> = new Set([
  "pool",
  "host",
  "handle",
  "owner",
  "state",
  "cidr",
]);

/** The conditions of a search: parameters of the API, or the first name that stands there twice. */
export type Conditions = { readonly query: Query } | { readonly repeated: string };

/**
 * Returns the conditions of a text such as `pool=pods namespace=shop`: conditions with spaces between them, each a name
 * and a value. Returns nothing for any other text. A value with spaces is in quotes.
 */
export function conditionsIn(text: string): Conditions | undefined {
  const found = [...text.matchAll(CONDITION)];
  const rest = text.replaceAll(CONDITION, "").trim();
  if (found.length === 0 || rest !== "") return undefined;
  const names = found.map(([, name = ""]) => name);
  const repeated = names.find((name, at) => names.indexOf(name) < at);
  if (repeated !== undefined) return { repeated };
  const query = Object.fromEntries(
    found.map(([, name = "", quoted, plain = ""]) => [
      PARAMETERS.has(name) ? name : `attribute.${name}`,
      quoted ?? plain,
    ]),
  );
  return { query };
}

const CONDITION = /(?<!\S)([^\s="]+)=(?:"([^"]*)"|([^\s"]+))(?!\S)/g;
