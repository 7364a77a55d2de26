import type { Address } from "./address.ts";
import {
  type Cidr,
  contains,
  formatCidr,
  type Interval,
  intervalOf,
  overlaps,
  parseCidr,
  sameCidr,
} from "./cidr.ts";
import { IPV4_MAPPED, plainCidr } from "./plain-form.ts";

/** A range whose addresses no host can have, as IANA's registries of special-purpose addresses name it. */
interface SpecialRange {
  readonly cidr: Cidr;
  readonly name: string;
  readonly source: string;
}

const range = (text: string, name: string, source: string): SpecialRange => {
  const cidr = parseCidr(text);
  if (!cidr.ok) throw new Error(`${text} ${cidr.problem}`);
  return { cidr: cidr.value, name, source };
};

/**
 * Returns the ranges that no pool may overlap. Only a change of a pool reads them, so that no cold start waits for
 * their texts to be parsed. A pool around one of them would assign its addresses as well.
 * Shared address space (100.64.0.0/10, RFC 6598) and 240.0.0.0/4 (RFC 1112, section 4) are not among them: clusters use both.
 * https://www.iana.org/assignments/iana-ipv4-special-registry
 * https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const specialRanges = (): readonly SpecialRange[] => [
  range("0.0.0.0/8", '"this network"', "RFC 791, section 3.2"),
  range("127.0.0.0/8", "loopback", "RFC 1122, section 3.2.1.3"),
  range("169.254.0.0/16", "link-local", "RFC 3927"),
  range("224.0.0.0/4", "multicast", "RFC 5771"),
  range("::/128", "the unspecified address", "RFC 4291, section 2.5.2"),
  range("::1/128", "the loopback address", "RFC 4291, section 2.5.3"),
  range(formatCidr(IPV4_MAPPED), "IPv4-mapped", "RFC 4291, section 2.5.5.2"),
  range("fe80::/10", "link-local", "RFC 4291, section 2.5.6"),
  range("ff00::/8", "multicast", "RFC 4291, section 2.7"),
];

/** The limited broadcast address. No host can have it, and it lies in 240.0.0.0/4, which pools may have. */
const LIMITED_BROADCAST = range(
  "255.255.255.255/32",
  "the limited broadcast address",
  "RFC 919, section 7",
);

/** Addresses that no pool assigns: sorted runs that do not touch. */
export const NEVER_ASSIGNED: readonly Interval[] = [intervalOf(LIMITED_BROADCAST.cidr)];

/** Returns why no pool can have this range, as a clause that continues a sentence; nothing if a pool can. */
export function whyNoPool(cidr: Cidr): string | undefined {
  const named = rangesIn(cidr).map(
    (each) => `${formatCidr(each.cidr)} (${each.name}, ${each.source})`,
  );
  if (named.length === 0) return undefined;
  const plain = plainCidr(cidr);
  const right =
    plain !== cidr && rangesIn(plain).length === 0
      ? `write it as ${formatCidr(plain)}`
      : `a pool takes unicast addresses, such as ${EXAMPLES[cidr.family]}`;
  return `overlaps ${named.join(", ")}, whose addresses no host can have; ${right}`;
}

/** Returns why no request gets this address, as a clause that continues a sentence; nothing if a request can. */
export function whyNeverAssigned(address: Address): string | undefined {
  const { cidr, name, source } = LIMITED_BROADCAST;
  return contains(cidr, address) ? `is ${name} (${source}), which is never assigned` : undefined;
}

function rangesIn(cidr: Cidr): readonly SpecialRange[] {
  if (sameCidr(cidr, LIMITED_BROADCAST.cidr)) return [LIMITED_BROADCAST];
  return specialRanges().filter((each) => overlaps(intervalOf(each.cidr), intervalOf(cidr)));
}

/** Private addresses: RFC 1918 and RFC 4193. */
const EXAMPLES = { 4: "10.0.0.0/16", 6: "fd00:10::/48" } as const;
