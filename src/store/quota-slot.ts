import type { Family } from "../domain/address.ts";
import { assertQuotaSlot, type QuotaSlot } from "../domain/quota-slot.ts";
import { flagOf, idOf, numberOf } from "./attribute.ts";
import { reading } from "./format.ts";
import type { Item } from "./item.ts";
import { quotaSlotKey, quotaSlotPk, unescaped } from "./key.ts";
import { revised } from "./revised-writes.ts";
import type { Table } from "./table.ts";

/** The calls for quota slots of handles with a limit. Each method is one call to the database. */
export function quotaSlotItems(table: Table) {
  const quotaSlots = revised(table, itemFrom, quotaSlotFrom);
  return {
    /** Returns every taken quota slot of a handle, of both families. */
    async listQuotaSlots(space: string, handle: string): Promise<readonly QuotaSlot[]> {
      return (await table.query(quotaSlotPk(space, handle))).map(quotaSlotFrom);
    },

    /** Creates a quota slot, or replaces the one seen. */
    putQuotaSlot: (quotaSlot: QuotaSlot, seen: QuotaSlot | undefined) =>
      seen
        ? quotaSlots.change("quota-slot-over", seen, quotaSlot)
        : quotaSlots.create("quota-slot", "quota-slot-absent", quotaSlot),

    deleteQuotaSlot: quotaSlots.remove,
  };
}

function itemFrom(quotaSlot: QuotaSlot): Item {
  assertQuotaSlot(quotaSlot);
  return {
    ...quotaSlotKey(quotaSlot.space, quotaSlot.handle, quotaSlot.family, quotaSlot.number),
    allocation: quotaSlot.allocation.id,
    keyed: quotaSlot.allocation.keyed,
    revision: quotaSlot.revision,
    at: quotaSlot.atMs,
  };
}

export const quotaSlotFrom = reading((item: Item): QuotaSlot => {
  const [, space, handle] = item.pk.split("#").map(unescaped);
  const [family, number] = item.sk.split("#").map(Number);
  return {
    space: space as string,
    handle: handle as string,
    family: family as Family,
    number: number as number,
    allocation: { id: idOf(item, "allocation"), keyed: flagOf(item, "keyed") },
    revision: idOf(item, "revision"),
    atMs: numberOf(item, "at"),
  };
}, assertQuotaSlot);
