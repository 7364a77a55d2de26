import type { Family } from "../../net/address.ts";
import { codec, flag, flat, id, number, revised, under } from "../../table/codec.ts";
import { partsOf, quotaSlotKey, quotaSlotPk } from "../../table/key.ts";
import type { Table } from "../../table/table.ts";
import { assertQuotaSlot, type QuotaSlot } from "../values/quota-slot.ts";

/** The calls for quota slots of handles with a limit. Each method is one call to the database. */
export function quotaSlotItems(table: Table) {
  const quotaSlots = revised(table, QUOTA_SLOT);
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

const QUOTA_SLOT = codec<QuotaSlot, "space" | "handle" | "family" | "number">({
  key: ({ space, handle, family, number }) => quotaSlotKey(space, handle, family, number),
  named: ({ pk, sk }) => {
    const [, space = "", handle = ""] = partsOf(pk);
    const [family, number] = sk.split("#").map(Number);
    return { space, handle, family: family as Family, number: number as number };
  },
  attributes: {
    allocation: flat<QuotaSlot["allocation"]>({ id: under("allocation", id), keyed: flag }),
    revision: id,
    atMs: under("at", number),
  },
  assert: assertQuotaSlot,
});
export const quotaSlotFrom = QUOTA_SLOT.from;
