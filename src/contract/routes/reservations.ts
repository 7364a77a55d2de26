import * as answers from "../answers/answers.ts";
import { DRY_RUN, namedListQuery } from "../requests/query.ts";
import { reservationBody } from "../requests/reservation.ts";
import { CHANGED, type Route } from "./route.ts";

/** Reservations. */
export const RESERVATION_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/reservations",
    function: "read",
    id: "listReservations",
    tag: "reservations",
    summary: "The reservations of a space, by name, in pages",
    query: namedListQuery,
    answers: { 200: answers.reservationsRead },
    refusals: [],
  },
  {
    method: "GET",
    path: "/v1/reservations/{name}",
    function: "read",
    id: "readReservation",
    tag: "reservations",
    summary: "One reservation",
    query: {},
    headers: ["If-None-Match"],
    answers: { 200: answers.reservationRead, 304: undefined },
    refusals: ["not_found"],
  },
  {
    method: "PUT",
    path: "/v1/reservations/{name}",
    function: "configure",
    id: "putReservation",
    tag: "reservations",
    summary: "Keeps addresses out of automatic assignment, or changes which as it was seen",
    query: DRY_RUN,
    headers: ["If-Match", "If-None-Match"],
    body: [reservationBody],
    answers: { 200: answers.reservationWritten, 201: answers.reservationWritten },
    refusals: [...CHANGED, "name_mismatch"],
  },
  {
    method: "DELETE",
    path: "/v1/reservations/{name}",
    function: "configure",
    id: "deleteReservation",
    tag: "reservations",
    summary: "Deletes a reservation as it was seen",
    query: DRY_RUN,
    headers: ["If-Match"],
    answers: { 200: answers.reservationDeleted },
    refusals: ["not_found", ...CHANGED],
  },
];
