import { deleteReservation, putPool, putSettings } from "../src/allocator/admin/administration.ts";
import { deleteQuota, putQuota } from "../src/allocator/admin/quotas.ts";
import { reserve } from "../src/allocator/admin/reserve.ts";
import { deletePool, drainPool, releasePool } from "../src/allocator/jobs/pool-jobs.ts";
import { deleteSpace } from "../src/allocator/jobs/space-jobs.ts";
import { authorized } from "../src/edge/http/authorized.ts";
import { route } from "../src/edge/http/http.ts";
import { readDryRun } from "../src/edge/http/parameters.ts";
import { readNamedMatch } from "../src/edge/http/write.ts";
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
import { deployed, type Wiring } from "../src/wiring.ts";

/** Serves changes of pools, reservations, quotas, settings, and of spaces as a whole. */
export const configureOver = ({ connect }: Wiring) =>
  authorized<"configure">(connect, {
    "PUT /v1/pools/{name}": route(
      readPoolPut,
      (plat, { space, name, spec, ifMatch }) => putPool(plat, space, name, spec, ifMatch),
      poolPutAnswer,
    ),
    "DELETE /v1/pools/{name}": route(
      readNamedMatch,
      (plat, { space, name, ifMatch }) => deletePool(plat, space, name, ifMatch),
      acceptedAnswer,
    ),
    "POST /v1/pools/{name}/drain": route(
      readNamedMatch,
      (plat, { space, name, ifMatch }) => drainPool(plat, space, name, ifMatch),
      acceptedAnswer,
    ),
    "POST /v1/pools/{name}/release-affinities": route(
      readPoolRelease,
      (plat, releasing) => releasePool(plat, releasing),
      acceptedAnswer,
    ),
    "PUT /v1/reservations/{name}": route(
      readReservationPut,
      (plat, { space, name, spec, ifMatch }) => reserve(plat, space, name, spec, ifMatch),
      reservationPutAnswer,
    ),
    "DELETE /v1/reservations/{name}": route(
      readNamedMatch,
      (plat, { space, name, ifMatch }) => deleteReservation(plat, space, name, ifMatch),
      reservationDeleteAnswer,
    ),
    "PUT /v1/quotas/{name}": route(
      readQuotaPut,
      (plat, { space, name, spec, ifMatch }) => putQuota(plat, space, name, spec, ifMatch),
      quotaPutAnswer,
    ),
    "DELETE /v1/quotas/{name}": route(
      readNamedMatch,
      (plat, { space, name, ifMatch }) => deleteQuota(plat, space, name, ifMatch),
      quotaDeleteAnswer,
    ),
    "DELETE /v1/spaces/{space}": route(
      readDryRun,
      (plat, { space }) => deleteSpace(plat, space),
      acceptedAnswer,
    ),
    "PUT /v1/config": route(
      readSettingsPut,
      (plat, { space, settings, ifMatch }) => putSettings(plat, space, settings, ifMatch),
      settingsPutAnswer,
    ),
  });

export const handler = deployed(configureOver);
