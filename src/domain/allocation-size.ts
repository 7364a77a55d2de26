import type { Allocation } from "./allocation.ts";

/** Bytes of its attribute names, key, handle and host, and of all other fields with a fixed bound. */
const FIXED_BYTES = 2_000;
/** A token, the text of an IPv6 block, a count, a mark, and the names of these, of the pool and of the interface. */
const PART_BYTES = 160;
const ORDINAL_BYTES = 6;
/** The text of an IPv6 address, in the set of released addresses and in that of conflicts. */
const RELEASED_BYTES = 96;

/**
 * Returns the maximum size of an allocation's item in bytes, including the state in which all its addresses are freed.
 * JSON has a quote, a colon or a comma for every byte that DynamoDB counts besides names and values. So the JSON text
 * is never shorter than the item.
 */
export function allocationBytes({
  attributes,
  assignedBy,
  charges,
  indexed,
  owners,
  parts,
  quotaSlots,
  reused,
  want,
  workload,
}: Allocation): number {
  const texts = JSON.stringify([
    attributes,
    assignedBy,
    charges,
    indexed,
    [...owners],
    quotaSlots,
    reused,
    workload,
  ]);
  const slots = parts.reduce((sum, { ordinals, pool = "", interface: of = "" }) => {
    const names = pool.length + of.length;
    return sum + PART_BYTES + names + ORDINAL_BYTES * ordinals.length;
  }, 0);
  return FIXED_BYTES + Buffer.byteLength(texts) + slots + RELEASED_BYTES * want;
}
