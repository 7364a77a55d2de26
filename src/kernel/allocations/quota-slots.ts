import { handleHash } from "../../base/hash.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import type { Allocation } from "../values/allocation.ts";
import type { AllocationPlace } from "../values/allocation-place.ts";
import { QUOTA_SLOTS_AT_ONCE } from "../values/limits.ts";
import type { QuotaSlot, QuotaSlotOfAllocation } from "../values/quota-slot.ts";
import type { Granted } from "./holding.ts";

/** A quota slot, and the address in it. Without an address its request is over, and another request may take it as it was read. */
export interface OccupiedQuotaSlot {
  readonly quotaSlot: QuotaSlot;
  readonly granted: Granted | undefined;
}

/** A quota slot that a request will take, and the item that it replaces. */
export interface FreeQuotaSlot {
  readonly quotaSlot: QuotaSlotOfAllocation;
  readonly seen: QuotaSlot | undefined;
}

/**
 * Takes the quota slots that an allocation lists. It takes the lowest first, so that of two requests for the same quota slots one gets
 * all and the other none.
 *
 * @returns false if another request was faster or an outcome stayed unknown: then the request must not answer
 */
export async function takeQuotaSlots(
  context: Context,
  allocation: Allocation,
  free: readonly FreeQuotaSlot[],
): Promise<boolean> {
  const take = async ({ quotaSlot, seen }: FreeQuotaSlot): Promise<boolean> => {
    const put = await context.store.putQuotaSlot(itemOf(allocation, quotaSlot), seen);
    if (put.outcome !== "unknown") return put.outcome === "done";
    const quotaSlots = await context.store.listQuotaSlots(
      allocation.place.space,
      allocation.handle,
    );
    return quotaSlots.some(({ revision }) => revision === quotaSlot.revision);
  };
  const [lowest, ...others] = free;
  if (!lowest || !(await take(lowest))) return false;
  return (await inParallel(others, QUOTA_SLOTS_AT_ONCE, take)).every(Boolean);
}

/** Deletes quota slots that an allocation lists, each exactly as it was taken. One that another request has by now stays. */
export async function deleteQuotaSlots(
  context: Context,
  allocation: Allocation,
  quotaSlots: readonly QuotaSlotOfAllocation[],
): Promise<void> {
  await inParallel(quotaSlots, QUOTA_SLOTS_AT_ONCE, (quotaSlot) =>
    context.store.deleteQuotaSlot("quota-slot-drop", itemOf(allocation, quotaSlot)),
  );
}

/** Returns the quota slot in which an allocation has an address. */
export function quotaSlotOf(
  { quotaSlots }: Allocation,
  address: string,
): readonly QuotaSlotOfAllocation[] {
  return quotaSlots.filter((quotaSlot) => quotaSlot.address === address);
}

/** Returns the place of the allocation that has a quota slot. */
export const allocationPlaceOf = ({ space, handle, allocation }: QuotaSlot): AllocationPlace => ({
  space,
  handleHash: handleHash(handle),
  ...allocation,
});

function itemOf(
  allocation: Allocation,
  { family, number, revision }: QuotaSlotOfAllocation,
): QuotaSlot {
  const { place, handle, atMs } = allocation;
  const { id, keyed } = place;
  return { space: place.space, handle, family, number, allocation: { id, keyed }, revision, atMs };
}
