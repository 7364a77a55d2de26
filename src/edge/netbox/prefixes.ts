import { invalid, Problem } from "../../contract/schema/problem.ts";
import { shortened } from "../../contract/schema/schema.ts";
import { type Address, parseAddress } from "../../domain/address.ts";
import { type Cidr, contains, formatCidr, parseNetwork, sameCidr } from "../../domain/cidr.ts";
import { fieldsBody } from "./fields.ts";
import { hasPoolCode, namedByPrefixId, prefixId, prefixOfBits } from "./ids.ts";
import { type Network, networksOf, spacesNamed } from "./networks.ts";
import { onPage } from "./paging.ts";
import type { Plat } from "./plat.ts";
import { type Asked, type Operation, unknownFilters } from "./request.ts";
import { nestedVrf, noSuch, onlyOf, spaceOfQuery } from "./vrfs.ts";

/** The filters of prefixes. */
const FILTERS = new Set([
  ...["limit", "offset", "vrf_id", "vrf", "id", "prefix", "q", "contains", "within"],
  ...["within_include", "family", "status", "is_pool", "mask_length", "description"],
]);

/** Lists the pools of a space as prefixes. */
export const listPrefixes: Operation = async (asked, plat) => {
  const unknown = unknownFilters(asked.query, (name) => FILTERS.has(name));
  if (unknown) return unknown;
  const space = await spaceOfQuery(asked, plat);
  if (space instanceof Problem) return space;
  const networks = await networksOf(plat, space);
  if (networks instanceof Problem) return networks;
  const passes = prefixFilter(asked.query);
  if (passes instanceof Problem) return passes;
  return onPage(
    asked,
    networks.filter(passes).map((network) => prefixBody(network, asked.base)),
  );
};

/** Reads a prefix by its id. */
export const readPrefix: Operation = async (asked, plat) => {
  const found = await networkOf(asked, plat);
  return found instanceof Problem
    ? found
    : { status: 200, body: prefixBody(found.network, asked.base) };
};

/** Finds the network with the id in the path, and all networks of its space. */
export async function networkOf(
  { id }: Asked,
  plat: Plat,
): Promise<{ readonly network: Network; readonly networks: readonly Network[] } | Problem> {
  const named = namedByPrefixId(id);
  const spaces = await spacesNamed(plat, named);
  if (spaces instanceof Problem) return spaces;
  const found: { network: Network; networks: readonly Network[] }[] = [];
  const cidr = named.family === 4 ? prefixOfBits(named.rest) : undefined;
  for (const space of spaces) {
    const networks = await networksOf(plat, space);
    if (networks instanceof Problem) return networks;
    const isNamed = (network: Network) =>
      named.family === 4
        ? cidr !== undefined && sameCidr(network.cidr, cidr)
        : named.place === 0n && hasPoolCode(space, network.cidr, named.poolCode);
    found.push(...networks.filter(isNamed).map((network) => ({ network, networks })));
  }
  const clash = onlyOf(
    found.map(({ network }) => `${formatCidr(network.cidr)} of ${network.space}`),
  );
  if (clash instanceof Problem) return clash;
  return found[0] ?? noSuch("prefix", id);
}

function prefixFilter(query: Asked["query"]): ((network: Network) => boolean) | Problem {
  const { id, family, status, is_pool: isPool, mask_length: length, description, q } = query;
  const networks: Record<string, Cidr | undefined> = {};
  for (const name of ["prefix", "within", "within_include"]) {
    const text = query[name];
    const read = text === undefined ? undefined : parseNetwork(text);
    if (read && !read.ok)
      return invalid({ field: `?${name}`, value: shortened(text), problem: read.problem });
    networks[name] = read?.value;
  }
  const inside = containedIn(query);
  if (inside instanceof Problem) return inside;
  const { prefix, within, within_include: around } = networks;
  const text = q === undefined || inside.q ? undefined : q.toLowerCase();
  return (network) => {
    const { cidr } = network;
    return (
      (id === undefined || id.split(",").includes(String(idOf(network)))) &&
      (!prefix || sameCidr(prefix, cidr)) &&
      (!within || (isIn(cidr, within) && !sameCidr(cidr, within))) &&
      (!around || isIn(cidr, around)) &&
      inside.all.every((each) => holds(cidr, each)) &&
      (family === undefined || family === String(cidr.family)) &&
      (status === undefined || status.split(",").includes(statusOf(network))) &&
      (isPool === undefined || isPool === String(isPoolOf(network))) &&
      (length === undefined || length === String(cidr.prefix)) &&
      (description === undefined || description === descriptionOf(network)) &&
      (text === undefined || descriptionOf(network).includes(text))
    );
  };
}

/** An address or a network that a prefix must contain. */
type Inside = { readonly address: Address } | { readonly network: Cidr };

function containedIn({ contains: text, q }: Asked["query"]) {
  const read = (each: string | undefined): Inside | undefined => {
    if (each === undefined) return undefined;
    const address = parseAddress(each);
    if (address.ok) return { address: address.value };
    const network = parseNetwork(each);
    return network.ok ? { network: network.value } : undefined;
  };
  const wanted = read(text);
  if (text !== undefined && !wanted)
    return invalid({
      field: "?contains",
      value: shortened(text),
      problem: "must be an address or a network",
    });
  const searched = read(q);
  return {
    all: [wanted, searched].filter((each) => each !== undefined),
    q: searched !== undefined,
  };
}

const holds = (cidr: Cidr, inside: Inside): boolean =>
  "address" in inside ? contains(cidr, inside.address) : isIn(inside.network, cidr);

const isIn = (inner: Cidr, outer: Cidr): boolean =>
  inner.prefix >= outer.prefix && contains(outer, { family: inner.family, value: inner.base });

const idOf = ({ space, cidr }: Network) => prefixId(space, cidr, cidr);

/** A pool of prefixes is a container of them, and a pool that serves nobody is deprecated. */
const statusOf = ({ pools }: Network): string =>
  pools.every(({ disabled, state }) => disabled || state !== undefined)
    ? "deprecated"
    : pools.some(({ assign }) => assign === "prefixes")
      ? "container"
      : "active";

/** As in NetBox, a pool assigns its first and its last address too. */
const isPoolOf = ({ pools }: Network): boolean =>
  pools.some(({ assign, kind }) => assign === "addresses" && kind !== "subnet");

const descriptionOf = ({ pools }: Network): string => pools.map(({ name }) => name).join(", ");

/** Returns a prefix of NetBox. Its description names its pools. */
function prefixBody(network: Network, base: string): object {
  const { space, cidr } = network;
  const id = idOf(network);
  const text = formatCidr(cidr);
  const { dns_name: _, ...fields } = fieldsBody({
    description: descriptionOf(network),
    status: statusOf(network),
  });
  return {
    id,
    url: `${base}ipam/prefixes/${id}/`,
    display: text,
    family: { value: cidr.family, label: `IPv${cidr.family}` },
    prefix: text,
    vrf: nestedVrf(space, base),
    scope_type: null,
    scope_id: null,
    scope: null,
    tenant: null,
    vlan: null,
    ...fields,
    is_pool: isPoolOf(network),
    mark_utilized: false,
    created: null,
    last_updated: null,
    children: 0,
    _depth: 0,
  };
}
