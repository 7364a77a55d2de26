import * as v from "valibot";
import { nameProblem } from "../../api/schema/attributes.ts";
import { cidr, readable, text, whole } from "../../api/schema/field.ts";
import { fields, isRecord, list, rule } from "../../api/schema/schema.ts";
import { BITS } from "../../net/address.ts";
import { parseNetboxAddress } from "./address-text.ts";
import { ADDRESS_STATUSES, PREFIX_STATUSES } from "./choices.ts";

/** Objects in one request of NetBox's dialect: as many as NetBox makes of a page. */
const NETBOX_ITEMS_MAX = 256;
/** Objects that one request of the dialect changes or deletes by their ids: as many as a page has at most. */
const NETBOX_CHANGED_MAX = 1_000;

/** Bodies of NetBox's dialect, with NetBox's names of fields (https://netboxlabs.com/docs/netbox/models/ipam/ipaddress/). */

const label = v.optional(v.nullable(text));

/** A field of NetBox for which Plat has nothing. A client may send it empty. */
const nothing = (what: string) =>
  v.optional(v.union([v.null(), v.literal("")], `must be null or absent: Plat knows no ${what}`));

/** A field that the server alone sets. A client may send it back. */
export const UNREAD = v.optional(v.unknown());

/** A tag or a tenant: by its slug, its name or its id, or as an object of NetBox. */
const labelled = (what: string) =>
  v.union(
    [
      text,
      v.number(),
      v.looseObject({ slug: text }),
      v.looseObject({ name: text }),
      v.looseObject({ id: v.number() }),
    ],
    `must be a ${what} by its slug, its name or its id, such as {"slug": "web"}`,
  );

const tenant = v.optional(v.nullable(labelled("tenant")));

/** Values by their names. A record of valibot loses the names of object properties. */
const customFields = v.pipe(
  v.custom<Readonly<Record<string, unknown>>>(
    isRecord,
    "must be an object with values by their names",
  ),
  rule((values) =>
    Object.entries(values).flatMap(([field, value]) => {
      const problem = nameProblem(field);
      return problem === undefined ? [] : [{ field, value, problem }];
    }),
  ),
);

const attributesOfNetbox = {
  description: label,
  comments: label,
  tags: v.optional(v.array(labelled("tag"), "must be an array of tags")),
  custom_fields: v.optional(v.nullable(customFields)),
};

const oneOf = <Value extends string>(labels: Readonly<Record<Value, string>>) => {
  const values = Object.keys(labels) as Value[];
  return v.optional(v.picklist(values, `must be one of ${values.join(", ")}`));
};

const addressFields = {
  ...attributesOfNetbox,
  status: oneOf(ADDRESS_STATUSES),
  role: label,
  dns_name: label,
  tenant,
  assigned_object_type: nothing("devices"),
  assigned_object_id: nothing("devices"),
  nat_inside: nothing("NAT"),
  ...{ id: UNREAD, url: UNREAD, display: UNREAD, family: UNREAD, created: UNREAD },
  ...{ last_updated: UNREAD, assigned_object: UNREAD, nat_outside: UNREAD },
};

/** A VRF by its id, or as an object of NetBox. */
const vrf = v.optional(
  v.nullable(
    v.union(
      [v.number(), v.looseObject({ id: v.number() }), v.looseObject({ name: text })],
      'must be the id of a VRF, an object with its id or name, or null for the space "default"',
    ),
  ),
);

export type VrfInBody = v.InferOutput<typeof vrf>;

const address = readable(parseNetboxAddress, {
  description: "An address, with or without the prefix length of its network",
  examples: ["10.0.0.7/24"],
});

/** The fields of a new address. */
export const ADDRESS_FIELDS = { ...addressFields, address, vrf };

export const netboxAddress = fields(ADDRESS_FIELDS);

const addressChange = { ...addressFields, address: v.optional(address), vrf };

export const netboxAddressChange = fields(addressChange);

/** The id by which a list of changes names each object. */
const id = whole(1, Number.MAX_SAFE_INTEGER);

/** Changes of several addresses, each with its id. */
export const netboxAddressChanges = changes(fields({ ...addressChange, id }));

/** The next free address. Clients also send the prefix from which they ask, which the path names. */
export const netboxAvailable = fields({
  ...addressFields,
  address: UNREAD,
  vrf: UNREAD,
  prefix: UNREAD,
});

/** The fields of a prefix for which Plat has nothing. */
const besidePrefix = {
  tenant,
  vlan: nothing("VLANs of NetBox; the pool has its own"),
  role: nothing("roles of prefixes"),
  scope_type: nothing("sites"),
  scope_id: nothing("sites"),
  ...{ id: UNREAD, url: UNREAD, display: UNREAD, family: UNREAD, created: UNREAD },
  ...{ last_updated: UNREAD, scope: UNREAD, children: UNREAD, _depth: UNREAD },
};

const prefixChange = {
  ...attributesOfNetbox,
  ...besidePrefix,
  vrf,
  status: oneOf(PREFIX_STATUSES),
  is_pool: v.optional(v.boolean("must be true or false")),
  mark_utilized: v.optional(v.literal(false, "must be false: Plat counts what is in use")),
};

/** The fields of a new prefix. */
export const PREFIX_FIELDS = { ...prefixChange, prefix: cidr };

export const netboxPrefix = fields(PREFIX_FIELDS);

const prefixChanges = { ...prefixChange, prefix: v.optional(cidr) };

export const netboxPrefixChange = fields(prefixChanges);

/** Changes of several prefixes, each with its id. */
export const netboxPrefixChanges = changes(fields({ ...prefixChanges, id }));

/** Objects to delete by their ids. Clients send nothing else, and what else they send changes nothing. */
export const netboxDeletes = changes(v.looseObject({ id }, "must be an object with an id"));

/** The next free prefix. Clients also send the prefix from which they ask, which the path names. */
export const netboxAvailablePrefix = fields({
  ...attributesOfNetbox,
  ...besidePrefix,
  prefix_length: whole(1, BITS[6]),
  status: v.optional(v.literal("active", "must be active, as each assigned prefix is")),
  is_pool: v.optional(v.literal(false, "must be false: the prefix becomes a pool later")),
  ...{ parent: UNREAD, prefix: UNREAD, vrf: UNREAD },
});

/** One object, or a list of them. */
export const oneOrMore = <Item extends v.GenericSchema>(item: Item) => ({
  one: item,
  list: list(
    item,
    { min: 1, max: NETBOX_ITEMS_MAX },
    {
      type: "must be an object or an array of objects",
      min: "must have at least one object",
      max: `must have at most ${NETBOX_ITEMS_MAX} objects`,
    },
  ),
});

/** Objects that are there, each by its id. */
function changes<Item extends v.GenericSchema<unknown, { readonly id: number }>>(item: Item) {
  return v.pipe(
    list(
      item,
      { min: 1, max: NETBOX_CHANGED_MAX },
      {
        type: "must be an array of objects, each with its id",
        min: "must have at least one object",
        max: `must have at most ${NETBOX_CHANGED_MAX} objects`,
      },
    ),
    v.check(
      (items) => new Set(items.map(({ id }) => id)).size === items.length,
      "must name each object once",
    ),
  );
}
