import { amendAddress } from "../src/allocator/admin/amend-address.ts";
import { amendmentAnswer, readAmendment } from "../src/edge/addresses/amendment.ts";
import { authorized } from "../src/edge/http/authorized.ts";
import { route } from "../src/edge/http/http.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

export const amendOver = ({ connect }: Wiring) =>
  authorized<"amend">(connect, {
    "PATCH /v1/addresses/{ip}": route(
      readAmendment,
      (plat, { space, amendment }) => amendAddress(plat, space, amendment),
      amendmentAnswer,
    ),
  });

export const handler = deployed(amendOver);
