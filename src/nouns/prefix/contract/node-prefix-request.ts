import * as v from "valibot";
import { cidr, readable, text, whole } from "../../../api/schema/field.ts";
import { labels } from "../../../api/schema/labels.ts";
import { poolList } from "../../../api/schema/pool-names.ts";
import { fields, list } from "../../../api/schema/schema.ts";
import { CONFIRM_SECONDS_DEFAULT } from "../../../base/limits.ts";
import { FAMILIES } from "../../../net/address.ts";
import { type Cidr, parseNetwork } from "../../../net/cidr.ts";
import { ALLOCATORS } from "../../node/prefixes.ts";

const CONFIRM_SECONDS_MIN = 60;
const CONFIRM_SECONDS_MAX = 86_400;
/** A uid of a node has 36 in Kubernetes. It is part of a handle. */
const NODE_UID_CHARACTERS_MAX = 64;

export const nodeUid = v.pipe(
  text,
  v.regex(
    new RegExp(`^[\\w.-]{1,${NODE_UID_CHARACTERS_MAX}}$`),
    `must be the uid of a Node: 1 to ${NODE_UID_CHARACTERS_MAX} letters, digits, -, _ or .`,
  ),
);

const network = readable(parseNetwork, {
  description: "A network. Bits below its prefix are cut",
  examples: ["10.0.7.0/24", "2001:db8:0:7::/64"],
});

/** Prefixes of a node, at most one of a family. */
const prefixes = v.pipe(
  list(
    network,
    { max: FAMILIES.length },
    {
      type: "must be an array of networks",
      max: "must have at most one network of each family",
    },
  ),
  v.check(
    (cidrs: Cidr[]) => new Set(cidrs.map(({ family }) => family)).size === cidrs.length,
    "must have at most one network of each family",
  ),
);

export const podCidrsBody = fields({
  uid: nodeUid,
  podCIDRs: v.optional(prefixes, []),
  aliases: v.optional(prefixes, []),
  allocator: v.optional(
    v.picklist(ALLOCATORS, `must be one of ${ALLOCATORS.join(", ")}`),
    "RangeAllocator",
  ),
  pools: v.optional(poolList, []),
  hostLabels: v.optional(labels),
  confirmSeconds: v.optional(
    whole(CONFIRM_SECONDS_MIN, CONFIRM_SECONDS_MAX),
    CONFIRM_SECONDS_DEFAULT,
  ),
});

export const podCidrListQuery = { uid: v.optional(nodeUid) };

export const podCidrReleaseQuery = { uid: nodeUid, cidr: v.optional(cidr) };
