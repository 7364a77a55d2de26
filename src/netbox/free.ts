import * as v from "valibot";
import type { Event, HttpAnswer } from "../api/http/event.ts";
import { parseNamedWith, parseQuery } from "../api/http/parameters.ts";
import { cidr, readable, wholeText } from "../api/schema/field.ts";
import { NETBOX_PER_PAGE_MAX } from "../base/limits.ts";
import { type Address, formatAddress } from "../net/address.ts";
import { type Cidr, formatCidr, type Interval, parseInterval } from "../net/cidr.ts";
import { lengthIn, type Network, type PoolBody } from "./networks.ts";
import { parsePage } from "./paging.ts";
import type { Plat } from "./plat.ts";
import { networkOf, prefixWith } from "./prefixes.ts";
import { rangeWith } from "./ranges.ts";
import { type DialectRequest, type Operation, rejectUnknownFilters } from "./request.ts";
import { nestedVrf } from "./vrfs.ts";

/** The key of a read that Plat's own routes do not have. It requires the role of any read in the space. */
export const FREE = "GET /v1/pools/{name}/free";

/** The key of another such read: what is free in an assigned prefix that has no pool. */
export const FREE_IN_PREFIX = "GET /v1/prefixes/free";

const LIMIT = { limit: wholeText(1, NETBOX_PER_PAGE_MAX) };

const WANTED = {
  ...LIMIT,
  within: v.optional(
    readable(parseInterval, { description: "A range", examples: ["10.0.0.10-10.0.0.19"] }),
  ),
};

/** Parses which free addresses or prefixes of a pool a request of the dialect asks for. */
export const parseFree = (event: Event) => parseNamedWith(event, WANTED);

/** Parses of which assigned prefix a request of the dialect asks for the free addresses. */
export const parseFreeInPrefix = (event: Event) => parseQuery(event, { ...LIMIT, cidr });

export const freeAnswer = (free: readonly Cidr[]): HttpAnswer => ({
  status: 200,
  body: { free: free.map(formatCidr) },
});

/** Lists the first free addresses of a prefix, as many as the limit says, without pages. */
export const listAvailable: Operation = async (asked, plat) => {
  const limit = limitOf(asked);
  const { network, cidr, held } = await prefixWith(asked, plat);
  const free = held
    ? await freeInPrefix(plat, network, cidr, limit)
    : await freeIn(plat, network, { pools: poolsOf(network, "addresses"), limit });
  return addressesAnswer(asked, network, free);
};

/** Lists the first free addresses of a range. */
export const listAvailableInRange: Operation = async (asked, plat) => {
  const limit = limitOf(asked);
  const { network, pool, interval } = await rangeWith(asked, plat);
  const free = await freeIn(plat, network, { pools: [pool], limit, within: interval });
  return addressesAnswer(asked, network, free);
};

/** Lists the first free prefixes of a pool of prefixes. */
export const listAvailablePrefixes: Operation = async (asked, plat) => {
  const limit = limitOf(asked);
  const { network } = await networkOf(asked, plat);
  const { space, cidr } = network;
  const free = await freeIn(plat, network, { pools: poolsOf(network, "prefixes"), limit });
  const vrf = nestedVrf(space, asked.base);
  const { family } = cidr;
  return { status: 200, body: free.map(({ text: prefix }) => ({ family, prefix, vrf })) };
};

function limitOf(asked: DialectRequest): number {
  rejectUnknownFilters(asked.query, (name) => name === "limit");
  return parsePage(asked).limit;
}

const poolsOf = ({ pools }: Network, assign: PoolBody["assign"]) =>
  pools.filter((pool) => pool.assign === assign);

/** The free addresses or prefixes of some pools to list. */
interface FreeIn {
  readonly pools: readonly PoolBody[];
  readonly limit: number;
  readonly within?: Interval;
}

/** A free prefix, or a free address as a prefix, and the prefix length of its network. */
interface Free {
  readonly text: string;
  readonly length: number;
}

async function freeIn(
  plat: Plat,
  network: Network,
  { pools, limit, within }: FreeIn,
): Promise<readonly Free[]> {
  const free: Free[] = [];
  for (const pool of pools) {
    if (free.length === limit) break;
    const { name } = pool;
    const length = lengthIn(network, pool);
    const query = {
      limit: String(limit - free.length),
      ...(within && { within: textOf(within) }),
    };
    const read = await plat.call<{ free: string[] }>(FREE, {
      ...{ space: network.space, path: { name }, query },
    });
    free.push(...read.free.map((text) => ({ text, length })));
  }
  return free;
}

const textOf = ({ family, first, last }: Interval): string =>
  [first, last].map((value) => formatAddress({ family, value } as Address)).join("-");

/** Returns the first free addresses of an assigned prefix, of which the first address will make a pool. */
async function freeInPrefix(
  plat: Plat,
  { space }: Network,
  cidr: Cidr,
  limit: number,
): Promise<readonly Free[]> {
  const query = { cidr: formatCidr(cidr), limit: String(limit) };
  const read = await plat.call<{ free: string[] }>(FREE_IN_PREFIX, { space, query });
  return read.free.map((text) => ({ text, length: cidr.prefix }));
}

function addressesAnswer(
  { base }: DialectRequest,
  { space, cidr: { family } }: Network,
  free: readonly Free[],
): HttpAnswer {
  const vrf = nestedVrf(space, base);
  const body = free.map(({ text, length }) => ({
    family,
    address: `${text.replace(/\/.*/, "")}/${length}`,
    vrf,
  }));
  return { status: 200, body };
}
