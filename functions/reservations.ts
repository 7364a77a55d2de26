import {
  deleteReservation,
  listReservations,
  putReservation,
  readReservation,
} from "../src/allocator/administration.ts";
import { http, route } from "../src/edge/http.ts";
import { readNamed, readNamedMatch } from "../src/edge/parameters.ts";
import {
  readReservationPut,
  reservationAnswer,
  reservationDeleteAnswer,
  reservationList,
  reservationPutAnswer,
} from "../src/edge/reservation-request.ts";
import { context, rehearsal } from "../src/wiring.ts";

const plat = context();

export const handler = http({
  "GET /v1/reservations": route(
    reservationList.read,
    ({ space }) => listReservations(plat, space),
    reservationList.answer,
  ),
  "GET /v1/reservations/{name}": route(
    readNamed,
    ({ space, name }) => readReservation(plat, space, name),
    reservationAnswer,
  ),
  "PUT /v1/reservations/{name}": route(
    readReservationPut,
    ({ dryRun, space, name, spec, ifMatch }) =>
      putReservation(dryRun ? rehearsal() : plat, space, name, spec, ifMatch),
    reservationPutAnswer,
  ),
  "DELETE /v1/reservations/{name}": route(
    readNamedMatch,
    ({ dryRun, space, name, ifMatch }) =>
      deleteReservation(dryRun ? rehearsal() : plat, space, name, ifMatch),
    reservationDeleteAnswer,
  ),
});
