import { invalid } from "../api/schema/problem.ts";
import { shortened } from "../api/schema/schema.ts";
import { type Address, formatAddress, parseAddress } from "../net/address.ts";
import { formatCidr, type Interval, parseInterval } from "../net/cidr.ts";
import { fieldsBody } from "./fields.ts";
import { addressId, prefixId } from "./ids.ts";
import { type Network, networksOf, networkWith, type PoolBody, placeOf } from "./networks.ts";
import { onPage } from "./paging.ts";
import { inPlaceOf, type Plat } from "./plat.ts";
import { prefixWith } from "./prefixes.ts";
import { type Asked, type Operation, rejectUnknownFilters } from "./request.ts";
import { nestedVrf, noSuch, spaceOfQuery } from "./vrfs.ts";

/* The ranges of ranged pools, as IP ranges, and the networks of a space, as aggregates. Both are read only. */

/** A range of a ranged pool. */
interface Range {
  readonly network: Network;
  readonly pool: PoolBody;
  readonly interval: Interval;
}

const RANGE_FILTERS = new Set([
  ...["limit", "offset", "vrf_id", "vrf", "id", "start_address", "end_address", "family"],
]);

/** Lists the ranges of a space. */
export const listRanges: Operation = async (asked, plat) => {
  const { query, base } = asked;
  rejectUnknownFilters(query, (name) => RANGE_FILTERS.has(name));
  const space = await spaceOfQuery(asked, plat);
  const networks = await networksOf(plat, space);
  const ends: Record<string, bigint | undefined> = {};
  for (const name of ["start_address", "end_address"]) {
    const text = query[name]?.replace(/\/.*/, "");
    const read = text === undefined ? undefined : parseAddress(text);
    if (read && !read.ok)
      throw invalid({ field: `?${name}`, value: shortened(text), problem: read.problem });
    ends[name] = read?.value.value;
  }
  const { start_address: start, end_address: end } = ends;
  const { id, family } = query;
  const ranges = networks
    .flatMap(rangesOf)
    .filter(
      ({ network, interval }) =>
        (start === undefined || start === interval.first) &&
        (end === undefined || end === interval.last) &&
        (family === undefined || family === String(network.cidr.family)) &&
        (id === undefined || id.split(",").includes(String(idOf(network, interval)))),
    );
  const bodies = ranges.flatMap((range) => rangeBody(range, base) ?? []);
  return onPage(asked, bodies);
};

/** Reads a range by its id, which is that of its first address. */
export const readRange: Operation = async (asked, plat) => {
  const found = await rangeWith(asked, plat);
  return { status: 200, body: rangeBody(found, asked.base) ?? {} };
};

/** Finds the range with the id in the path, and the networks of its space. */
export async function rangeWith(
  { id }: Asked,
  plat: Plat,
): Promise<Range & { readonly networks: readonly Network[] }> {
  const notFound = () => noSuch("IP range", id);
  const place = await placeOf(plat, id).catch(inPlaceOf("not_found", notFound));
  const networks = await networksOf(plat, place.space);
  const network = networkWith(networks, place.address);
  const range = (network ? rangesOf(network) : []).find(
    ({ interval }) => interval.first === place.address.value,
  );
  if (!range) throw notFound();
  return { ...range, networks };
}

/** Lists the networks of a space as aggregates: Plat knows nothing around them. */
export const listAggregates: Operation = async (asked, plat) => {
  const { query, base } = asked;
  const known = ["limit", "offset", "prefix", "family", "id"];
  rejectUnknownFilters(query, (name) => known.includes(name));
  const networks = await networksOf(plat, "default");
  const { prefix, family, id } = query;
  const passing = networks.filter(
    ({ space, cidr }) =>
      (prefix === undefined || prefix === formatCidr(cidr)) &&
      (family === undefined || family === String(cidr.family)) &&
      (id === undefined || id.split(",").includes(String(prefixId(space, cidr, cidr)))),
  );
  return onPage(
    asked,
    passing.map((network) => aggregateBody(network, base)),
  );
};

/** Reads an aggregate by its id, which is that of its prefix. */
export const readAggregate: Operation = async (asked, plat) => {
  const item = await prefixWith(asked, plat);
  if (item.held) throw noSuch("aggregate", asked.id);
  return { status: 200, body: aggregateBody(item.network, asked.base) };
};

const rangesOf = (network: Network): readonly Range[] =>
  network.pools.flatMap((pool) =>
    (pool.ranges ?? []).flatMap((text) => {
      const read = parseInterval(text);
      return read.ok ? [{ network, pool, interval: read.value }] : [];
    }),
  );

const idOf = ({ space, cidr }: Network, { family, first }: Interval): number | undefined =>
  addressId(space, cidr, { family, value: first });

function rangeBody({ network, pool, interval }: Range, base: string): object | undefined {
  const id = idOf(network, interval);
  if (id === undefined) return undefined;
  const { family, first, last } = interval;
  const length = pool.prefixLength ?? network.cidr.prefix;
  const text = (value: bigint) => `${formatAddress({ family, value } as Address)}/${length}`;
  const { dns_name: _, ...fields } = fieldsBody({
    description: pool.description ?? pool.name,
    ...(pool.tags && { tags: pool.tags.join(",") }),
    status: pool.disabled ? "deprecated" : "active",
  });
  return {
    id,
    url: `${base}ipam/ip-ranges/${id}/`,
    display: `${text(first)}-${text(last)}`,
    family: { value: family, label: `IPv${family}` },
    start_address: text(first),
    end_address: text(last),
    size: Number(last - first + 1n),
    vrf: nestedVrf(network.space, base),
    tenant: null,
    ...fields,
    mark_utilized: false,
    created: null,
    last_updated: null,
  };
}

function aggregateBody({ space, cidr, pools }: Network, base: string): object {
  const id = prefixId(space, cidr, cidr);
  const text = formatCidr(cidr);
  return {
    id,
    url: `${base}ipam/aggregates/${id}/`,
    display: text,
    family: { value: cidr.family, label: `IPv${cidr.family}` },
    prefix: text,
    rir: null,
    tenant: null,
    date_added: null,
    description: pools.map(({ name }) => name).join(", "),
    comments: "",
    tags: [],
    custom_fields: {},
    created: null,
    last_updated: null,
  };
}
