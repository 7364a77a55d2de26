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

/**
 * Returns the parameters of a text such as `pool=pods namespace=shop`: conditions with spaces between them, each a name
 * and a value. Returns nothing for any other text. A value with spaces is in quotes.
 */
export function conditionsIn(text: string): Query | undefined {
  const found = [...text.matchAll(CONDITION)];
  const rest = text.replaceAll(CONDITION, "").trim();
  if (found.length === 0 || rest !== "") return undefined;
  return Object.fromEntries(
    found.map(([, name = "", quoted, plain = ""]) => [
      PARAMETERS.has(name) ? name : `attribute.${name}`,
      quoted ?? plain,
    ]),
  );
}

const CONDITION = /(?<!\S)([^\s="]+)=(?:"([^"]*)"|([^\s"]+))(?!\S)/g;
