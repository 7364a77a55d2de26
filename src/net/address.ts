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
const GROUPS = 8;

/**
 * Reads `10.0.0.1` (four decimal parts, no leading zeros) or any RFC 4291 text of an IPv6 address without a zone.
 */
export function parseAddress(text: string): Parsed<Address> {
  if (text.length <= TEXT_CHARACTERS_MAX) {
    if (text.includes(":")) {
      const groups = groupsOf(text);
      if (groups) return parsed({ family: 6, value: BigInt(`0x${groups.join("")}`) });
    } else {
      const value = ipv4Value(text);
      if (value !== undefined) return parsed({ family: 4, value: BigInt(value) });
    }
  }
  return unreadable("is not an IPv4 or IPv6 address such as 10.0.0.7 or 2001:db8::7");
}

/** A number from 0 to 255. Some programs read a leading zero as octal, so there is none. */
const PART = "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const FOUR_PARTS = new RegExp(`^${PART}\\.${PART}\\.${PART}\\.${PART}$`);

function ipv4Value(text: string): number | undefined {
  const [, ...parts] = FOUR_PARTS.exec(text) ?? [];
  return parts.length === 0
    ? undefined
    : parts.reduce((value, part) => value * 256 + Number(part), 0);
}

const GROUP = /^[0-9a-f]{1,4}$/i;

/** Returns the eight groups of an IPv6 text, each with four digits (RFC 4291, section 2.2). */
function groupsOf(text: string): readonly string[] | undefined {
  const [before = "", after, ...more] = withoutIpv4(text).split("::");
  if (more.length > 0) return undefined;
  const [first, last] = [before, after ?? ""].map((half) => (half === "" ? [] : half.split(":")));
  const given = [...(first ?? []), ...(last ?? [])];
  const left = GROUPS - given.length;
  // The gap stands for one group at least.
  if (after === undefined ? left !== 0 : left < 1) return undefined;
  if (!given.every((group) => GROUP.test(group))) return undefined;
  const gap = Array<string>(left).fill("0");
  return [...(first ?? []), ...gap, ...(last ?? [])].map((group) => group.padStart(4, "0"));
}

/** Writes a tail in IPv4 notation as the two groups that it stands for. */
function withoutIpv4(text: string): string {
  const tail = text.slice(text.lastIndexOf(":") + 1);
  const value = ipv4Value(tail);
  if (value === undefined) return text;
  const groups = [Math.floor(value / 0x1_0000), value % 0x1_0000];
  return text.slice(0, -tail.length) + groups.map((group) => group.toString(16)).join(":");
}

/** Formats an address; IPv6 in the canonical form of RFC 5952. */
export function formatAddress({ family, value }: Address): string {
  if (family === 4) {
    const n = Number(value);
    return `${n >>> 24}.${(n >>> 16) & 0xff}.${(n >>> 8) & 0xff}.${n & 0xff}`;
  }
  const digits = value.toString(16).padStart(4 * GROUPS, "0");
  const groups = Array.from({ length: GROUPS }, (_, i) =>
    Number.parseInt(digits.slice(4 * i, 4 * i + 4), 16).toString(16),
  );
  const zeros = longestZeros(groups);
  if (zeros.length < 2) return groups.join(":");
  return `${groups.slice(0, zeros.at).join(":")}::${groups.slice(zeros.at + zeros.length).join(":")}`;
}

/** Returns the longest run of zeros, and the first one of several. */
function longestZeros(groups: readonly string[]): { readonly at: number; readonly length: number } {
  let longest = { at: 0, length: 0 };
  let at = 0;
  for (const [i, group] of groups.entries()) {
    if (group !== "0") at = i + 1;
    else if (i + 1 - at > longest.length) longest = { at, length: i + 1 - at };
  }
  return longest;
}

/** Compares two addresses: IPv4 before IPv6, then by value. */
export function compareAddresses(a: Address, b: Address): number {
  if (a.family !== b.family) return a.family - b.family;
  return a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
}

/** The result of parsing a text: the value, or a sentence that says what is wrong and what would be right. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

export const parsed = <T>(value: T): Parsed<T> => ({ ok: true, value });
export const unreadable = (problem: string): { readonly ok: false; readonly problem: string } => ({
  ok: false,
  problem,
});
