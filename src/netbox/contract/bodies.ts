import * as v from "valibot";
import { cidr, readable, text, whole } from "../../api/schema/field.ts";
import { fields, list } from "../../api/schema/schema.ts";
import { NETBOX_ITEMS_MAX } from "../../base/limits.ts";
import { BITS } from "../../net/address.ts";
import { parseNetboxAddress } from "./address-text.ts";

/** Bodies of NetBox's dialect, with NetBox's names of fields (https://netboxlabs.com/docs/netbox/models/ipam/ipaddress/). */

const label = v.optional(v.nullable(text));

/** A field of NetBox for which Plat has nothing. A client may send it empty. */
const nothing = (what: string) =>
  v.optional(v.union([v.null(), v.literal("")], `must be null or absent: Plat knows no ${what}`));

/** A field that the server alone sets. A client may send it back. */
const unread = v.optional(v.unknown());

const tag = v.union(
  [text, v.looseObject({ slug: text }), v.looseObject({ name: text })],
  'must be a tag by its slug or its name, such as {"slug": "web"}; tags have no ids that a request can name',
);

const attributesOfNetbox = {
  description: label,
  comments: label,
  tags: v.optional(v.array(tag, "must be an array of tags")),
  custom_fields: v.optional(
    v.nullable(
      v.record(
        text,
        v.nullable(v.string("must be a text or null: Plat keeps custom fields as attributes")),
        "must be an object with texts",
      ),
    ),
  ),
};

const ADDRESS_STATUSES = ["active", "reserved", "deprecated", "dhcp", "slaac"] as const;

const addressFields = {
  ...attributesOfNetbox,
  status: v.optional(v.picklist(ADDRESS_STATUSES, `must be one of ${ADDRESS_STATUSES.join(", ")}`)),
  role: label,
  dns_name: label,
  tenant: nothing("tenants of NetBox; an attribute names the tenant"),
  assigned_object_type: nothing("devices"),
  assigned_object_id: nothing("devices"),
  nat_inside: nothing("NAT"),
  ...{ id: unread, url: unread, display: unread, family: unread, created: unread },
  ...{ last_updated: unread, assigned_object: unread, nat_outside: unread },
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

export const netboxAddress = fields({ ...addressFields, address, vrf });

export const netboxAddressChange = fields({
  ...addressFields,
  address: v.optional(address),
  vrf,
});

/** The next free address. Clients also send the prefix from which they ask, which the path names. */
export const netboxAvailable = fields({
  ...addressFields,
  address: unread,
  vrf: unread,
  prefix: unread,
});

const PREFIX_STATUSES = ["active", "container", "reserved", "deprecated"] as const;

/** The fields of a prefix for which Plat has nothing. */
const besidePrefix = {
  tenant: nothing("tenants of NetBox; an attribute names the tenant"),
  vlan: nothing("VLANs of NetBox; the pool has its own"),
  role: nothing("roles of prefixes"),
  scope_type: nothing("sites"),
  scope_id: nothing("sites"),
  ...{ id: unread, url: unread, display: unread, family: unread, created: unread },
  ...{ last_updated: unread, scope: unread, children: unread, _depth: unread },
};

const statusOfPrefix = v.optional(
  v.picklist(PREFIX_STATUSES, `must be one of ${PREFIX_STATUSES.join(", ")}`),
);

const prefixChange = {
  ...attributesOfNetbox,
  ...besidePrefix,
  vrf,
  status: statusOfPrefix,
  is_pool: v.optional(v.boolean("must be true or false")),
  mark_utilized: v.optional(v.literal(false, "must be false: Plat counts what is in use")),
};

export const netboxPrefix = fields({ ...prefixChange, prefix: cidr });

export const netboxPrefixChange = fields({ ...prefixChange, prefix: v.optional(cidr) });

/** The next free prefix. Clients also send the prefix from which they ask, which the path names. */
export const netboxAvailablePrefix = fields({
  ...attributesOfNetbox,
  ...besidePrefix,
  prefix_length: whole(1, BITS[6]),
  ...{ parent: unread, prefix: unread, vrf: unread, status: unread, is_pool: unread },
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
