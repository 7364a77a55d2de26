import { deleteApplication } from "../src/allocator/applications/delete-application.ts";
import { putApplication } from "../src/allocator/applications/put-application.ts";
import { applicationDeleteAnswer, applicationPutAnswer } from "../src/edge/applications/answer.ts";
import { readApplicationMatch, readApplicationPut } from "../src/edge/applications/request.ts";
import { authorized } from "../src/edge/http/authorized.ts";
import { route } from "../src/edge/http/http.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

/** Serves changes of applications. */
export const applicationsOver = ({ connect }: Wiring) =>
  authorized<"applications">(connect, {
    "PUT /v1/applications/{namespace}/{kind}/{name}": route(
      readApplicationPut,
      (plat, { space, of, spec, ifMatch }) => putApplication(plat, space, of, spec, ifMatch),
      applicationPutAnswer,
    ),
    "DELETE /v1/applications/{namespace}/{kind}/{name}": route(
      readApplicationMatch,
      (plat, { space, of, ifMatch }) => deleteApplication(plat, space, of, ifMatch),
      applicationDeleteAnswer,
    ),
  });

export const handler = deployed(applicationsOver);
