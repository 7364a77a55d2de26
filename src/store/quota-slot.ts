import type { Family } from "../domain/address.ts";
import type { Seat } from "../domain/quota-slot.ts";
import { flagOf, idOf, numberOf } from "./attribute.ts";
import { reading } from "./format.ts";
import type { Item } from "./item.ts";
import { seatKey, seatPk, unescaped } from "./key.ts";
import { revised } from "./revised-writes.ts";
import type { Table } from "./table.ts";

/** Seats of handles whose requests are limited. Each method is one call. */
export function seatItems(table: Table) {
  const seats = revised(table, itemFrom, seatFrom);
  return {
    /** Every seat of a handle that is taken, both families. */
    async listSeats(space: string, handle: string): Promise<readonly Seat[]> {
      return (await table.query(seatPk(space, handle))).map(seatFrom);
    },

    /** Takes a seat that nobody has, or over the one seen. */
    putSeat: (seat: Seat, seen: Seat | undefined) =>
      seen ? seats.change("seat-over", seen, seat) : seats.create("seat", "seat-absent", seat),

    deleteSeat: seats.remove,
  };
}

function itemFrom(seat: Seat): Item {
  return {
    ...seatKey(seat.space, seat.handle, seat.family, seat.number),
    record: seat.record.id,
    keyed: seat.record.keyed,
    revision: seat.revision,
    at: seat.atMs,
  };
}

export const seatFrom = reading((item: Item): Seat => {
  const [, space, handle] = item.pk.split("#").map(unescaped);
  const [family, number] = item.sk.split("#").map(Number);
  return {
    space: space as string,
    handle: handle as string,
    family: family as Family,
    number: number as number,
    record: { id: idOf(item, "record"), keyed: flagOf(item, "keyed") },
    revision: idOf(item, "revision"),
    atMs: numberOf(item, "at"),
  };
});
