import type { Allocation } from "../../domain/allocation.ts";
import type { AllocationPlace } from "../../domain/allocation-place.ts";
import { handleHash } from "../../domain/hash.ts";
import { QUOTA_SLOTS_AT_ONCE } from "../../domain/limits.ts";
import type { QuotaSlot, QuotaSlotOfAllocation } from "../../domain/quota-slot.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";

/** A quota slot that a request is about to take, and who had it before. */
export interface FreeQuotaSlot {
  readonly quotaSlot: QuotaSlotOfAllocation;
  readonly seen: QuotaSlot | undefined;
}

/**
 * Takes the quota slots of an allocation that lists them already. The lowest first: of two requests that want the same quota slots one
 * then has them all, and the other none.
 *
 * @returns false when somebody was faster, or an answer stayed out: then the allocation must not be answered
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

/** Gives up quota slots that an allocation lists, each exactly as it was taken: one that somebody else has by now stays. */
export async function dropQuotaSlots(
  context: Context,
  allocation: Allocation,
  quotaSlots: readonly QuotaSlotOfAllocation[],
): Promise<void> {
  await inParallel(quotaSlots, QUOTA_SLOTS_AT_ONCE, (quotaSlot) =>
    context.store.deleteQuotaSlot("quota-slot-drop", itemOf(allocation, quotaSlot)),
  );
}

/** The quota slot in which an allocation has an address. */
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
