/** The place of an allocation: in the partition of its handle's hash, under its Idempotency-Key's hash or a random id. */
export interface AllocationPlace {
  readonly space: string;
  readonly handleHash: string;
  readonly id: string;
  /** True if the request had an Idempotency-Key. Such an allocation outlives its release. */
  readonly keyed: boolean;
}

/** Compares allocations of a handle for lists: those without a key first, then by id. */
export function compareAllocationPlaces(a: AllocationPlace, b: AllocationPlace): number {
  if (a.keyed !== b.keyed) return a.keyed ? 1 : -1;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}
