/** A count of addresses as the API tells it: a decimal text where a number would not be exact. */
export type Count = number | string;

/** `17 (7%)`: the count itself is never rounded, and the share is to the nearest whole, halves up. */
export function withShare(count: Count, total: Count): string {
  const [part, whole] = [BigInt(count), BigInt(total)];
  return whole === 0n ? `${part}` : `${part} (${(200n * part + whole) / (2n * whole)}%)`;
}
