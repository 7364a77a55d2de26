import { authorized } from "../src/api/http/authorized.ts";
import { route } from "../src/api/http/http.ts";
import { deleteApplication } from "../src/nouns/application/operations/delete-application.ts";
import { putApplication } from "../src/nouns/application/operations/put-application.ts";
import {
  applicationDeleteAnswer,
  applicationPutAnswer,
} from "../src/nouns/application/serve/answer.ts";
import {
  parseApplicationMatch,
  parseApplicationPut,
} from "../src/nouns/application/serve/request.ts";
import { markerOfEnvironment } from "../src/table/parameter-marker.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

/** Serves changes of applications. */
export const applicationsOver = ({ connect }: Wiring) =>
  authorized<"applications">(connect, {
    "PUT /v1/applications/{namespace}/{kind}/{name}": route(
      parseApplicationPut,
      (plat, { space, of, spec, ifMatch }) => putApplication(plat, space, of, spec, ifMatch),
      applicationPutAnswer,
    ),
    "DELETE /v1/applications/{namespace}/{kind}/{name}": route(
      parseApplicationMatch,
      (plat, { space, of, ifMatch }) => deleteApplication(plat, space, of, ifMatch),
      applicationDeleteAnswer,
    ),
  });

export const handler = deployed(applicationsOver, markerOfEnvironment());
