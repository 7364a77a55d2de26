import { intervalText } from "../../table/attribute.ts";
import { codec, id, optional, text, texts } from "../../table/codec.ts";
import { reservationKey, spaceAndName } from "../../table/key.ts";
import { assertReservation, type Reservation } from "./reservation.ts";

export const RESERVATION_ITEM = codec<Reservation, "space" | "name", "intervals">({
  key: ({ space, name }) => reservationKey(space, name),
  named: spaceAndName,
  attributes: {
    cidrs: texts,
    reason: optional(text),
    revision: id,
  },
  derive: ({ cidrs }) => ({ intervals: cidrs.map(intervalText) }),
  assert: assertReservation,
});

export const reservationFrom = RESERVATION_ITEM.from;
