import { parseAddress } from "../../../domain/address.ts";
import { GRACE_MS } from "../../../domain/limits.ts";
import type { Seat } from "../../../domain/quota-slot.ts";
import { grantedAt } from "../../allocations/holding.ts";
import { recordPlaceOf } from "../../allocations/quota-slots.ts";
import type { Context } from "../../core/context.ts";

/** Gives up a seat that its request has no more: it was released, or never taken. */
export async function collectSeat(context: Context, seat: Seat): Promise<void> {
  if (context.now() - seat.atMs <= GRACE_MS) return;
  const record = await context.store.readRecord(recordPlaceOf(seat));
  const listed = record?.seats.find(({ revision }) => revision === seat.revision);
  const address = listed?.address === undefined ? undefined : parseAddress(listed.address);
  const held = record && address?.ok && (await grantedAt(context, record, address.value));
  // One that is listed without an address is the business of whoever ends its open record.
  if (!held && (!listed || address)) await context.store.deleteSeat("repair-seat", seat);
}
