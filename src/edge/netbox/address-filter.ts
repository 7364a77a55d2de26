import { invalid } from "../../contract/schema/problem.ts";
import { shortened } from "../../contract/schema/schema.ts";
import { currentOf, fieldOf, type HeldAddress, tagsOf } from "./fields.ts";

/** The start of the filters on custom fields. */
export const CUSTOM_FIELD = "cf_";

const TEXTS = ["description", "dns_name", "comments", "role", "status"] as const;

/** The filters of IP addresses besides those on custom fields. */
export const ADDRESS_FILTERS: ReadonlySet<string> = new Set([
  ...["limit", "offset", "cursor", "vrf_id", "vrf", "address", "parent", "q", "family", "tag"],
  ...TEXTS.flatMap((name) => [name, `${name}__ic`]),
]);

/**
 * Returns a function that tells whether an address passes the filters on its fields. As in NetBox, `__ic` compares a part of the text, in
 * any case, and values with commas between them are alternatives.
 */
export function addressFilter(
  query: Readonly<Record<string, string | undefined>>,
): (held: HeldAddress) => boolean {
  const { family, tag, q } = query;
  if (family !== undefined && family !== "4" && family !== "6")
    throw invalid({ field: "?family", value: shortened(family), problem: "must be 4 or 6" });
  const custom = Object.entries(query).filter(([name]) => name.startsWith(CUSTOM_FIELD));
  return (held) => {
    const current = currentOf(held);
    const isIn = (name: string, wanted: string | undefined) =>
      wanted === undefined || wanted.split(",").includes(fieldOf(current, name));
    const hasPart = (name: string, part: string | undefined) =>
      part === undefined || fieldOf(current, name).toLowerCase().includes(part.toLowerCase());
    return (
      (family === undefined || String(held.family) === family) &&
      (tag === undefined || tag.split(",").every((slug) => tagsOf(current).includes(slug))) &&
      TEXTS.every((name) => isIn(name, query[name]) && hasPart(name, query[`${name}__ic`])) &&
      custom.every(([name, value]) => isIn(name.slice(CUSTOM_FIELD.length), value)) &&
      (q === undefined || hasPart("description", q) || hasPart("dns_name", q))
    );
  };
}
