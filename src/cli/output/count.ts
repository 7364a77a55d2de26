/** A count of addresses in the API: a decimal string if a JSON number would not be exact. */
export type Count = number | string;

/** The size of the IPv4 address space. Larger counts are hard to read in digits. */
const DECIMAL_MAX = 2n ** 32n;
/** The largest distance to a power of two that is written out: `2^64-17`. */
const DISTANCE_MAX = 9_999n;

/**
 * Formats a count for people: in digits up to 2^32, and above that as a power of two, `2^96`. It is exact near a power,
 * `2^96-17`, and otherwise has one decimal, `~2^95.6`.
 */
export function countText(count: Count | bigint): string {
  const value = BigInt(count);
  if (value <= DECIMAL_MAX) return `${value}`;
  const below = BigInt(value.toString(2).length - 1);
  const over = value - 2n ** below;
  const short = 2n ** (below + 1n) - value;
  if (over <= DISTANCE_MAX) return `2^${below}${over === 0n ? "" : `+${over}`}`;
  if (short <= DISTANCE_MAX) return `2^${below + 1n}-${short}`;
  return `~2^${Number(Math.log2(Number(value)).toFixed(1))}`;
}

/** Returns `1 address`, `2 addresses` or `2^96 addresses`. */
export const counted = (count: Count | bigint, one: string, many = `${one}s`): string =>
  BigInt(count) === 1n ? `1 ${one}` : `${countText(count)} ${many}`;

/** Returns a count and its share, `17 (7%)`: to the nearest whole, halves up. A count above 2^32 has no share. */
export function withShare(count: Count, total: Count): string {
  const [part, whole] = [BigInt(count), BigInt(total)];
  const text = countText(count);
  if (whole === 0n || part > DECIMAL_MAX) return text;
  return `${text} (${(200n * part + whole) / (2n * whole)}%)`;
}
