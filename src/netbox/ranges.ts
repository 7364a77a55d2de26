import { invalid } from "../api/schema/problem.ts";
import { shortened } from "../api/schema/schema.ts";
import { type Address, formatAddress, parseAddress } from "../net/address.ts";
import { type AddressSet, subtract } from "../net/address-set.ts";
import { formatCidr, type Interval } from "../net/cidr.ts";
import { isForApplications } from "../nouns/pool/application-pools.ts";
import { fieldsBody } from "./fields.ts";
import {
  type FilterFields,
  fieldNames,
  isFilterOn,
  matching,
  ordered,
  type QueryValues,
} from "./filter.ts";
import { addressId, prefixId, slugOf } from "./ids.ts";
import type { ListOf } from "./list.ts";
import {
  lengthIn,
  type Network,
  networksOf,
  networkWith,
  type PoolBody,
  placeOf,
  setOf,
} from "./networks.ts";
import { onPage, PAGING } from "./paging.ts";
import { inPlaceOf, type Plat } from "./plat.ts";
import { orderOf } from "./prefix-filter.ts";
import { prefixWith } from "./prefixes.ts";
import { type DialectRequest, type Operation, rejectUnknownFilters } from "./request.ts";
import { nestedVrf, noSuch, spaceOfQuery } from "./vrfs.ts";

/* The ranges of ranged pools, as IP ranges, and the networks of a space, as aggregates. Both are read only. */

/** A range of a ranged pool. */
interface Range {
  readonly network: Network;
  readonly pool: PoolBody;
  readonly interval: Interval;
}

const RANGE_FIELDS: FilterFields<Range> = {
  id: { kind: "number", of: ({ network, interval }) => idOf(network, interval) },
  family: { kind: "number", of: ({ network }) => network.cidr.family },
  description: { kind: "text", of: ({ pool }) => pool.description ?? pool.name },
  tag: { kind: "slugs", of: ({ pool }) => (pool.tags ?? []).map(slugOf) },
  status: { kind: "text", of: ({ pool }) => rangeStatus(pool) },
};

const RANGE_FILTERS = new Set([
  ...[...PAGING, "ordering", "vrf_id", "vrf", "start_address", "end_address"],
]);

export const RANGE_LIST: ListOf = {
  name: "IP Range",
  filters: [...RANGE_FILTERS, ...fieldNames(RANGE_FIELDS)],
};

/** Lists the ranges of a space. */
export const listRanges: Operation = async (asked, plat) => {
  const { query, base } = asked;
  rejectUnknownFilters(query, (name) => RANGE_FILTERS.has(name) || isFilterOn(RANGE_FIELDS, name));
  const space = await spaceOfQuery(asked, plat);
  const unreadable: object[] = [];
  const networks = await networksOf(plat, space, unreadable);
  const [starts, ends] = [endsIn(query, "start_address"), endsIn(query, "end_address")];
  const passes = matching(query, RANGE_FIELDS);
  const ranges = networks
    .flatMap(rangesOf)
    .filter(
      (range) =>
        (!starts || starts.includes(range.interval.first)) &&
        (!ends || ends.includes(range.interval.last)) &&
        passes(range),
    );
  const bodies = ordered(query, RANGE_FIELDS, ranges).flatMap(
    (range) => rangeBody(range, base) ?? [],
  );
  return onPage(asked, bodies, unreadable);
};

/** Reads the addresses of a filter; nothing if the query does not have it. */
function endsIn(query: QueryValues, name: string): readonly bigint[] | undefined {
  return query.get(name)?.map((text) => {
    const read = parseAddress(text.replace(/\/.*/, ""));
    if (read.ok) return read.value.value;
    throw invalid({ field: `?${name}`, value: shortened(text), problem: read.problem });
  });
}

/** Reads a range by its id, which is that of its first address. */
export const readRange: Operation = async (asked, plat) => {
  const found = await rangeWith(asked, plat);
  return { status: 200, body: rangeBody(found, asked.base) ?? {} };
};

/** Finds the range with the id in the path, and the networks of its space. */
export async function rangeWith(
  { id }: DialectRequest,
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

const AGGREGATE_FIELDS: FilterFields<Network> = {
  id: { kind: "number", of: ({ space, cidr }) => prefixId(space, cidr, cidr) },
  family: { kind: "number", of: ({ cidr }) => cidr.family },
  prefix: {
    kind: "text",
    of: ({ cidr }) => formatCidr(cidr),
    placeOf: ({ cidr }) => orderOf(cidr),
  },
};

const AGGREGATE_FILTERS: readonly string[] = [...PAGING, "ordering"];

export const AGGREGATE_LIST: ListOf = {
  name: "Aggregate",
  filters: [...AGGREGATE_FILTERS, ...fieldNames(AGGREGATE_FIELDS)],
};

/** Lists the networks of a space as aggregates: Plat knows nothing around them. */
export const listAggregates: Operation = async (asked, plat) => {
  const { query, base } = asked;
  rejectUnknownFilters(
    query,
    (name) => AGGREGATE_FILTERS.includes(name) || isFilterOn(AGGREGATE_FIELDS, name),
  );
  const unreadable: object[] = [];
  const networks = await networksOf(plat, "default", unreadable);
  const passing = networks.filter(matching(query, AGGREGATE_FIELDS));
  return onPage(
    asked,
    ordered(query, AGGREGATE_FIELDS, passing).map((network) => aggregateBody(network, base)),
    unreadable,
  );
};

/** Reads an aggregate by its id, which is that of its prefix. */
export const readAggregate: Operation = async (asked, plat) => {
  const item = await prefixWith(asked, plat);
  if (item.held) throw noSuch("aggregate", asked.id);
  return { status: 200, body: aggregateBody(item.network, asked.base) };
};

/**
 * Returns the ranges of the pools of a network, each from its first to its last address that the pool has. So no two begin at one
 * address, whose id each has.
 */
const rangesOf = (network: Network): readonly Range[] =>
  network.pools.flatMap((pool) => {
    const others = withoutOf(pool, network);
    return setOf(pool.ranges).flatMap((range) => {
      const runs = subtract([range], others);
      const [first, last] = [runs[0], runs.at(-1)];
      return first && last
        ? [{ network, pool, interval: { ...range, first: first.first, last: last.last } }]
        : [];
    });
  });

/** Returns what a pool does not have of its ranges. An Applications pool has only what the others leave. */
const withoutOf = (pool: PoolBody, { pools }: Network): AddressSet => [
  ...setOf(pool.excludes),
  ...(isForApplications(pool)
    ? pools
        .filter((other) => other !== pool)
        .flatMap(({ ranges, excludes }) => subtract(setOf(ranges), setOf(excludes)))
    : []),
];

const rangeStatus = ({ disabled, state }: PoolBody): string =>
  disabled || state !== undefined ? "deprecated" : "active";

const idOf = ({ space, cidr }: Network, { family, first }: Interval): number | undefined =>
  addressId(space, cidr, { family, value: first });

function rangeBody({ network, pool, interval }: Range, base: string): object | undefined {
  const id = idOf(network, interval);
  if (id === undefined) return undefined;
  const { family, first, last } = interval;
  const length = lengthIn(network, pool);
  const text = (value: bigint) => `${formatAddress({ family, value } as Address)}/${length}`;
  const { dns_name: _, ...fields } = fieldsBody(
    {
      description: pool.description ?? pool.name,
      ...(pool.tags && { tags: pool.tags.join(",") }),
      status: rangeStatus(pool),
    },
    base,
  );
  return {
    id,
    url: `${base}ipam/ip-ranges/${id}/`,
    display: `${text(first)}-${text(last)}`,
    family: { value: family, label: `IPv${family}` },
    start_address: text(first),
    end_address: text(last),
    size: Number(last - first + 1n),
    vrf: nestedVrf(network.space, base),
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
