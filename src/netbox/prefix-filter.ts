import { invalid } from "../api/schema/problem.ts";
import { shortened } from "../api/schema/schema.ts";
import { type Address, parseAddress } from "../net/address.ts";
import { type Cidr, contains, formatCidr, parseNetwork, sameCidr } from "../net/cidr.ts";
import { PREFIX_FIELDS as NEW_PREFIX } from "./contract/bodies.ts";
import { PREFIX_STATUSES } from "./contract/choices.ts";
import { tagSlugsOf, tenantOf } from "./fields.ts";
import {
  type FilterFields,
  fieldNames,
  isFilterOn,
  matching,
  onlyIn,
  type QueryValues,
} from "./filter.ts";
import type { ListOf } from "./list.ts";
import { PAGING } from "./paging.ts";
import {
  currentOfPrefix,
  descriptionOf,
  isNetboxPool,
  type PrefixItem,
  prefixItemId,
  statusOf,
} from "./prefix-item.ts";

/** The filters of prefixes on their networks, and the parameters of their pages. */
const OTHERS: ReadonlySet<string> = new Set([
  ...[...PAGING, "ordering", "vrf_id", "vrf", "prefix", "q", "contains"],
  ...["within", "within_include"],
]);

/** The fields by which a list of prefixes can be filtered and ordered. */
export const PREFIX_FILTER_FIELDS: FilterFields<PrefixItem> = {
  id: { kind: "number", of: prefixItemId },
  prefix: {
    kind: "text",
    of: ({ cidr }) => formatCidr(cidr),
    placeOf: ({ cidr }) => orderOf(cidr),
  },
  family: { kind: "number", of: ({ cidr }) => cidr.family },
  mask_length: { kind: "number", of: ({ cidr }) => cidr.prefix },
  status: { kind: "text", of: statusOf },
  is_pool: { kind: "flag", of: isNetboxPool },
  description: { kind: "text", of: descriptionOf },
  tag: { kind: "slugs", of: (item) => tagSlugsOf(currentOfPrefix(item)) },
  tenant: { kind: "text", of: (item) => tenantOf(currentOfPrefix(item))?.slug ?? "", isSlug: true },
  tenant_id: { kind: "number", of: (item) => tenantOf(currentOfPrefix(item))?.id },
  created: { kind: "time", of: ({ held, madeOf }) => (held ?? madeOf)?.assignedAt },
  last_updated: { kind: "time", of: ({ held, madeOf }) => (held ?? madeOf)?.assignedAt },
};

/** Returns the place of a network among others: by its family, its first address, and its length. */
export const orderOf = ({ family, base, prefix }: Cidr): bigint =>
  (BigInt(family) << 136n) | (base << 8n) | BigInt(prefix);

const { prefix: _, ...FILTERED } = PREFIX_FILTER_FIELDS;

/** Returns true for the name of a filter of prefixes. */
export const isPrefixFilter = (name: string): boolean =>
  OTHERS.has(name) || isFilterOn(FILTERED, name);

/** The list of prefixes, as it tells of itself. */
export const PREFIX_LIST: ListOf = {
  name: "Prefix",
  filters: [...OTHERS, ...fieldNames(FILTERED)],
  fields: NEW_PREFIX,
  choices: { status: PREFIX_STATUSES },
};

/** An address or a network that a prefix must contain. */
type Inside = { readonly address: Address } | { readonly network: Cidr };

/** The networks in a query. */
interface Networks {
  readonly prefixes?: readonly Cidr[] | undefined;
  readonly within?: Cidr | undefined;
  readonly around?: Cidr | undefined;
  readonly inside: readonly Inside[];
  /** A text to search for that is no address. */
  readonly text?: string | undefined;
}

/** Returns a function that tells whether a prefix passes NetBox's filters. */
export function prefixFilter(query: QueryValues): (item: PrefixItem) => boolean {
  const { prefixes, within, around, inside, text } = networksIn(query);
  const passes = matching(query, FILTERED);
  return (item) => {
    const { cidr } = item;
    return (
      (!prefixes || prefixes.some((prefix) => sameCidr(prefix, cidr))) &&
      (!within || (isIn(cidr, within) && !sameCidr(cidr, within))) &&
      (!around || isIn(cidr, around)) &&
      inside.every((each) => holds(cidr, each)) &&
      (text === undefined ||
        descriptionOf(item).toLowerCase().includes(text) ||
        formatCidr(cidr).startsWith(text)) &&
      passes(item)
    );
  };
}

/** Returns the network to which a query narrows the prefixes; nothing if it names none, or several. */
export function narrowest(query: QueryValues): Cidr | undefined {
  const { prefixes = [], within, around, inside } = networksIn(query);
  const [first] = inside;
  const alone = first && ("address" in first ? hostOf(first.address) : first.network);
  return (prefixes.length === 1 ? prefixes[0] : undefined) ?? within ?? around ?? alone;
}

function networksIn(query: QueryValues): Networks {
  const prefixes = query.get("prefix")?.map((text) => networkOf("prefix", text));
  const [within, around] = ["within", "within_include"].map((name) => {
    const text = onlyIn(query, name);
    return text === undefined ? undefined : networkOf(name, text);
  });
  const [text, q] = [onlyIn(query, "contains"), onlyIn(query, "q")];
  const contained = insideOf(text);
  if (text !== undefined && !contained) {
    const problem = "must be an address or a network";
    throw invalid({ field: "?contains", value: shortened(text), problem });
  }
  const searched = insideOf(q);
  return {
    ...{ prefixes, within, around },
    inside: [contained, searched].filter((each) => each !== undefined),
    text: searched ? undefined : q?.toLowerCase(),
  };
}

function networkOf(name: string, text: string): Cidr {
  const read = parseNetwork(text);
  if (read.ok) return read.value;
  throw invalid({ field: `?${name}`, value: shortened(text), problem: read.problem });
}

function insideOf(text: string | undefined): Inside | undefined {
  if (text === undefined) return undefined;
  const address = parseAddress(text);
  if (address.ok) return { address: address.value };
  const network = parseNetwork(text);
  return network.ok ? { network: network.value } : undefined;
}

const hostOf = ({ family, value }: Address): Cidr => ({
  family,
  base: value,
  prefix: family === 4 ? 32 : 128,
});

const holds = (cidr: Cidr, inside: Inside): boolean =>
  "address" in inside ? contains(cidr, inside.address) : isIn(inside.network, cidr);

export const isIn = (inner: Cidr, outer: Cidr): boolean =>
  inner.prefix >= outer.prefix && contains(outer, { family: inner.family, value: inner.base });
