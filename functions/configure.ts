import { deleteReservation, putPool, putSettings } from "../src/allocator/administration.ts";
import { deletePool, drainPool, releasePool } from "../src/allocator/pool-jobs.ts";
import { reserve } from "../src/allocator/reserve.ts";
import { http, route } from "../src/edge/http.ts";
import { acceptedAnswer } from "../src/edge/job-answer.ts";
import { poolPutAnswer } from "../src/edge/pool-answer.ts";
import { readPoolPut, readPoolRelease } from "../src/edge/pool-request.ts";
import { readNamedMatch } from "../src/edge/preconditions.ts";
import {
  readReservationPut,
  reservationDeleteAnswer,
  reservationPutAnswer,
} from "../src/edge/reservation-request.ts";
import { readSettingsPut, settingsPutAnswer } from "../src/edge/settings-request.ts";
import { context, rehearsal } from "../src/wiring.ts";

const plat = context();

/** What an operator changes in a space: its pools, its reservations, its settings. */
export const handler = http({
  "PUT /v1/pools/{name}": route(
    readPoolPut,
    ({ dryRun, space, name, spec, ifMatch }) =>
      putPool(dryRun ? rehearsal() : plat, space, name, spec, ifMatch),
    poolPutAnswer,
  ),
  "DELETE /v1/pools/{name}": route(
    readNamedMatch,
    ({ dryRun, space, name, ifMatch }) =>
      deletePool(dryRun ? rehearsal() : plat, space, name, ifMatch),
    acceptedAnswer,
  ),
  "POST /v1/pools/{name}/drain": route(
    readNamedMatch,
    ({ dryRun, space, name, ifMatch }) =>
      drainPool(dryRun ? rehearsal() : plat, space, name, ifMatch),
    acceptedAnswer,
  ),
  "POST /v1/pools/{name}/release-affinities": route(
    readPoolRelease,
    ({ dryRun, ...releasing }) => releasePool(dryRun ? rehearsal() : plat, releasing),
    acceptedAnswer,
  ),
  "PUT /v1/reservations/{name}": route(
    readReservationPut,
    ({ dryRun, space, name, spec, ifMatch }) =>
      reserve(dryRun ? rehearsal() : plat, space, name, spec, ifMatch),
    reservationPutAnswer,
  ),
  "DELETE /v1/reservations/{name}": route(
    readNamedMatch,
    ({ dryRun, space, name, ifMatch }) =>
      deleteReservation(dryRun ? rehearsal() : plat, space, name, ifMatch),
    reservationDeleteAnswer,
  ),
  "PUT /v1/config": route(
    readSettingsPut,
    ({ dryRun, space, settings, ifMatch }) =>
      putSettings(dryRun ? rehearsal() : plat, space, settings, ifMatch),
    settingsPutAnswer,
  ),
});
