import { renewLease } from "../src/allocator/renew.ts";
import { http, route } from "../src/edge/http.ts";
import { readRenewal, renewalAnswer } from "../src/edge/renewal-request.ts";
import { context } from "../src/wiring.ts";

const plat = context();

export const handler = http({
  "PATCH /v1/addresses/{ip}": route(
    readRenewal,
    ({ space, renewal }) => renewLease(plat, space, renewal),
    renewalAnswer,
  ),
});
