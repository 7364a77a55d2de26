import type { Allocation } from "./allocation.ts";

/** Names of its attributes, its key, handle, host and whatever else is bounded by itself. */
const FIXED_BYTES = 2_000;
/** A token, the text of an IPv6 block, a count, and the names of these. */
const PART_BYTES = 120;
const ORDINAL_BYTES = 6;
/** The text of an IPv6 address in the set of those that were freed. */
const GIVEN_BYTES = 48;

/**
 * Returns the maximum size of an allocation's item in bytes, also once every address of it is freed. JSON has a quote, a colon or a
 * comma for every byte that DynamoDB counts beside names and values, so it is never the shorter of the two.
 */
export function allocationBytes({
  attributes,
  assignedBy,
  owners,
  parts,
  quotaSlots,
  also,
  want,
}: Allocation): number {
  const texts = JSON.stringify([attributes, assignedBy, [...owners], quotaSlots, also]);
  const slots = parts.reduce(
    (sum, { ordinals }) => sum + PART_BYTES + ORDINAL_BYTES * ordinals.length,
    0,
  );
  return FIXED_BYTES + Buffer.byteLength(texts) + slots + GIVEN_BYTES * want;
}
