import type * as v from "valibot";
import { type Cidr, formatCidr, sameCidr } from "../net/cidr.ts";
import type { heldPrefix } from "../nouns/prefix/contract/answer.ts";
import {
  currentOf,
  fieldOf,
  fieldsBody,
  HANDLE_FIELD,
  type HeldAddress,
  NETBOX_HANDLES,
} from "./fields.ts";
import { prefixId } from "./ids.ts";
import type { Network } from "./networks.ts";
import { nestedVrf } from "./vrfs.ts";

type HeldPrefix = Pick<v.InferOutput<typeof heldPrefix>, "handle" | "attributes" | "assignedAt"> &
  Pick<HeldAddress, "owner">;

/** A prefix of NetBox: a network of pools, or a prefix that somebody has of it. */
export interface PrefixItem {
  readonly network: Network;
  readonly cidr: Cidr;
  /** Absent for the network itself. */
  readonly held?: HeldPrefix;
  /** The holder of the prefix that the pool of the network is made of; absent for any other item. */
  readonly madeOf?: HeldPrefix;
}

/** Returns the item of a network itself. */
export const itemOf = (network: Network): PrefixItem => ({ network, cidr: network.cidr });

/** Returns the id of a prefix; nothing if it has none. A pool that is made of a prefix does not change the id of the prefix. */
export function prefixItemId({ network, cidr }: PrefixItem): number | undefined {
  const { space, parent } = network;
  const isMade = parent !== undefined && sameCidr(network.cidr, cidr);
  return (
    (isMade ? prefixId(space, parent, cidr) : undefined) ?? prefixId(space, network.cidr, cidr)
  );
}

/** Returns the attributes of a prefix: those of its owner, and the description and the tags of the pools where it has none. */
export function currentOfPrefix({ network: { pools }, held, madeOf }: PrefixItem) {
  if (held) return currentOf(held);
  const descriptions = pools.map(({ description = "" }) => description).filter(Boolean);
  const tags = pools.flatMap((pool) => pool.tags ?? []);
  return {
    description: [...new Set(descriptions)].join(", "),
    tags: [...new Set(tags)].join(","),
    ...(madeOf && currentOf(madeOf)),
  };
}

export const descriptionOf = (item: PrefixItem): string =>
  fieldOf(currentOfPrefix(item), "description");

/** A pool of prefixes is a container of them, and a pool that serves nobody is deprecated. */
export function statusOf({ network: { pools }, held }: PrefixItem): string {
  if (held) return "active";
  if (pools.every(({ disabled, state }) => disabled || state !== undefined)) return "deprecated";
  return pools.some(({ assign }) => assign === "prefixes") ? "container" : "active";
}

/** As in NetBox, a pool assigns its first and its last address too. */
export const isNetboxPool = ({ network: { pools }, held }: PrefixItem): boolean =>
  !held && pools.some(({ assign, kind }) => assign === "addresses" && kind !== "subnet");

/** Returns a prefix as NetBox has it; nothing if it has no id. */
export function netboxPrefixBody(item: PrefixItem, base: string): object | undefined {
  const { network, cidr, held, madeOf } = item;
  const id = prefixItemId(item);
  if (id === undefined) return undefined;
  const text = formatCidr(cidr);
  const { handle = "", assignedAt = null } = held ?? madeOf ?? {};
  const isNamed = handle !== "" && !handle.startsWith(NETBOX_HANDLES);
  const { dns_name: _, ...fields } = fieldsBody(
    { ...currentOfPrefix(item), status: statusOf(item) },
    base,
    isNamed ? { [HANDLE_FIELD]: handle } : {},
  );
  return {
    id,
    url: `${base}ipam/prefixes/${id}/`,
    display: text,
    family: { value: cidr.family, label: `IPv${cidr.family}` },
    prefix: text,
    vrf: nestedVrf(network.space, base),
    scope_type: null,
    scope_id: null,
    scope: null,
    vlan: null,
    ...fields,
    role: null,
    is_pool: isNetboxPool(item),
    mark_utilized: false,
    created: assignedAt,
    last_updated: assignedAt,
    children: 0,
    _depth: held || madeOf ? 1 : 0,
    // NetBox has no such field, and its clients read over it.
    pools: network.pools.map(({ name }) => name),
  };
}
