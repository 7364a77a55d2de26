import type * as v from "valibot";
import { type FieldProblem, invalid, Problem } from "../api/schema/problem.ts";
import { rejectDeep, shortened } from "../api/schema/schema.ts";
import type { heldAddress } from "../nouns/address/contract/answer.ts";
import type { netboxAddressChange } from "./contract/bodies.ts";
import { choice } from "./contract/choices.ts";
import { slugOf } from "./ids.ts";
import { nestedTenant, slugIn, tagBody } from "./labels.ts";
import type { Plat } from "./plat.ts";

/*
 * NetBox's fields as attributes: each text field under its name, the tags as one attribute, the tenant by its name, and each custom field
 * under its own name. A cleared one is an empty text, which hides what an address was assigned with. Attributes are texts, so one more
 * attribute names the custom fields whose texts are JSON.
 */

export type HeldAddress = v.InferOutput<typeof heldAddress>;
type Attributes = Readonly<Record<string, string>>;

/** The fields of a body that become attributes. */
type Fields = Pick<
  v.InferOutput<typeof netboxAddressChange>,
  "description" | "comments" | "dns_name" | "role" | "status" | "tags" | "tenant" | "custom_fields"
>;

const TEXTS = ["description", "comments", "dns_name", "role", "status"] as const;
const TAGS = "tags";
const TENANT = "tenant";
/** The attribute with the names of the custom fields that are no texts, as a list in JSON. */
const AS_JSON = "custom_fields";
const OWN: ReadonlySet<string> = new Set([...TEXTS, TAGS, TENANT, AS_JSON]);
/** Returns true for a name that a custom field can have. */
export const isCustom = (name: string): boolean => !OWN.has(name);

const STATUS_DEFAULT = "active";

/** The custom fields that say under which handle and for which host Plat assigns. */
export const HANDLE_FIELD = "handle";
export const HOST_FIELD = "host";
/** The host of an address if a client names none, and the start of the handles that the dialect makes. */
export const NETBOX_HOST = "netbox";
export const NETBOX_HANDLES = "netbox/";

/** The content of a body, in Plat's words. */
export interface Said {
  /** The attributes that the body names, also cleared ones. */
  readonly attributes: Attributes;
  readonly handle?: string;
  readonly host?: string;
}

/**
 * Reads the fields of a body. An absent field is not among the attributes.
 *
 * @param current the attributes that the object has, if the body changes it
 */
export function saidIn(fields: Partial<Fields>, current: Attributes = {}): Said {
  const { tags, tenant, custom_fields: custom } = fields;
  const { [HANDLE_FIELD]: handle, [HOST_FIELD]: host, ...others } = custom ?? {};
  const owned = Object.keys(others).filter((name) => !isCustom(name));
  if (owned.length > 0)
    throw invalid(
      ...owned.map((name) => ({
        field: `custom_fields.${name}`,
        problem: "has the name of a field that is no custom field; send it beside custom_fields",
      })),
    );
  const texts = TEXTS.flatMap((name) =>
    fields[name] === undefined ? [] : [[name, (fields[name] ?? "").trim()] as const],
  );
  return {
    attributes: {
      ...customIn(others, current),
      ...Object.fromEntries(texts),
      ...(tags && { [TAGS]: tags.map((tag, n) => slugIn(`tags[${n}]`, tag)).join(",") }),
      ...(tenant !== undefined && { [TENANT]: tenant === null ? "" : tenantIn(tenant) }),
    },
    ...named(HANDLE_FIELD, handle),
    ...named(HOST_FIELD, host),
  };
}

/**
 * Reads the fields of a body about a prefix, which has no host.
 *
 * @param current the attributes that the prefix has, if the body changes it
 */
export function saidOfPrefix(fields: Partial<Fields>, current: Attributes = {}): Said {
  const said = saidIn(fields, current);
  const { host } = said;
  if (host === undefined || host === current[HOST_FIELD]) return said;
  const problem = "must be absent, because a prefix has no host";
  throw invalid({ field: `custom_fields.${HOST_FIELD}`, value: shortened(host), problem });
}

/** Throws a problem in the words of the dialect, for the `catch` of a promise. Any other error passes through. */
export function inWordsOfNetbox(error: unknown): never {
  throw error instanceof Problem ? wordedAsSent(error) : error;
}

/** Returns a problem with its fields as the client of the dialect named them. */
export function wordedAsSent(problem: Problem): Problem {
  const { code, members } = problem;
  if (!Array.isArray(members.fields)) return problem;
  const stated: readonly FieldProblem[] = members.fields;
  const fields = stated.map((each) => ({ ...each, field: sentAs(each.field) }));
  const detail = stated.reduce(
    (text, { field, problem: why }) =>
      text.replace(`${field} ${why}`, () => `${sentAs(field)} ${why}`),
    problem.detail,
  );
  return new Problem(code, detail, { ...members, fields });
}

/** The fields of a body of the dialect by which Plat finds a prefix, by their names in Plat's words. */
const OF_PREFIX: ReadonlyMap<string, string> = new Map([
  ["prefixLength", "prefix_length"],
  ["cidr", "prefix"],
]);

/** Returns the name of a field of Plat in a body of the dialect. */
function sentAs(field: string): string {
  const [, isAttribute, name = AS_JSON] =
    /^(attributes|owner\.active|active)(?:\.(.*))?$/s.exec(field) ?? [];
  if (isAttribute) return fieldOfAttribute(name);
  const own = field.replace(/^\?/, "");
  const isActedBy = own === HANDLE_FIELD || own === HOST_FIELD;
  return isActedBy ? `custom_fields.${own}` : (OF_PREFIX.get(field) ?? field);
}

const fieldOfAttribute = (name: string): string =>
  isCustom(name) ? `custom_fields.${name}` : name;

/** Returns the fields of a body that became these attributes, with their values. */
export const sentIn = (attributes: Attributes) =>
  Object.entries(attributes)
    .filter(([name]) => name !== AS_JSON)
    .map(([name, value]) => ({ field: fieldOfAttribute(name), value: shortened(value) }));

/** Reads custom fields: texts as they are, and other values as JSON. */
function customIn(values: Readonly<Record<string, unknown>>, current: Attributes): Attributes {
  const names = Object.keys(values);
  for (const name of names) rejectDeep(`custom_fields.${name}`, values[name]);
  const isText = (name: string) => typeof values[name] === "string" || values[name] === null;
  const kept = namesAsJson(current).filter((name) => !names.includes(name));
  const asJson = [...kept, ...names.filter((name) => !isText(name))].sort();
  const texts = names.map((name) => [
    name,
    isText(name) ? (values[name] ?? "") : JSON.stringify(values[name]),
  ]);
  return {
    ...Object.fromEntries(texts),
    ...(names.length > 0 && { [AS_JSON]: asJson.length > 0 ? JSON.stringify(asJson) : "" }),
  };
}

/** Returns the names of the custom fields whose attributes are JSON. */
function namesAsJson(attributes: Attributes): readonly string[] {
  const names = parsedJson(attributes[AS_JSON] || "[]");
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

/** Returns the value of a text of JSON; a text that is none as it is, because any caller can write an attribute. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Reads the tenant of a body: as a text it is the name that Plat keeps, which quotas and tokens have too. */
function tenantIn(tenant: NonNullable<Fields["tenant"]>): string {
  const name = typeof tenant === "object" && "name" in tenant ? tenant.name : tenant;
  return typeof name === "string" ? name.trim() : slugIn(TENANT, tenant);
}

/** Returns attributes in which the caller's own tenant, named by its slug or its id, has the token's text. */
export function withOwnTenant(
  { tenant }: Pick<Plat, "tenant">,
  attributes: Attributes,
): Attributes {
  const slug = slugOf(attributes[TENANT] ?? "");
  const isOwn = tenant !== undefined && slug !== "" && slug === slugOf(tenant);
  return isOwn ? { ...attributes, [TENANT]: tenant } : attributes;
}

/** Reads a custom field that Plat acts by. */
function named<Name extends "handle" | "host">(name: Name, value: unknown) {
  if (value === undefined || value === null) return {};
  if (typeof value === "string") return { [name]: value } as { readonly [key in Name]: string };
  const problem = "must be a text";
  throw invalid({ field: `custom_fields.${name}`, value: shortened(value), problem });
}

/** Returns the attributes to assign with: those that say something. */
export const toAssign = (attributes: Attributes): Attributes =>
  Object.fromEntries(
    Object.entries(attributes).filter(
      ([name, value]) => value !== "" && !(name === "status" && value === STATUS_DEFAULT),
    ),
  );

/** Returns the attributes of an address with all changes since its assignment. */
export const currentOf = ({
  attributes = {},
  owner,
}: Pick<HeldAddress, "attributes" | "owner">): Attributes => ({
  ...attributes,
  ...owner?.active,
});

/** Returns the attributes that a body would change. A tag or a tenant that it names by its slug keeps its text. */
export function changesOf(current: Attributes, said: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(said)
      .map(([name, value]) => [name, withTextsOf(current, name, value)] as const)
      .filter(([name, value]) => value !== fieldOf(current, name)),
  );
}

function withTextsOf(current: Attributes, name: string, value: string): string {
  const stored = name === TENANT ? [fieldOf(current, TENANT)] : tagsOf(current);
  const textOf = (text: string) =>
    stored.find((each) => slugOf(each) !== "" && slugOf(each) === slugOf(text)) ?? text;
  if (name === TENANT) return textOf(value);
  return name === TAGS ? value.split(",").map(textOf).join(",") : value;
}

/** Returns NetBox's fields of an object with these attributes. */
export function fieldsBody(
  current: Attributes,
  base: string,
  more: Readonly<Record<string, string>> = {},
) {
  const role = fieldOf(current, "role");
  return {
    status: choice(fieldOf(current, "status")),
    role: role === "" ? null : choice(role),
    tenant: tenantOf(current, base),
    dns_name: fieldOf(current, "dns_name"),
    description: fieldOf(current, "description"),
    comments: fieldOf(current, "comments"),
    tags: tagsOf(current).map((slug) => tagBody(slug, base)),
    custom_fields: { ...customOf(current), ...more },
  };
}

/** Returns the custom fields of an object, with the types that they were written with. */
function customOf(current: Attributes): Readonly<Record<string, unknown>> {
  const asJson = new Set(namesAsJson(current));
  const set = Object.entries(current).filter(([name, value]) => isCustom(name) && value !== "");
  return Object.fromEntries(
    set.map(([name, value]) => [name, asJson.has(name) ? parsedJson(value) : value]),
  );
}

/** Returns the value of a field; that of a field that nobody set is its default. */
export const fieldOf = (current: Attributes, name: string): string =>
  current[name] || (name === "status" ? STATUS_DEFAULT : "");

const tagsOf = (current: Attributes): readonly string[] =>
  fieldOf(current, TAGS).split(",").filter(Boolean);

/** Returns the slugs of the tags of an object, by which a list is filtered. */
export const tagSlugsOf = (current: Attributes): readonly string[] => tagsOf(current).map(slugOf);

/** Returns the tenant of an object as NetBox has it; null if it has none. */
export const tenantOf = (current: Attributes, base = "") =>
  nestedTenant(fieldOf(current, TENANT), base);
