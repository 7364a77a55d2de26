import * as v from "valibot";
import {
  count,
  ignored,
  next,
  unreadableItems,
  whole,
  written,
} from "../../../api/answer-parts.ts";
import { type AnswerField, schemasOf, telling, told } from "../../../api/noun.ts";
import type { Reservation } from "../reservation.ts";

const tell = telling<Reservation>();

/** The fields of a reservation. */
const WHOLE = {
  name: tell(v.string(), ({ name }) => name),
  cidrs: tell(v.array(v.string()), ({ cidrs }) => cidrs),
  reason: tell(v.optional(v.string()), ({ reason }) => reason),
} satisfies Readonly<
  Record<Exclude<keyof Reservation, "space" | "intervals" | "revision">, AnswerField<Reservation>>
>;

const reservation = schemasOf(WHOLE);

/** Returns a reservation as answers write it. */
export const reservationOf = (one: Reservation) => told(WHOLE, one);

export const reservationRead = v.strictObject(reservation);

export const reservationsRead = v.strictObject({
  reservations: v.array(reservationRead),
  unreadable: unreadableItems,
  next,
});

export const reservationWarning = v.strictObject({
  pool: v.string(),
  cidr: v.string(),
  inUse: v.pipe(
    whole,
    v.description(
      "The assigned addresses of the pool's own set that the reservation covers; a lower bound if not `complete`",
    ),
  ),
  held: v.pipe(
    whole,
    v.description(
      "The addresses that the reservation covers and that applications hold without an instance; a lower bound if not `complete`",
    ),
  ),
  complete: v.pipe(v.boolean(), v.description("Whether every block of the pool was read")),
  unreserved: v.pipe(
    count,
    v.description("The addresses of the pool that no reservation covers, for automatic assignment"),
  ),
  detail: v.string(),
});

export const reservationWritten = v.strictObject({
  ...reservation,
  ...written,
  ignored,
  warnings: v.optional(
    v.pipe(
      v.array(reservationWarning),
      v.description(
        "Pools in which the reservation covers assigned or held addresses, or leaves none for automatic assignment",
      ),
    ),
  ),
});

export const reservationDeleted = v.strictObject(written);
