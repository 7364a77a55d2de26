import {
  type Address,
  BITS,
  compareAddresses,
  type Family,
  formatAddress,
  type Parsed,
  parseAddress,
  parsed,
  unreadable,
} from "./address.ts";

/** A network: `base` has no bits below the prefix. */
export interface Cidr {
  readonly family: Family;
  readonly base: bigint;
  readonly prefix: number;
}

/** A run of addresses of one family, both ends included. */
export interface Interval {
  readonly family: Family;
  readonly first: bigint;
  readonly last: bigint;
}

/** Reads `10.0.0.0/16`. It rejects bits below the prefix, which are more likely a mistake than a network. */
export function parseCidr(text: string): Parsed<Cidr> {
  const read = parseNetwork(text);
  if (!read.ok) return read;
  const address = parseAddress(text.slice(0, text.indexOf("/")));
  if (address.ok && address.value.value === read.value.base) return read;
  return unreadable(`has bits set below its prefix; the network is ${formatCidr(read.value)}`);
}

/**
 * Reads `10.0.7.1/16` as `10.0.0.0/16`. It cuts the bits below the prefix, as Go's `net.ParseCIDR` does, with which Kubernetes reads
 * the networks of nodes.
 */
export function parseNetwork(text: string): Parsed<Cidr> {
  const [, ip, digits] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const address = ip === undefined ? undefined : parseAddress(ip);
  if (!address?.ok) return unreadable("is not a CIDR such as 10.0.0.0/16 or 2001:db8::/48");
  const { family } = address.value;
  const prefix = Number(digits);
  if (prefix > BITS[family])
    return unreadable(`has a prefix longer than the ${BITS[family]} bits of IPv${family}`);
  return parsed(cidrOf(address.value, prefix));
}

export function formatCidr({ family, base, prefix }: Cidr): string {
  return `${formatAddress({ family, value: base })}/${prefix}`;
}

/** Returns the network of that prefix length around the address. */
export function cidrOf({ family, value }: Address, prefix: number): Cidr {
  const low = BigInt(BITS[family] - prefix);
  return { family, base: (value >> low) << low, prefix };
}

export function sizeOf({ family, prefix }: Cidr): bigint {
  return 1n << BigInt(BITS[family] - prefix);
}

export function intervalOf(cidr: Cidr): Interval {
  return { family: cidr.family, first: cidr.base, last: cidr.base + sizeOf(cidr) - 1n };
}

/** Reads a CIDR, an address, or a range `a-b` of one family with a not above b. */
export function parseInterval(text: string): Parsed<Interval> {
  if (text.includes("/")) {
    const cidr = parseCidr(text);
    return cidr.ok ? parsed(intervalOf(cidr.value)) : cidr;
  }
  const ends = text.split("-").map((end) => parseAddress(end.trim()));
  const [first, last = first] = ends;
  if (!first?.ok || !last?.ok || ends.length > 2)
    return unreadable("is not a CIDR, an address or a range such as 10.0.0.1-10.0.0.9");
  if (first.value.family !== last.value.family) return unreadable("mixes IPv4 and IPv6");
  if (first.value.value > last.value.value)
    return unreadable("is reversed: its first address is above its last");
  return parsed({
    family: first.value.family,
    first: first.value.value,
    last: last.value.value,
  });
}

/** Returns the same addresses in as few runs as possible, in order. */
export function merged(intervals: readonly Interval[]): readonly Interval[] {
  const runs: Interval[] = [];
  const inOrder = intervals.toSorted((a, b) =>
    a.family !== b.family
      ? a.family - b.family
      : a.first < b.first
        ? -1
        : a.first > b.first
          ? 1
          : 0,
  );
  for (const interval of inOrder) {
    const before = runs.at(-1);
    if (before?.family === interval.family && interval.first <= before.last + 1n) {
      if (interval.last > before.last) runs[runs.length - 1] = { ...before, last: interval.last };
    } else runs.push(interval);
  }
  return runs;
}

export function includes(outer: Interval, inner: Interval): boolean {
  return outer.family === inner.family && outer.first <= inner.first && inner.last <= outer.last;
}

export function overlaps(a: Interval, b: Interval): boolean {
  return a.family === b.family && a.first <= b.last && b.first <= a.last;
}

export function contains(cidr: Cidr, { family, value }: Address): boolean {
  return family === cidr.family && cidr.base <= value && value < cidr.base + sizeOf(cidr);
}

export function sameCidr(a: Cidr, b: Cidr): boolean {
  return a.family === b.family && a.base === b.base && a.prefix === b.prefix;
}

/** Returns each of some networks once, in their order. */
export const distinctCidrs = (cidrs: readonly Cidr[]): readonly Cidr[] =>
  cidrs.filter((cidr, n) => cidrs.findIndex((each) => sameCidr(each, cidr)) === n);

/** Orders networks by their family, and then by their first address. */
export function compareCidrs(a: Cidr, b: Cidr): number {
  return compareAddresses(addressAt(a, 0), addressAt(b, 0)) || a.prefix - b.prefix;
}

/** Returns the address at an ordinal, counted from the network's base. Inverse of `ordinalOf`. */
export function addressAt(cidr: Cidr, ordinal: number): Address {
  return { family: cidr.family, value: cidr.base + BigInt(ordinal) };
}

export function ordinalOf(cidr: Cidr, address: Address): number {
  return Number(address.value - cidr.base);
}
