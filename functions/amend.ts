import { amendAddress } from "../src/allocator/amend.ts";
import { amendmentAnswer, readAmendment } from "../src/edge/amendment-request.ts";
import { http, route } from "../src/edge/http.ts";
import { context } from "../src/wiring.ts";

const plat = context();

export const handler = http({
  "PATCH /v1/addresses/{ip}": route(
    readAmendment,
    ({ space, amendment }) => amendAddress(plat, space, amendment),
    amendmentAnswer,
  ),
});
