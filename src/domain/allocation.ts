import type { AllocationPlace } from "./allocation-place.ts";
import type { Cidr } from "./cidr.ts";
import type { HostId } from "./host.ts";
import { CLOCK_SKEW_MS_MAX, GRACE_MS, RELEASED_ALLOCATION_KEPT_MS } from "./limits.ts";
import type { Missing } from "./outcome.ts";
import type { Owners } from "./owner.ts";
import type { QuotaSlotOfAllocation } from "./quota-slot.ts";

/** An allocation that is due for repair, and since when; the index only suggests it. */
export interface Due {
  readonly place: AllocationPlace;
  readonly dueAtMs: number;
}

/** The share of one block in a request: what one write takes, or tries to take. */
export interface Part {
  readonly token: string;
  readonly block: Cidr;
  readonly count: number;
  /** The ordinals tried last: a hint that saves a look, never the truth. */
  readonly ordinals: readonly number[];
}

export const ALLOCATION_STATES = ["live", "pending", "aborted", "released"] as const;

/**
 * One request's hold on addresses. Written before its slots, deleted after them (I3).
 *
 * `live`: the slots decide. `pending`: several writes, not all done. `aborted`: it will not be answered, what it holds is
 * freed. `released`: over; kept for a while when keyed, so that a late duplicate is told so.
 */
export interface Allocation {
  readonly place: AllocationPlace;
  readonly state: (typeof ALLOCATION_STATES)[number];
  readonly handle: string;
  readonly host: HostId;
  readonly attributes: Readonly<Record<string, string>>;
  /** The caller of the first request; absent if callers are unknown. A replay by another caller does not change it. */
  readonly assignedBy?: string;
  /** Of addresses whose owners somebody has changed, by the address as text. */
  readonly owners: ReadonlyMap<string, Owners>;
  /** The number of requested addresses, or of available ones when the allocation became live. */
  readonly want: number;
  /** The missing addresses of a request that accepts a part; a replay returns the same. */
  readonly missing: readonly Missing[];
  readonly parts: readonly Part[];
  /** Addresses that were freed, as text. */
  readonly given: ReadonlySet<string>;
  /** Digest of the request's body: the same key with another body is refused. */
  readonly digest: string;
  /** Its quota slots, for a handle with a limit. */
  readonly quotaSlots: readonly QuotaSlotOfAllocation[];
  /** Generations of addresses that its answer also had: under the limit they are the handle's by other requests. */
  readonly also: readonly string[];
  readonly revision: string;
  readonly atMs: number;
  /** Until when its addresses are its owner's, where they are leased. */
  readonly expiresAtMs?: number;
}

/**
 * The time when repair should visit it. Never for a live allocation without a lease, which then costs no index write: that
 * its author crashed, or that it holds nothing any more, is found without the index. One that is over, and kept for its key,
 * is looked at while it names parts, whose slots a release that was cut off may have left taken; and when its time is over.
 */
export function dueAtMsOf(allocation: Allocation): number | undefined {
  if (isOver(allocation)) {
    return allocation.atMs + (isFinished(allocation) ? RELEASED_ALLOCATION_KEPT_MS : GRACE_MS);
  }
  return allocation.state === "live" ? expiredAtMs(allocation) : allocation.atMs + GRACE_MS;
}

/** Is its lease over, on every clock? */
export function isExpired(allocation: Allocation, nowMs: number): boolean {
  return nowMs >= (expiredAtMs(allocation) ?? Number.POSITIVE_INFINITY);
}

const expiredAtMs = ({ expiresAtMs }: Allocation): number | undefined =>
  expiresAtMs === undefined ? undefined : expiresAtMs + CLOCK_SKEW_MS_MAX;

/** Nothing of it is held any more, and it must never be begun again. */
export function isOver(allocation: Allocation): boolean {
  return (
    allocation.state === "released" ||
    (allocation.state === "live" && allocation.given.size >= allocation.want)
  );
}

/** It is kept for its key alone: nothing is left to be done for it until it goes. */
export function isFinished(allocation: Allocation): boolean {
  return allocation.place.keyed && isOver(allocation) && allocation.parts.length === 0;
}

/** The owners of an address of an allocation. Until somebody changes them, the request's attributes are the active one's. */
export function ownersAt(
  { owners, attributes }: Pick<Allocation, "owners" | "attributes">,
  address: string,
): Owners {
  const changed = owners.get(address);
  if (changed) return changed;
  return Object.keys(attributes).length > 0 ? { active: attributes } : {};
}
