import type * as v from "valibot";
import { invalid, type Problem } from "../api/schema/problem.ts";
import { ADDRESSES_PER_PAGE_MAX } from "../base/limits.ts";
import { handleOfPrefixes } from "../kernel/values/handle.ts";
import { formatAddress } from "../net/address.ts";
import { addressAt, type Cidr, formatCidr, parseCidr, sameCidr, sizeOf } from "../net/cidr.ts";
import type { addressesRead } from "../nouns/address/contract/answer.ts";
import type { HeldAddress } from "./fields.ts";
import { ordered } from "./filter.ts";
import { hasPoolCode, type IdParts, namedByPrefixId, prefixOfBits } from "./ids.ts";
import { type Network, networksOf, spacesNamed } from "./networks.ts";
import { NETBOX_LIST_MS_MAX, onPage } from "./paging.ts";
import { inPlaceOf, type Plat, pagesOf } from "./plat.ts";
import {
  isIn,
  isPrefixFilter,
  narrowest,
  PREFIX_FILTER_FIELDS,
  prefixFilter,
} from "./prefix-filter.ts";
import { itemOf, netboxPrefixBody, type PrefixItem } from "./prefix-item.ts";
import { type DialectRequest, type Operation, rejectUnknownFilters } from "./request.ts";
import { noSuch, onlyOf, spaceOfQuery } from "./vrfs.ts";

/** Lists the pools of a space as prefixes, and the prefixes that are assigned from them. */
export const listNetboxPrefixes: Operation = async (asked, plat) => {
  const { query, base } = asked;
  rejectUnknownFilters(query, isPrefixFilter);
  const space = await spaceOfQuery(asked, plat);
  const unreadable: object[] = [];
  const startedAtMs = plat.now();
  const networks = await networksOf(plat, space, unreadable);
  const passes = prefixFilter(query);
  const items: PrefixItem[] = [];
  const listed = { part: narrowest(query), startedAtMs, unreadable };
  for (const network of networks) {
    const assigned = await assignedIn(plat, network, listed);
    items.push(itemOf(network), ...assigned);
  }
  const passing = withoutMade(items).filter(passes);
  const bodies = ordered(query, PREFIX_FILTER_FIELDS, passing).flatMap(
    (item) => netboxPrefixBody(item, base) ?? [],
  );
  return onPage(asked, bodies, unreadable);
};

/** Reads a prefix by its id. */
export const readNetboxPrefix: Operation = async (asked, plat) => {
  const item = await ownedPrefix(asked, plat);
  return { status: 200, body: netboxPrefixBody(item, asked.base) ?? {} };
};

/** Finds the prefix with the id in the path, with the owner of one of which a pool is made. */
export async function ownedPrefix(
  asked: Pick<DialectRequest, "id">,
  plat: Plat,
): Promise<PrefixItem> {
  const item = await prefixWith(asked, plat);
  const { network, cidr, held } = item;
  const [parent] = network.pools.flatMap(({ parent }) => parent ?? []);
  if (held || parent === undefined) return item;
  const text = formatCidr(cidr);
  const wanted = { space: network.space, query: { pool: parent, cidr: text } };
  for await (const { addresses } of pagesOf<Addresses>(plat, "GET /v1/addresses", wanted)) {
    const read = addresses.find(({ prefix }) => prefix === text);
    const madeOf = read && heldOf(read);
    if (madeOf) return { ...item, madeOf };
  }
  return item;
}

/**
 * Finds the prefix with the id in the path: a network, or an assigned prefix.
 *
 * @param networksIn returns the networks of a space that count
 */
export async function prefixWith(
  { id }: Pick<DialectRequest, "id">,
  plat: Plat,
  networksIn: (plat: Plat, space: string) => Promise<readonly Network[]> = networksOf,
): Promise<PrefixItem> {
  const named = namedByPrefixId(id);
  const spaces = await spacesNamed(plat, named);
  const items: PrefixItem[] = [];
  for (const space of spaces) {
    const networks = await networksIn(plat, space);
    for (const each of networks) {
      const cidr = cidrNamed(named, each);
      if (!cidr) continue;
      // The network of a pool that is made of the prefix stands for both.
      const network = networks.find((one) => sameCidr(one.cidr, cidr)) ?? each;
      const isFound = items.some((item) => item.network === network && sameCidr(item.cidr, cidr));
      if (!isFound) items.push({ network, cidr });
    }
  }
  onlyOf(items.map(({ network, cidr }) => `${formatCidr(cidr)} of ${network.space}`));
  const [item] = items;
  if (!item) throw noSuch("prefix", id);
  const { network, cidr } = item;
  if (sameCidr(network.cidr, cidr)) return item;
  const path = { ip: formatAddress(addressAt(cidr, 0)) };
  const { space } = network;
  const read = await plat
    .call<HeldAddress>("GET /v1/addresses/{ip}", { space, path })
    .catch(inPlaceOf("not_found", () => noSuch("prefix", id)));
  const held = read.prefix === formatCidr(cidr) ? heldOf(read) : undefined;
  if (!held) throw noSuch("prefix", id);
  return { ...item, held };
}

/** Returns what a prefix has that a read of its first address tells of; nothing if nobody has it. */
function heldOf({
  handle = "",
  attributes = {},
  assignedAt,
  owner,
}: HeldAddress): PrefixItem["held"] {
  if (handle === "") return undefined;
  return {
    ...{ handle: handleOfPrefixes(handle) ?? handle, attributes },
    ...(assignedAt !== undefined && { assignedAt }),
    ...(owner && { owner }),
  };
}

/** Finds the network with the id in the path, and all networks of its space. */
export async function networkOf(
  asked: DialectRequest,
  plat: Plat,
): Promise<{ readonly network: Network; readonly networks: readonly Network[] }> {
  const item = await prefixWith(asked, plat);
  if (item.held) {
    const text = formatCidr(item.cidr);
    const problem = `is that of ${text}, which is assigned as a whole and has no prefixes in it`;
    throw invalid({ field: "id", value: asked.id, problem });
  }
  const networks = await networksOf(plat, item.network.space);
  return { network: item.network, networks };
}

/** Leaves out the prefixes of which pools are made: the network of the pool stands for both, with the owner of the prefix. */
const withoutMade = (items: readonly PrefixItem[]): readonly PrefixItem[] => {
  const owners = new Map(
    items.flatMap(({ cidr, held }) => (held ? [[formatCidr(cidr), held] as const] : [])),
  );
  const ownedNow = (item: PrefixItem): PrefixItem => {
    const madeOf =
      item.held || !item.network.parent ? undefined : owners.get(formatCidr(item.cidr));
    return madeOf ? { ...item, madeOf } : item;
  };
  const networks = items.filter(({ network, cidr }) => sameCidr(network.cidr, cidr));
  const listed = items.filter(
    (item) =>
      networks.includes(item) ||
      !networks.some(
        ({ network, cidr }) => network.space === item.network.space && sameCidr(cidr, item.cidr),
      ),
  );
  return listed.map(ownedNow);
};

type Addresses = v.InferOutput<typeof addressesRead>;

/** Returns the prefix that an id names in a network; nothing if it names none there. */
function cidrNamed(named: IdParts, { space, cidr, pools }: Network): Cidr | undefined {
  const length = pools.find(({ assign }) => assign === "prefixes")?.blockSize;
  if (named.family === 4) {
    const prefix = prefixOfBits(named.rest);
    if (!prefix || cidr.family !== 4) return undefined;
    if (sameCidr(prefix, cidr)) return cidr;
    return prefix.prefix === length && isIn(prefix, cidr) ? prefix : undefined;
  }
  if (!hasPoolCode(space, cidr, named.poolCode)) return undefined;
  if (named.place === 0n) return cidr;
  if (length === undefined) return undefined;
  const first: Cidr = { ...cidr, prefix: length };
  const prefix = { ...first, base: cidr.base + (named.place - 1n) * sizeOf(first) };
  return isIn(prefix, cidr) ? prefix : undefined;
}

/** A list of prefixes that is being read. */
interface Listing {
  /** The part of the space that the query names. */
  readonly part: Cidr | undefined;
  readonly startedAtMs: number;
  /** Gets the items that may belong to the list and cannot be read. */
  readonly unreadable: object[];
}

/** Returns the prefixes that callers have of a network, in a part of it if a query names one. */
async function assignedIn(
  plat: Plat,
  network: Network,
  { part, startedAtMs, unreadable }: Listing,
): Promise<readonly PrefixItem[]> {
  const { space, cidr, pools } = network;
  const items: PrefixItem[] = [];
  if (part && !isIn(part, cidr) && !isIn(cidr, part)) return items;
  const within = part && !isIn(cidr, part) ? { cidr: formatCidr(part) } : {};
  for (const pool of pools.filter(({ assign }) => assign === "prefixes")) {
    const before = items.length;
    const query = { pool: pool.name, limit: String(ADDRESSES_PER_PAGE_MAX), ...within };
    for await (const found of pagesOf<Addresses>(plat, "GET /v1/addresses", { space, query })) {
      for (const each of found.addresses) {
        const read = parseCidr(each.prefix ?? "");
        const held = heldOf(each);
        if (read.ok && held) items.push({ network, cidr: read.value, held });
      }
      unreadable.push(...(found.unreadable ?? []));
      const isOver = plat.now() - startedAtMs >= NETBOX_LIST_MS_MAX;
      const isMore = items.length - before > ADDRESSES_PER_PAGE_MAX;
      if (isMore || (isOver && found.next !== undefined)) throw tooMany(cidr);
    }
  }
  return items;
}

const tooMany = (cidr: Cidr): Problem =>
  invalid({
    field: "?within",
    problem: `must name a part of ${formatCidr(cidr)} that has at most ${ADDRESSES_PER_PAGE_MAX} prefixes and is read in ${NETBOX_LIST_MS_MAX / 1_000} s`,
  });
