import ipaddr from "ipaddr.js";

/** A network of either family. The base has no bits below the length of the prefix. */
export interface Cidr {
  /** The bits of an address: 32 or 128. */
  readonly bits: 32 | 128;
  readonly base: bigint;
  readonly length: number;
}

/** As many addresses as a network of its length has, from any address on. Its text is that of a CIDR. */
export type Stretch = Cidr;

/** Returns the CIDR that a text means, with an address as a network of one. Returns nothing for any other text. */
export function readCidr(text: string): Cidr | undefined {
  const read = readStretch(text);
  return read && around(read.bits, read.base, read.length);
}

/** Returns the stretch of addresses from the address of a text on. Returns nothing for what is no CIDR. */
export function readStretch(text: string): Stretch | undefined {
  const [, ip = "", digits] = /^([0-9a-f:.]+)(?:\/(\d{1,3}))?$/i.exec(text.trim()) ?? [];
  if (!ipaddr.IPv4.isValidFourPartDecimal(ip) && !ipaddr.IPv6.isValid(ip)) return undefined;
  const bytes = ipaddr.parse(ip).toByteArray();
  const bits = bytes.length === 4 ? 32 : 128;
  const length = digits === undefined ? bits : Number(digits);
  if (length > bits) return undefined;
  const value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return { bits, base: value, length };
}

/** Returns the network of a prefix length around an address. */
export function around(bits: 32 | 128, value: bigint, length: number): Cidr {
  const low = BigInt(bits - length);
  return { bits, base: (value >> low) << low, length };
}

/** Returns the text of an address. */
export function addressText({ bits, base }: Pick<Cidr, "bits" | "base">): string {
  const bytes = Array.from({ length: bits / 8 }, (_, i) =>
    Number((base >> BigInt(bits - 8 * (i + 1))) & 255n),
  );
  return ipaddr.fromByteArray(bytes).toString();
}

/** Returns the text of what a handle holds: an address, or the prefix that the address stands for. */
export const heldText = (held: {
  readonly address: string;
  readonly prefix?: string | undefined;
}): string => held.prefix ?? held.address;

/** Returns `10.0.0.0/16`. */
export const cidrText = (cidr: Cidr): string => `${addressText(cidr)}/${cidr.length}`;

/** Returns the text of a stretch: its CIDR, or its first address and its last. */
export function stretchText(stretch: Stretch): string {
  const { bits, base } = stretch;
  if (coveredBy(stretch).length === 1) return cidrText(stretch);
  return `${addressText(stretch)} to ${addressText({ bits, base: base + sizeOf(stretch) - 1n })}`;
}

/** Returns the networks of the length of a stretch that have its addresses: one or two. */
export function coveredBy(stretch: Stretch): readonly Cidr[] {
  const first = around(stretch.bits, stretch.base, stretch.length);
  return first.base === stretch.base ? [first] : [first, part(first, first.length, 1)];
}

/** Returns the stretch within a network that is nearest to a stretch. */
export function within(whole: Cidr, stretch: Stretch): Stretch {
  const last = whole.base + sizeOf(whole) - sizeOf(stretch);
  const { base } = stretch;
  return { ...stretch, base: base < whole.base ? whole.base : base > last ? last : base };
}

/** Returns the stretch after this many stretches of its length, or before them. */
export const after = (stretch: Stretch, count: number): Stretch =>
  part(stretch, stretch.length, count);

const sizeOf = ({ bits, length }: Cidr): bigint => 1n << BigInt(bits - length);

/** Returns true if the first network has all addresses of the second one. */
export const contains = (outer: Cidr, inner: Cidr): boolean =>
  outer.bits === inner.bits &&
  outer.length <= inner.length &&
  around(inner.bits, inner.base, outer.length).base === outer.base;

/** Returns the network of a prefix length at a place within another one, from 0. */
export const part = (outer: Cidr, length: number, index: number): Cidr => ({
  bits: outer.bits,
  base: outer.base + (BigInt(index) << BigInt(outer.bits - length)),
  length,
});

/** Returns the place of a network among the parts of a prefix length of another one, from 0. */
export const indexIn = (outer: Cidr, length: number, { bits, base }: Cidr): number =>
  Number((base - outer.base) >> BigInt(bits - length));
