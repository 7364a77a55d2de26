import {
  deleteReservation,
  listReservations,
  putReservation,
  readReservation,
} from "../src/allocator/administration.ts";
import { http, route } from "../src/edge/http.ts";
import { readNamed, readSpace } from "../src/edge/parameters.ts";
import {
  readReservationDelete,
  readReservationPut,
  reservationAnswer,
  reservationDeleteAnswer,
  reservationPutAnswer,
  reservationsAnswer,
} from "../src/edge/reservation-request.ts";
import { context } from "../src/wiring.ts";

const plat = context();

export const handler = http({
  "GET /v1/reservations": route(
    readSpace,
    (space) => listReservations(plat, space),
    reservationsAnswer,
  ),
  "GET /v1/reservations/{name}": route(
    readNamed,
    ({ space, name }) => readReservation(plat, space, name),
    reservationAnswer,
  ),
  "PUT /v1/reservations/{name}": route(
    readReservationPut,
    ({ space, name, spec, ifMatch }) => putReservation(plat, space, name, spec, ifMatch),
    reservationPutAnswer,
  ),
  "DELETE /v1/reservations/{name}": route(
    readReservationDelete,
    ({ space, name, ifMatch }) => deleteReservation(plat, space, name, ifMatch),
    reservationDeleteAnswer,
  ),
});
