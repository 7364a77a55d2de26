import { SPACE_DEFAULT } from "../api/route.ts";
import { fnv1a64 } from "../base/hash.ts";
import { type Address, BITS } from "../net/address.ts";
import { type Cidr, contains, formatCidr, sizeOf } from "../net/cidr.ts";

/*
 * Ids of NetBox's dialect (docs/decisions/103-ids-of-netbox-are-computed.md). An id is computed from what it names, and Plat finds
 * that again from the id: nothing is stored. Every id is below 2^53, because JSON has no more digits for many programs.
 *
 * | of | bits, from the highest |
 * | an IPv4 address | 0, code of the space (19), address (32) |
 * | an IPv4 prefix | code of the space (19), 1 and the bits of the prefix (33) |
 * | an IPv6 address or prefix | 1, code of the space (12), code of the pool (16), place in the pool (24) |
 * | a tag or a tenant | its slug as a number of base 38, if it is short |
 */

const CODE_BITS = 19n;
const V6 = 2n ** 52n;
const V6_SPACE_BITS = 12n;
const V6_POOL_BITS = 16n;
const V6_PLACE_BITS = 24n;
/** As many addresses of an IPv6 pool have ids: its first ones. */
export const V6_PLACES_MAX = 2n ** V6_PLACE_BITS;

/** The parts of an id. Its space is one of those with the code, and its pool one of those with the code of the pool. */
export type IdParts =
  | { readonly family: 4; readonly code: number; readonly rest: bigint }
  | {
      readonly family: 6;
      readonly code: number;
      readonly poolCode: number;
      /** Counted from 0. */
      readonly place: bigint;
    };

/** Returns the code of a space, which is also the id of its VRF. `default` has 0, as the global table of NetBox has no VRF. */
export const spaceCode = (space: string): number =>
  space === SPACE_DEFAULT ? 0 : Number((fnv1a64(space) % (2n ** CODE_BITS - 1n)) + 1n);

/** Returns true if a space can be the one that an id names. */
export const hasCode = (space: string, { family, code }: IdParts): boolean =>
  code === (family === 4 ? spaceCode(space) : spaceCode(space) % 2 ** Number(V6_SPACE_BITS));

/** Returns true if the network of a pool can be the one that an id of IPv6 names. */
export const hasPoolCode = (space: string, pool: Cidr, poolCode: number): boolean =>
  pool.family === 6 && poolCodeOf(space, pool) === poolCode;

/**
 * Returns the id of an address in a pool.
 *
 * @returns nothing for an IPv6 address that is not among the first 2^24 of the pool
 */
export function addressId(space: string, pool: Cidr, address: Address): number | undefined {
  if (address.family === 6) return v6Id(space, pool, address.value - pool.base);
  return Number((BigInt(spaceCode(space)) << 32n) | address.value);
}

/**
 * Returns the id of a prefix: of the pool, or of one that is assigned from the pool.
 *
 * @returns nothing for an IPv6 prefix that is not among the first 2^24 - 1 of the pool
 */
export function prefixId(space: string, pool: Cidr, cidr: Cidr): number | undefined {
  if (cidr.family === 4) return Number((BigInt(spaceCode(space)) << 33n) | bitsOf(cidr));
  const isPool = cidr.prefix === pool.prefix;
  return v6Id(space, pool, isPool ? 0n : (cidr.base - pool.base) / sizeOf(cidr) + 1n);
}

/** Reads the id of an address. */
export const namedByAddressId = (id: number): IdParts => namedBy(id, 32n);

/** Reads the id of a prefix. */
export const namedByPrefixId = (id: number): IdParts => namedBy(id, 33n);

/** Returns the address that an id names in a space; for IPv6, in a pool with the code of the id. */
export function addressNamed(named: IdParts, pool?: Cidr): Address | undefined {
  if (named.family === 4) return { family: 4, value: named.rest };
  if (!pool) return undefined;
  const address: Address = { family: 6, value: pool.base + named.place };
  return contains(pool, address) ? address : undefined;
}

/** Returns the prefix that an IPv4 id names; nothing if the id names none. */
export function prefixOfBits(bits: bigint): Cidr | undefined {
  const prefix = bits.toString(2).length - 1;
  if (bits === 0n || prefix > BITS[4]) return undefined;
  const base = (bits - 2n ** BigInt(prefix)) << BigInt(BITS[4] - prefix);
  return { family: 4, base, prefix };
}

/** Returns the slug of a label from its name, or from a slug, which stays as it is but for its capitals. */
export const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_-]+/gu, "-")
    .replace(/^-+|-+$/g, "");

/** The characters of slugs that ids have. Each is a digit from 1 on, so that no two slugs have one number. */
const SLUG_DIGITS = "abcdefghijklmnopqrstuvwxyz0123456789-_";
/** Slugs of up to this length have numbers below 2^53. */
export const SLUG_IN_ID_CHARACTERS_MAX = 10;
const SLUGS_IN_IDS = numberOf("_".repeat(SLUG_IN_ID_CHARACTERS_MAX)) + 1;

/** Returns the id of a slug. A short one is its own number, and a longer one has a hash above all of these. */
export function slugId(slug: string): number {
  const isShort = slug.length <= SLUG_IN_ID_CHARACTERS_MAX;
  if (isShort && [...slug].every((digit) => SLUG_DIGITS.includes(digit))) return numberOf(slug);
  return SLUGS_IN_IDS + Number(fnv1a64(slug) % BigInt(Number.MAX_SAFE_INTEGER - SLUGS_IN_IDS));
}

/** Returns the slug that an id is the number of; nothing for the id of a longer one. */
export function slugOfId(id: number): string | undefined {
  if (!Number.isSafeInteger(id) || id < 1 || id >= SLUGS_IN_IDS) return undefined;
  let slug = "";
  for (let rest = id; rest > 0; ) {
    const digit = ((rest - 1) % SLUG_DIGITS.length) + 1;
    slug = SLUG_DIGITS.charAt(digit - 1) + slug;
    rest = (rest - digit) / SLUG_DIGITS.length;
  }
  return slug;
}

function numberOf(slug: string): number {
  let number = 0;
  for (const digit of slug) number = number * SLUG_DIGITS.length + SLUG_DIGITS.indexOf(digit) + 1;
  return number;
}

function v6Id(space: string, pool: Cidr, place: bigint): number | undefined {
  if (place < 0n || place >= V6_PLACES_MAX) return undefined;
  const code = BigInt(spaceCode(space)) % 2n ** V6_SPACE_BITS;
  const within = (BigInt(poolCodeOf(space, pool)) << V6_PLACE_BITS) | place;
  return Number(V6 | (code << (V6_POOL_BITS + V6_PLACE_BITS)) | within);
}

function namedBy(id: number, bits: bigint): IdParts {
  const value = BigInt(id);
  if (value < V6) return { family: 4, code: Number(value >> bits), rest: value % 2n ** bits };
  const below = value - V6;
  return {
    family: 6,
    code: Number(below >> (V6_POOL_BITS + V6_PLACE_BITS)),
    poolCode: Number((below >> V6_PLACE_BITS) % 2n ** V6_POOL_BITS),
    place: below % 2n ** V6_PLACE_BITS,
  };
}

const poolCodeOf = (space: string, pool: Cidr): number =>
  Number(fnv1a64(`${space}/${formatCidr(pool)}`) % 2n ** V6_POOL_BITS);

/** Returns the bits of an IPv4 prefix behind a 1, so that prefixes of all lengths differ. */
const bitsOf = ({ base, prefix }: Cidr): bigint =>
  (2n ** BigInt(prefix)) | (base >> BigInt(BITS[4] - prefix));
