import { deleteApplication } from "../src/allocator/applications/delete-application.ts";
import { putApplication } from "../src/allocator/applications/put-application.ts";
import { applicationDeleteAnswer, applicationPutAnswer } from "../src/edge/applications/answer.ts";
import { readApplicationMatch, readApplicationPut } from "../src/edge/applications/request.ts";
import { authorized } from "../src/edge/http/authorized.ts";
import { route } from "../src/edge/http/http.ts";
import { context, dryRunContext } from "../src/wiring.ts";

const plat = context();

/** Serves changes of applications. */
export const handler = authorized({
  "PUT /v1/applications/{namespace}/{kind}/{name}": route(
    readApplicationPut,
    ({ dryRun, space, of, spec, ifMatch }) =>
      putApplication(dryRun ? dryRunContext() : plat, space, of, spec, ifMatch),
    applicationPutAnswer,
  ),
  "DELETE /v1/applications/{namespace}/{kind}/{name}": route(
    readApplicationMatch,
    ({ dryRun, space, of, ifMatch }) =>
      deleteApplication(dryRun ? dryRunContext() : plat, space, of, ifMatch),
    applicationDeleteAnswer,
  ),
});
