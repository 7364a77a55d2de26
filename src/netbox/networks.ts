import type * as v from "valibot";
import { SPACE_DEFAULT } from "../api/route.ts";
import { type Address, formatAddress } from "../net/address.ts";
import { type AddressSet, includesAddress } from "../net/address-set.ts";
import { type Cidr, contains, parseCidr, parseInterval } from "../net/cidr.ts";
import { isForApplications } from "../nouns/pool/application-pools.ts";
import type { poolRead, poolsRead } from "../nouns/pool/contract/answer.ts";
import { addressNamed, hasCode, hasPoolCode, type IdParts, namedByAddressId } from "./ids.ts";
import { type Plat, pagesOf } from "./plat.ts";
import { noSuch, onlyOf } from "./vrfs.ts";

export type PoolBody = v.InferOutput<typeof poolRead>;
type Pools = v.InferOutput<typeof poolsRead>;

/** The pools of one CIDR, which are one prefix of NetBox. Only ranged pools share a CIDR. */
export interface Network {
  readonly space: string;
  readonly cidr: Cidr;
  readonly pools: readonly PoolBody[];
  /** The network of the pool of prefixes, if its pool is made of a prefix of that. */
  readonly parent?: Cidr;
}

/**
 * Returns the networks of a space, in the order of its pools' names. None has a pool whose creation was cut off: that serves nobody
 * until a repeat of the request continues it.
 *
 * @param unreadable gets the pools that cannot be read
 */
export const networksOf = (
  plat: Plat,
  space: string,
  unreadable: object[] = [],
): Promise<readonly Network[]> =>
  networksWith(({ state }) => state !== "pending", plat, space, unreadable);

/** Returns the networks of a space that a request can delete: those of pools whose creation was cut off too. */
export const networksToDelete = (plat: Plat, space: string): Promise<readonly Network[]> =>
  networksWith(() => true, plat, space, []);

async function networksWith(
  isMeant: (pool: PoolBody) => boolean,
  plat: Plat,
  space: string,
  unreadable: object[],
): Promise<readonly Network[]> {
  const networks = new Map<string, { cidr: Cidr; pools: PoolBody[] }>();
  const listed = { space, query: { limit: "250" } };
  for await (const page of pagesOf<Pools>(plat, "GET /v1/pools", listed)) {
    for (const pool of page.pools.filter(isMeant)) {
      const cidr = parseCidr(pool.cidr);
      if (!cidr.ok) continue;
      const network = networks.get(pool.cidr) ?? { cidr: cidr.value, pools: [] };
      network.pools.push(pool);
      networks.set(pool.cidr, network);
    }
    unreadable.push(...(page.unreadable ?? []));
  }
  const all = [...networks.values()];
  return all.map((network) => {
    const parent = parentOf(network, all);
    return { ...network, space, ...(parent && { parent }) };
  });
}

/** Returns the network of which a network is one prefix; nothing if it is none. */
function parentOf(
  { cidr, pools }: Pick<Network, "cidr" | "pools">,
  all: readonly Pick<Network, "cidr" | "pools">[],
): Cidr | undefined {
  const names = pools.flatMap(({ parent }) => parent ?? []);
  if (names.length === 0) return undefined;
  return all.find(({ pools }) =>
    pools.some(({ name, blockSize }) => names.includes(name) && blockSize === cidr.prefix),
  )?.cidr;
}

/** Returns a function that reads the networks of a space once, however often it is asked. */
export function networksOnce(plat: Plat): (space: string) => Promise<readonly Network[]> {
  const read = new Map<string, Promise<readonly Network[]>>();
  return (space) => {
    const networks = read.get(space) ?? networksOf(plat, space);
    read.set(space, networks);
    return networks;
  };
}

/** Returns the spaces that an id can name, among those that the caller may know of. */
export async function spacesNamed(plat: Plat, named: IdParts): Promise<readonly string[]> {
  // Most ids are those of the global table, and say so.
  if (named.family === 4 && named.code === 0) return [SPACE_DEFAULT];
  const spaces = await plat.spaces();
  return spaces.filter((space) => hasCode(space, named));
}

/** An address that an id names. */
export interface Place {
  readonly space: string;
  readonly address: Address;
}

/** Finds the address of an id, whether it is assigned or not. */
export async function placeOf(
  plat: Plat,
  id: number,
  networksIn = networksOnce(plat),
): Promise<Place> {
  const named = namedByAddressId(id);
  const spaces = await spacesNamed(plat, named);
  const places: Place[] = [];
  for (const space of spaces)
    if (named.family === 4) places.push({ space, address: addressNamed(named) as Address });
    else {
      const networks = await networksIn(space);
      for (const { cidr } of networks) {
        if (!hasPoolCode(space, cidr, named.poolCode)) continue;
        const address = addressNamed(named, cidr);
        if (address) places.push({ space, address });
      }
    }
  onlyOf(places.map(({ space, address }) => `${formatAddress(address)} of ${space}`));
  const [place] = places;
  if (!place) throw noSuch("IP address", id);
  return place;
}

/** Returns the network of a space that has the address: the smallest, because a pool can be made of a prefix of another. */
export const networkWith = (networks: readonly Network[], address: Address): Network | undefined =>
  networks
    .filter(({ cidr }) => contains(cidr, address))
    .toSorted((a, b) => b.cidr.prefix - a.cidr.prefix)[0];

/** Returns the prefix length of an address of a network: that of its pool. Ranged pools of one CIDR can differ. */
export function lengthAt(network: Network, address: Address): number {
  const having = network.pools.filter(
    ({ ranges, excludes = [] }) =>
      !ranges ||
      (includesAddress(setOf(ranges), address) && !includesAddress(setOf(excludes), address)),
  );
  // An Applications pool has only what the others leave.
  return lengthIn(network, having.find((pool) => !isForApplications(pool)) ?? having[0]);
}

/** Returns the prefix length of the addresses of a pool of a network. A pool without one has that of the Applications pool around it. */
export const lengthIn = ({ cidr, pools }: Network, pool: PoolBody | undefined): number =>
  pool?.prefixLength ?? pools.find(isForApplications)?.prefixLength ?? cidr.prefix;

/** Returns the addresses of the ranges of a pool, or of what it excludes, as Plat writes them. */
export const setOf = (ranges: readonly string[] = []): AddressSet =>
  ranges.flatMap((text) => {
    const read = parseInterval(text);
    return read.ok ? [read.value] : [];
  });
