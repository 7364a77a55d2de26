import type * as v from "valibot";
import { invalid } from "../api/schema/problem.ts";
import type { heldAddress } from "../nouns/address/contract/answer.ts";
import type { netboxAddressChange } from "./contract/bodies.ts";
import { labelId } from "./ids.ts";

/*
 * NetBox's fields as attributes: each text field under its name, the tags as one attribute, and each custom field under its own name.
 * A cleared one is an empty text, which hides what an address was assigned with.
 */

export type HeldAddress = v.InferOutput<typeof heldAddress>;
type Attributes = Readonly<Record<string, string>>;

/** The fields of a body that become attributes. */
type Fields = Pick<
  v.InferOutput<typeof netboxAddressChange>,
  "description" | "comments" | "dns_name" | "role" | "status" | "tags" | "custom_fields"
>;

const TEXTS = ["description", "comments", "dns_name", "role", "status"] as const;
const TAGS = "tags";
const OWN: ReadonlySet<string> = new Set([...TEXTS, TAGS]);
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

/** Reads the fields of a body. An absent field is not among the attributes. */
export function saidIn(fields: Partial<Fields>): Said {
  const { tags, custom_fields: custom } = fields;
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
      ...Object.fromEntries(Object.entries(others).map(([name, value]) => [name, value ?? ""])),
      ...Object.fromEntries(texts),
      ...(tags && { [TAGS]: slugsOf(tags).join(",") }),
    },
    ...(typeof handle === "string" && { handle }),
    ...(typeof host === "string" && { host }),
  };
}

/** Returns the attributes to assign with: those that say something. */
export const toAssign = (attributes: Attributes): Attributes =>
  Object.fromEntries(
    Object.entries(attributes).filter(
      ([name, value]) => value !== "" && !(name === "status" && value === STATUS_DEFAULT),
    ),
  );

/** Returns the attributes of an address with all changes since its assignment. */
export const currentOf = ({ attributes = {}, owner }: HeldAddress): Attributes => ({
  ...attributes,
  ...owner?.active,
});

/** Returns the attributes that a body would change. */
export function changesOf(current: Attributes, said: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(said).filter(([name, value]) => value !== fieldOf(current, name)),
  );
}

/** Returns NetBox's fields of an object with these attributes. */
export function fieldsBody(current: Attributes, more: Readonly<Record<string, string>> = {}) {
  const status = fieldOf(current, "status");
  const role = fieldOf(current, "role");
  const custom = Object.entries(current).filter(([name, value]) => isCustom(name) && value !== "");
  return {
    status: choice(status),
    role: role === "" ? null : choice(role),
    dns_name: fieldOf(current, "dns_name"),
    description: fieldOf(current, "description"),
    comments: fieldOf(current, "comments"),
    tags: tagsOf(current).map(tagBody),
    custom_fields: { ...Object.fromEntries(custom), ...more },
  };
}

/** Returns the value of a field; that of a field that nobody set is its default. */
export const fieldOf = (current: Attributes, name: string): string =>
  current[name] || (name === "status" ? STATUS_DEFAULT : "");

export const tagsOf = (current: Attributes): readonly string[] =>
  fieldOf(current, TAGS).split(",").filter(Boolean);

/** Returns a choice of NetBox: its value, and how a person reads it. */
const choice = (value: string) => ({
  value,
  label: `${value.charAt(0).toUpperCase()}${value.slice(1)}`,
});

const slugsOf = (tags: NonNullable<Fields["tags"]>): readonly string[] =>
  tags.map((tag) =>
    slugOf(typeof tag === "string" ? tag : String("slug" in tag ? tag.slug : tag.name)),
  );

/** Returns a tag of NetBox. It has the name of its slug. */
export const tagBody = (slug: string) => ({
  id: labelId(slug),
  display: slug,
  name: slug,
  slug,
  color: "9e9e9e",
});

/** Returns the slug of a tag from its name, or from a slug, which stays as it is. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_-]+/gu, "-")
    .replace(/^-+|-+$/g, "");
