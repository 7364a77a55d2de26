import { invalid, type Problem } from "../api/schema/problem.ts";
import { isRecord, shortened } from "../api/schema/schema.ts";
import { type FilterFields, fieldNames, isFilterOn, matching, onlyIn, ordered } from "./filter.ts";
import { SLUG_IN_ID_CHARACTERS_MAX, slugId, slugOf, slugOfId } from "./ids.ts";
import type { ListOf } from "./list.ts";
import { onPage, PAGING } from "./paging.ts";
import { type Operation, rejectUnknownFilters } from "./request.ts";
import { noSuch } from "./vrfs.ts";

/*
 * Tags and tenants. Plat keeps them with the addresses and nowhere else, as texts, so each one that a client names is there, under an id
 * made of its slug. A list of all is empty.
 */

/** A kind of labels. */
interface Labels {
  readonly kind: "tag" | "tenant";
  readonly path: string;
}

const TAGS: Labels = { kind: "tag", path: "extras/tags" };
const TENANTS: Labels = { kind: "tenant", path: "tenancy/tenants" };

/** Returns the slug that a body names, by itself, by its id, or as an object of NetBox. */
export function slugIn(field: string, said: unknown): string {
  const { slug, name, id } = isRecord(said) ? said : { slug: undefined, name: said, id: said };
  const text = slug ?? name;
  if (typeof text === "string") return slugOf(text);
  const found = slugOfId(Number(id));
  if (found !== undefined) return found;
  const problem = `must be the id of a slug with at most ${SLUG_IN_ID_CHARACTERS_MAX} characters (a-z, 0-9, - and _); name a longer one by its slug, such as {"slug": "…"}`;
  throw invalid({ field, value: shortened(id), problem });
}

/** Returns a tag of NetBox. It has the name of its slug. */
export const tagBody = (slug: string, base: string) => ({
  ...nested(TAGS, slug, base),
  color: "9e9e9e",
});

/** Returns the tenant of an object; null if it has none. */
export const nestedTenant = (name: string, base: string) =>
  name === "" ? null : { ...nested(TENANTS, name, base), description: "" };

function nested({ path }: Labels, name: string, base: string) {
  const slug = slugOf(name);
  return { id: slugId(slug), url: `${base}${path}/${slugId(slug)}/`, display: name, name, slug };
}

const wholeBody = ({ kind }: Labels, slug: string, base: string) =>
  kind === "tag"
    ? { ...tagBody(slug, base), description: "", object_types: [], ...NOTHING_ELSE }
    : {
        ...nestedTenant(slug, base),
        ...{ group: null, comments: "", tags: [], custom_fields: {} },
        ...NOTHING_ELSE,
      };

const NOTHING_ELSE = { created: null, last_updated: null };

const FIELDS: FilterFields<string> = {
  id: { kind: "number", of: slugId },
  name: { kind: "text", of: (slug) => slug, isSlug: true },
  slug: { kind: "text", of: (slug) => slug, isSlug: true },
};

const OTHERS: ReadonlySet<string> = new Set([...PAGING, "ordering", "q"]);

/** The filters that name a label, so that it is there. */
const NAMING = ["slug", "name", "id"] as const;

/** Returns the operations on a kind of labels, by their methods and paths. */
function operationsOn(labels: Labels): Readonly<Record<string, Operation>> {
  const { path, kind } = labels;
  const list: Operation = async (asked) => {
    const { query, base } = asked;
    rejectUnknownFilters(query, (name) => OTHERS.has(name) || isFilterOn(FIELDS, name));
    const named = NAMING.flatMap((name) => query.get(name)?.map((text) => slugNamed(name, text)));
    const slugs = [...new Set(named)].filter((slug) => slug !== undefined && slug !== "");
    const isWanted = matching(query, FIELDS);
    const q = (onlyIn(query, "q") ?? "").toLowerCase();
    const passing = (slugs as string[]).filter((slug) => isWanted(slug) && slug.includes(q));
    return onPage(
      asked,
      ordered(query, FIELDS, passing).map((slug) => wholeBody(labels, slug, base)),
    );
  };
  const read: Operation = async ({ id, base }) => {
    const slug = slugOfId(id);
    if (slug === undefined) throw noSuch(kind, id);
    return { status: 200, body: wholeBody(labels, slug, base) };
  };
  const create: Operation = async () => {
    throw unstored(kind);
  };
  return { [`GET ${path}`]: list, [`GET ${path}/{id}`]: read, [`POST ${path}`]: create };
}

const slugNamed = (name: (typeof NAMING)[number], text: string): string | undefined =>
  name === "id" ? slugOfId(Number(text)) : slugOf(text);

const unstored = (kind: Labels["kind"]): Problem =>
  invalid({
    field: "slug",
    problem: `exists already: each ${kind} that has a slug is there. Plat keeps a ${kind} with what has it, and nothing else about it`,
  });

export const LABEL_OPERATIONS: Readonly<Record<string, Operation>> = {
  ...operationsOn(TAGS),
  ...operationsOn(TENANTS),
};

const LIST = { filters: [...OTHERS, ...fieldNames(FIELDS)] };

export const LABEL_LISTS: Readonly<Record<string, ListOf>> = {
  [TAGS.path]: { ...LIST, name: "Tag" },
  [TENANTS.path]: { ...LIST, name: "Tenant" },
};
