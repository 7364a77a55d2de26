import { amendAddress } from "../src/allocator/admin/amend-address.ts";
import { amendmentAnswer, readAmendment } from "../src/edge/addresses/amendment.ts";
import { authorized } from "../src/edge/http/authorized.ts";
import { route } from "../src/edge/http/http.ts";
import { context } from "../src/wiring.ts";

const plat = context();

export const handler = authorized({
  "PATCH /v1/addresses/{ip}": route(
    readAmendment,
    ({ space, amendment }) => amendAddress(plat, space, amendment),
    amendmentAnswer,
  ),
});
