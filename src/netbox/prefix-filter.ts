import { invalid } from "../api/schema/problem.ts";
import { shortened } from "../api/schema/schema.ts";
import { type Address, parseAddress } from "../net/address.ts";
import { type Cidr, contains, parseNetwork, sameCidr } from "../net/cidr.ts";
import { tagsOf } from "./fields.ts";
import { descriptionOf, idOf, isPoolOf, type PrefixItem, statusOf } from "./prefix-item.ts";
import type { Asked } from "./request.ts";

/** The filters of prefixes. */
export const PREFIX_FILTERS: ReadonlySet<string> = new Set([
  ...["limit", "offset", "vrf_id", "vrf", "id", "prefix", "q", "contains", "within", "tag"],
  ...["within_include", "family", "status", "is_pool", "mask_length", "description"],
]);

/** An address or a network that a prefix must contain. */
type Inside = { readonly address: Address } | { readonly network: Cidr };

/** The networks in a query. */
interface Networks {
  readonly prefix?: Cidr | undefined;
  readonly within?: Cidr | undefined;
  readonly within_include?: Cidr | undefined;
  readonly inside: readonly Inside[];
  /** A text to search for that is no address. */
  readonly text?: string | undefined;
}

/** Returns a function that tells whether a prefix passes NetBox's filters. */
export function prefixFilter(query: Asked["query"]): (item: PrefixItem) => boolean {
  const networks = networksIn(query);
  const { prefix, within, within_include: around, inside, text } = networks;
  const { id, family, status, is_pool: isPool, mask_length: length, description, tag } = query;
  return (item) => {
    const { cidr, held } = item;
    return (
      (id === undefined || id.split(",").includes(String(idOf(item)))) &&
      (!prefix || sameCidr(prefix, cidr)) &&
      (!within || (isIn(cidr, within) && !sameCidr(cidr, within))) &&
      (!around || isIn(cidr, around)) &&
      inside.every((each) => holds(cidr, each)) &&
      (family === undefined || family === String(cidr.family)) &&
      (status === undefined || status.split(",").includes(statusOf(item))) &&
      (isPool === undefined || isPool.toLowerCase() === String(isPoolOf(item))) &&
      (length === undefined || length === String(cidr.prefix)) &&
      (description === undefined || description === descriptionOf(item)) &&
      (tag === undefined || tagsOf(held?.attributes ?? {}).includes(tag)) &&
      (text === undefined || descriptionOf(item).toLowerCase().includes(text))
    );
  };
}

/** Returns the network to which a query narrows the prefixes; nothing if it names none. */
export function narrowest(query: Asked["query"]): Cidr | undefined {
  const networks = networksIn(query);
  const { prefix, within, within_include: around, inside } = networks;
  const [first] = inside;
  const alone = first && ("address" in first ? hostOf(first.address) : first.network);
  return prefix ?? within ?? around ?? alone;
}

function networksIn(query: Asked["query"]): Networks {
  const found: Record<string, Cidr | undefined> = {};
  for (const name of ["prefix", "within", "within_include"]) {
    const text = query[name];
    const read = text === undefined ? undefined : parseNetwork(text);
    if (read && !read.ok)
      throw invalid({ field: `?${name}`, value: shortened(text), problem: read.problem });
    found[name] = read?.value;
  }
  const { contains: text, q } = query;
  const contained = insideOf(text);
  if (text !== undefined && !contained) {
    const problem = "must be an address or a network";
    throw invalid({ field: "?contains", value: shortened(text), problem });
  }
  const searched = insideOf(q);
  return {
    ...found,
    inside: [contained, searched].filter((each) => each !== undefined),
    text: searched ? undefined : q?.toLowerCase(),
  };
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
