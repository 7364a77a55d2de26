import ipaddr from "ipaddr.js";
import { type Parsed, parsed, unreadable } from "./parsed.ts";

export type Family = 4 | 6;

/** An IPv4 or IPv6 address as a number: `value` is below 2^32 or 2^128. */
export interface Address {
  readonly family: Family;
  readonly value: bigint;
}

export const BITS = { 4: 32, 6: 128 } as const;
export const FAMILIES: readonly Family[] = [4, 6];

/** Longest text of an address: eight groups, the last two as IPv4. */
const TEXT_CHARACTERS_MAX = 45;

/**
 * Reads `10.0.0.1` (four decimal parts, no leading zeros) or any RFC 4291 text of an IPv6 address without a zone.
 */
export function parseAddress(text: string): Parsed<Address> {
  if (text.length <= TEXT_CHARACTERS_MAX) {
    // The library rejects IPv4 for an IPv6 text by throwing, which costs more than the rest of the function.
    const isIpv4 = !text.includes(":") && ipaddr.IPv4.isValidFourPartDecimal(text);
    if (isIpv4) return parsed({ family: 4, value: BigInt(text.split(".").reduce(withPart, 0)) });
    if (isIpv6(text))
      return parsed({
        family: 6,
        value: joined(ipaddr.IPv6.parse(text.replace(BARE_IPV4_TAIL, "::0:"))),
      });
  }
  return unreadable("is not an IPv4 or IPv6 address such as 10.0.0.7 or 2001:db8::7");
}

/** Formats an address; IPv6 in the canonical form of RFC 5952. */
export function formatAddress({ family, value }: Address): string {
  if (family === 4) {
    const n = Number(value);
    return `${n >>> 24}.${(n >>> 16) & 0xff}.${(n >>> 8) & 0xff}.${n & 0xff}`;
  }
  const groups = Array.from({ length: 8 }, (_, i) =>
    Number((value >> BigInt(112 - 16 * i)) & 0xffffn),
  );
  return new ipaddr.IPv6(groups).toRFC5952String();
}

/** Compares two addresses: IPv4 before IPv6, then by value. */
export function compareAddresses(a: Address, b: Address): number {
  if (a.family !== b.family) return a.family - b.family;
  return a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
}

/** The library reads `::10.0.0.7` as the IPv4-mapped `::ffff:10.0.0.7`, but it is `::a00:7` (RFC 4291, section 2.2). */
const BARE_IPV4_TAIL = /^::(?=\d+\.)/;

/** Checks an IPv6 text; a tail in IPv4 notation follows the rules of an IPv4 address. */
function isIpv6(text: string): boolean {
  const tail = text.slice(text.lastIndexOf(":") + 1);
  return (
    text.includes(":") &&
    !text.includes("%") &&
    (!tail.includes(".") || ipaddr.IPv4.isValidFourPartDecimal(tail)) &&
    ipaddr.IPv6.isValid(text)
  );
}

/** The number of the parts so far and the next decimal one. */
const withPart = (sum: number, part: string): number => sum * 256 + Number(part);

const joined = (ip: ipaddr.IPv6): bigint =>
  ip.parts.reduce((sum, part) => (sum << 16n) | BigInt(part), 0n);
