import { GRACE_MS } from "../../base/limits.ts";
import { blockReader, grantedAt } from "../../kernel/allocations/holding.ts";
import { allocationPlaceOf } from "../../kernel/allocations/quota-slots.ts";
import type { Context } from "../../kernel/core/context.ts";
import type { QuotaSlot } from "../../kernel/values/quota-slot.ts";
import { parseAddress } from "../../net/address.ts";

/** Deletes a quota slot that its request does not have any more: it was released, or never taken. */
export async function repairQuotaSlot(context: Context, quotaSlot: QuotaSlot): Promise<void> {
  if (context.now() - quotaSlot.atMs <= GRACE_MS) return;
  const allocation = await context.store.readAllocation(allocationPlaceOf(quotaSlot));
  const listed = allocation?.quotaSlots.find(({ revision }) => revision === quotaSlot.revision);
  const address = listed?.address === undefined ? undefined : parseAddress(listed.address);
  const readBlock = blockReader(context, quotaSlot.space);
  const held = allocation && address?.ok && (await grantedAt(readBlock, allocation, address.value));
  // The end of the pending allocation deletes a listed quota slot without an address.
  if (!held && (!listed || address))
    await context.store.deleteQuotaSlot("repair-quota-slot", quotaSlot);
}
