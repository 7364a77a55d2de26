import { assertTexts, assertWhole } from "../../base/assertions.ts";
import { type Cidr, intervalOf, overlaps, sameCidr } from "../../net/cidr.ts";
import { isAncestor } from "./hierarchy.ts";

/** A range of the space that belongs to a pool. */
export interface AddressPlanEntry {
  readonly pool: string;
  readonly id: string;
  /** Present for a ranged pool: its subnet, whose pools share the range. */
  readonly subnetId?: string;
  /** Present for a pool that is made of a prefix of another pool: the id of that pool. */
  readonly parentId?: string;
  readonly cidr: Cidr;
  readonly blockSize: number;
}

/**
 * Every range of a space, in one item. A pool gets its range by a compare-and-swap on this item, so no two pools
 * overlap.
 */
export interface AddressPlan {
  readonly space: string;
  readonly entries: readonly AddressPlanEntry[];
  /** Absent until the first pool. */
  readonly revision?: string;
}

/** Checks that a plan has its revision, and each entry the id of its pool. @throws {Error} */
export function assertPlan({ space, entries, revision = "" }: AddressPlan): void {
  assertTexts({ space, revision });
  for (const { pool, id, subnetId = id, parentId = id, blockSize } of entries) {
    assertTexts({ pool, id, subnetId, parentId });
    assertWhole({ blockSize });
  }
}

/**
 * Returns the plan with this entry in it, or the entry that overlaps it. A pool and those around it overlap by right. The entry
 * replaces an earlier one with the same pool id. The entry of a deleting pool with the same name stays until its range is free.
 */
export function planned(
  plan: AddressPlan,
  entry: AddressPlanEntry,
): { readonly entries: readonly AddressPlanEntry[] } | { readonly inTheWay: AddressPlanEntry } {
  const others = plan.entries.filter(({ id }) => id !== entry.id);
  const inTheWay = others.find(
    (other) =>
      overlaps(intervalOf(other.cidr), intervalOf(entry.cidr)) &&
      !mayShare(other, entry) &&
      !isAncestor(other, entry, others) &&
      !isAncestor(entry, other, others),
  );
  return inTheWay ? { inTheWay } : { entries: [...others, entry] };
}

/** The range of a pool, and whether other ranged pools can share it. */
type Shared = Pick<AddressPlanEntry, "subnetId" | "cidr" | "blockSize">;

/** Returns true if two pools can share their range: both are ranged, with one CIDR and one block size. */
export const mayShare = (one: Shared, other: Shared): boolean =>
  one.subnetId !== undefined &&
  other.subnetId !== undefined &&
  sameCidr(one.cidr, other.cidr) &&
  one.blockSize === other.blockSize;

/** Bytes of its key, its revision and its format numbers. */
const FIXED_BYTES = 1_000;
/** An id, the text of an IPv6 network, a prefix length, and the names of these, as DynamoDB counts them. */
const ENTRY_BYTES = 90;
/** The id of a subnet, and its name. */
const SUBNET_BYTES = 30;
/** The id of a parent, and its name. */
const PARENT_BYTES = 30;

/** Returns how many bytes the item of a plan with these entries has at most: names of pools are ASCII. */
export const planBytes = (entries: readonly AddressPlanEntry[]): number =>
  FIXED_BYTES +
  ENTRY_BYTES * entries.length +
  SUBNET_BYTES * entries.filter(({ subnetId }) => subnetId !== undefined).length +
  PARENT_BYTES * entries.filter(({ parentId }) => parentId !== undefined).length +
  nameBytes(entries);

/** Returns how many of these bytes the names of its pools take. */
export const nameBytes = (entries: readonly AddressPlanEntry[]): number =>
  entries.reduce((sum, { pool }) => sum + pool.length, 0);
