import { type Address, formatAddress, type Parsed, parseAddress, parsed } from "./address.ts";
import {
  type Cidr,
  contains,
  formatCidr,
  type Interval,
  includes,
  intervalOf,
  parseCidr,
  parseInterval,
} from "./cidr.ts";

/**
 * The IPv4-mapped IPv6 addresses, `::ffff:0:0/96`: each is a second text of the IPv4 address in its last 32 bits.
 * https://www.rfc-editor.org/rfc/rfc4291#section-2.5.5.2
 */
export const IPV4_MAPPED: Cidr = { family: 6, base: 0xffffn << 32n, prefix: 96 };

/** Reads an address as callers write it: an IPv4-mapped address becomes its IPv4 address. */
export function parsePlainAddress(text: string): Parsed<Address> {
  const read = parseAddress(text);
  return read.ok ? parsed(plainAddress(read.value)) : read;
}

/** Reads a CIDR as callers write it: a CIDR of IPv4-mapped addresses becomes its IPv4 CIDR. */
export function parsePlainCidr(text: string): Parsed<Cidr> {
  const read = parseCidr(text);
  return read.ok ? parsed(plainCidr(read.value)) : read;
}

/**
 * Reads a CIDR, an address or a range `a-b` as callers write it.
 *
 * @returns the interval, and its text without blanks: as IPv4 if it was written with IPv4-mapped addresses, else
 *   unchanged
 */
export function parsePlainInterval(
  text: string,
): Parsed<{ readonly text: string; readonly interval: Interval }> {
  const plain = text.includes("/")
    ? plainText(text, parseCidr, plainCidr, formatCidr)
    : rangeText(text);
  const read = parseInterval(plain);
  return read.ok ? parsed({ text: plain.replaceAll(/\s/g, ""), interval: read.value }) : read;
}

/** Returns the IPv4 CIDR of a CIDR of IPv4-mapped addresses, and any other CIDR unchanged. */
export function plainCidr(cidr: Cidr): Cidr {
  if (!includes(intervalOf(IPV4_MAPPED), intervalOf(cidr))) return cidr;
  const base = cidr.base - IPV4_MAPPED.base;
  return { family: 4, base, prefix: cidr.prefix - IPV4_MAPPED.prefix };
}

function plainAddress(address: Address): Address {
  if (!contains(IPV4_MAPPED, address)) return address;
  return { family: 4, value: address.value - IPV4_MAPPED.base };
}

const rangeText = (text: string): string =>
  text
    .split("-")
    .map((end) => plainText(end.trim(), parseAddress, plainAddress, formatAddress))
    .join("-");

/** Returns the plain form of an IPv4-mapped text; other texts do not change. */
function plainText<T>(
  text: string,
  parse: (text: string) => Parsed<T>,
  plain: (value: T) => T,
  format: (value: T) => string,
): string {
  const read = parse(text);
  if (!read.ok || plain(read.value) === read.value) return text;
  return format(plain(read.value));
}
