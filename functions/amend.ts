import { authorized } from "../src/api/http/authorized.ts";
import { route } from "../src/api/http/http.ts";
import { amendAddress } from "../src/nouns/address/operations/amend-address.ts";
import { amendmentAnswer, parseAmendment } from "../src/nouns/address/serve/amendment.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

export const amendOver = ({ connect }: Wiring) =>
  authorized<"amend">(connect, {
    "PATCH /v1/addresses/{ip}": route(
      parseAmendment,
      (plat, { space, amendment }) => amendAddress(plat, space, amendment),
      amendmentAnswer,
    ),
  });

export const handler = deployed(amendOver);
