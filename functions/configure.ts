import { deleteReservation, putPool, putSettings } from "../src/allocator/admin/administration.ts";
import { deleteQuota, putQuota } from "../src/allocator/admin/quotas.ts";
import { reserve } from "../src/allocator/admin/reserve.ts";
import { deletePool, drainPool, releasePool } from "../src/allocator/jobs/pool-jobs.ts";
import { deleteSpace } from "../src/allocator/jobs/space-jobs.ts";
import { authorized } from "../src/edge/http/authorized.ts";
import { route } from "../src/edge/http/http.ts";
import { readDryRun } from "../src/edge/http/parameters.ts";
import { readNamedMatch } from "../src/edge/http/preconditions.ts";
import { acceptedAnswer } from "../src/edge/jobs/answer.ts";
import { poolPutAnswer } from "../src/edge/pools/answer.ts";
import { readPoolPut, readPoolRelease } from "../src/edge/pools/request.ts";
import { quotaDeleteAnswer, quotaPutAnswer, readQuotaPut } from "../src/edge/quotas/quota.ts";
import {
  readReservationPut,
  reservationDeleteAnswer,
  reservationPutAnswer,
} from "../src/edge/reservations/reservation.ts";
import { readSettingsPut, settingsPutAnswer } from "../src/edge/settings/settings.ts";
import { context, dryRunContext } from "../src/wiring.ts";

const plat = context();

/** Serves changes of pools, reservations, quotas, settings, and of spaces as a whole. */
export const handler = authorized({
  "PUT /v1/pools/{name}": route(
    readPoolPut,
    ({ dryRun, space, name, spec, ifMatch }) =>
      putPool(dryRun ? dryRunContext() : plat, space, name, spec, ifMatch),
    poolPutAnswer,
  ),
  "DELETE /v1/pools/{name}": route(
    readNamedMatch,
    ({ dryRun, space, name, ifMatch }) =>
      deletePool(dryRun ? dryRunContext() : plat, space, name, ifMatch),
    acceptedAnswer,
  ),
  "POST /v1/pools/{name}/drain": route(
    readNamedMatch,
    ({ dryRun, space, name, ifMatch }) =>
      drainPool(dryRun ? dryRunContext() : plat, space, name, ifMatch),
    acceptedAnswer,
  ),
  "POST /v1/pools/{name}/release-affinities": route(
    readPoolRelease,
    ({ dryRun, ...releasing }) => releasePool(dryRun ? dryRunContext() : plat, releasing),
    acceptedAnswer,
  ),
  "PUT /v1/reservations/{name}": route(
    readReservationPut,
    ({ dryRun, space, name, spec, ifMatch }) =>
      reserve(dryRun ? dryRunContext() : plat, space, name, spec, ifMatch),
    reservationPutAnswer,
  ),
  "DELETE /v1/reservations/{name}": route(
    readNamedMatch,
    ({ dryRun, space, name, ifMatch }) =>
      deleteReservation(dryRun ? dryRunContext() : plat, space, name, ifMatch),
    reservationDeleteAnswer,
  ),
  "PUT /v1/quotas/{name}": route(
    readQuotaPut,
    ({ dryRun, space, name, spec, ifMatch }) =>
      putQuota(dryRun ? dryRunContext() : plat, space, name, spec, ifMatch),
    quotaPutAnswer,
  ),
  "DELETE /v1/quotas/{name}": route(
    readNamedMatch,
    ({ dryRun, space, name, ifMatch }) =>
      deleteQuota(dryRun ? dryRunContext() : plat, space, name, ifMatch),
    quotaDeleteAnswer,
  ),
  "DELETE /v1/spaces/{space}": route(
    readDryRun,
    ({ dryRun, space }) => deleteSpace(dryRun ? dryRunContext() : plat, space),
    acceptedAnswer,
  ),
  "PUT /v1/config": route(
    readSettingsPut,
    ({ dryRun, space, settings, ifMatch }) =>
      putSettings(dryRun ? dryRunContext() : plat, space, settings, ifMatch),
    settingsPutAnswer,
  ),
});
