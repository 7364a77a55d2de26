import { authorized } from "../src/api/http/authorized.ts";
import { route } from "../src/api/http/http.ts";
import { parseDryRun } from "../src/api/http/parameters.ts";
import { parseNamedMatch } from "../src/api/http/write.ts";
import { acceptedAnswer } from "../src/nouns/job/serve/answer.ts";
import {
  deleteReservation,
  putPool,
  putSettings,
} from "../src/nouns/pool/operations/administration.ts";
import { deletePool, drainPool, releasePool } from "../src/nouns/pool/operations/pool-jobs.ts";
import { poolPutAnswer } from "../src/nouns/pool/serve/answer.ts";
import { parsePoolPut, parsePoolRelease } from "../src/nouns/pool/serve/request.ts";
import { deleteQuota, putQuota } from "../src/nouns/quota/operations/quotas.ts";
import {
  parseQuotaPut,
  quotaDeleteAnswer,
  quotaPutAnswer,
} from "../src/nouns/quota/serve/quota.ts";
import { reserve } from "../src/nouns/reservation/operations/reserve.ts";
import {
  parseReservationPut,
  reservationDeleteAnswer,
  reservationPutAnswer,
} from "../src/nouns/reservation/serve/reservation.ts";
import { parseSettingsPut, settingsPutAnswer } from "../src/nouns/settings/serve/settings.ts";
import { deleteSpace } from "../src/nouns/space/operations/space-jobs.ts";
import { markerOfEnvironment } from "../src/table/parameter-marker.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

/** Serves changes of pools, reservations, quotas, settings, and of spaces as a whole. */
export const configureOver = ({ connect }: Wiring) =>
  authorized<"configure">(connect, {
    "PUT /v1/pools/{name}": route(
      parsePoolPut,
      (plat, { space, name, spec, ifMatch }) => putPool(plat, space, name, spec, ifMatch),
      poolPutAnswer,
    ),
    "DELETE /v1/pools/{name}": route(
      parseNamedMatch,
      (plat, { space, name, ifMatch }) => deletePool(plat, space, name, ifMatch),
      acceptedAnswer,
    ),
    "POST /v1/pools/{name}/drain": route(
      parseNamedMatch,
      (plat, { space, name, ifMatch }) => drainPool(plat, space, name, ifMatch),
      acceptedAnswer,
    ),
    "POST /v1/pools/{name}/release-affinities": route(
      parsePoolRelease,
      (plat, releasing) => releasePool(plat, releasing),
      acceptedAnswer,
    ),
    "PUT /v1/reservations/{name}": route(
      parseReservationPut,
      (plat, { space, name, spec, ifMatch }) => reserve(plat, space, name, spec, ifMatch),
      reservationPutAnswer,
    ),
    "DELETE /v1/reservations/{name}": route(
      parseNamedMatch,
      (plat, { space, name, ifMatch }) => deleteReservation(plat, space, name, ifMatch),
      reservationDeleteAnswer,
    ),
    "PUT /v1/quotas/{name}": route(
      parseQuotaPut,
      (plat, { space, name, spec, ifMatch }) => putQuota(plat, space, name, spec, ifMatch),
      quotaPutAnswer,
    ),
    "DELETE /v1/quotas/{name}": route(
      parseNamedMatch,
      (plat, { space, name, ifMatch }) => deleteQuota(plat, space, name, ifMatch),
      quotaDeleteAnswer,
    ),
    "DELETE /v1/spaces/{space}": route(
      parseDryRun,
      (plat, { space }) => deleteSpace(plat, space),
      acceptedAnswer,
    ),
    "PUT /v1/config": route(
      parseSettingsPut,
      (plat, { space, settings, ifMatch }) => putSettings(plat, space, settings, ifMatch),
      settingsPutAnswer,
    ),
  });

export const handler = deployed(configureOver, markerOfEnvironment());
