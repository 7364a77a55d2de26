import { DRY_RUN, namedListQuery } from "../../../api/query.ts";
import { CHANGED, type Route } from "../../../api/route.ts";
import {
  reservationDeleted,
  reservationRead,
  reservationsRead,
  reservationWritten,
} from "./answer.ts";
import { reservationBody } from "./request.ts";
import { reservedIpManifest } from "./spider-reserved-ip.ts";

/** Reservations. */
export const RESERVATION_ROUTES = [
  {
    method: "GET",
    path: "/v1/reservations",
    function: "read",
    id: "listReservations",
    tag: "reservations",
    summary: "Lists the reservations of a space by name, in pages",
    query: namedListQuery,
    answers: { 200: reservationsRead },
    rejections: [],
  },
  {
    method: "GET",
    path: "/v1/reservations/{name}",
    function: "read",
    id: "readReservation",
    tag: "reservations",
    summary: "Returns a reservation",
    query: {},
    headers: ["If-None-Match"],
    answers: { 200: reservationRead, 304: undefined },
    rejections: ["not_found"],
  },
  {
    method: "PUT",
    path: "/v1/reservations/{name}",
    function: "configure",
    id: "putReservation",
    tag: "reservations",
    summary:
      "Reserves addresses from automatic assignment, or changes the version that the caller saw, from fields or a Spiderpool manifest",
    query: DRY_RUN,
    headers: ["If-Match", "If-None-Match"],
    body: [reservationBody, reservedIpManifest],
    yaml: true,
    answers: { 200: reservationWritten, 201: reservationWritten },
    rejections: [...CHANGED, "name_mismatch"],
  },
  {
    method: "DELETE",
    path: "/v1/reservations/{name}",
    function: "configure",
    id: "deleteReservation",
    tag: "reservations",
    summary: "Deletes the version of a reservation that the caller saw",
    query: DRY_RUN,
    headers: ["If-Match"],
    answers: { 200: reservationDeleted },
    rejections: ["not_found", ...CHANGED],
  },
] as const satisfies readonly Route[];
