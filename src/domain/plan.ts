import { type Cidr, intervalOf, overlaps } from "./cidr.ts";

/** A range of the space that belongs to a pool. */
export interface PlanEntry {
  readonly pool: string;
  readonly id: string;
  readonly cidr: Cidr;
  readonly blockSize: number;
}

/** Every range of a space, in one item: a pool gets its range by a compare-and-swap on this, so no two can overlap. */
export interface AddressPlan {
  readonly space: string;
  readonly entries: readonly PlanEntry[];
  /** Absent until the first pool. */
  readonly revision?: string;
}

/**
 * The plan with this entry in it, or the entry that stands in the way. A pool's own earlier entry gives way, by its id: that
 * of a namesake which is being deleted stays until its range is free.
 */
export function planned(
  plan: AddressPlan,
  entry: PlanEntry,
): { readonly entries: readonly PlanEntry[] } | { readonly inTheWay: PlanEntry } {
  const others = plan.entries.filter(({ id }) => id !== entry.id);
  const inTheWay = others.find(({ cidr }) => overlaps(intervalOf(cidr), intervalOf(entry.cidr)));
  return inTheWay ? { inTheWay } : { entries: [...others, entry] };
}
