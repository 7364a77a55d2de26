import {
  deleteNamespace,
  listNamespaces,
  putNamespace,
  readNamespace,
} from "../src/allocator/namespaces.ts";
import { http, route } from "../src/edge/http.ts";
import {
  labelledAnswer,
  labelledDeleteAnswer,
  labelledPutAnswer,
  namespaces,
} from "../src/edge/labelled-request.ts";
import { context, rehearsal } from "../src/wiring.ts";

const plat = context();

export const handler = http({
  "GET /v1/namespaces": route(
    namespaces.readList,
    (wanted) => listNamespaces(plat, wanted),
    namespaces.listAnswer,
  ),
  "GET /v1/namespaces/{namespace}": route(
    namespaces.readOne,
    ({ space, name }) => readNamespace(plat, space, name),
    labelledAnswer,
  ),
  "PUT /v1/namespaces/{namespace}": route(
    namespaces.readPut,
    ({ dryRun, space, name, labels, ifMatch }) =>
      putNamespace(dryRun ? rehearsal() : plat, space, name, labels, ifMatch),
    labelledPutAnswer,
  ),
  "DELETE /v1/namespaces/{namespace}": route(
    namespaces.readMatch,
    ({ dryRun, space, name, ifMatch }) =>
      deleteNamespace(dryRun ? rehearsal() : plat, space, name, ifMatch),
    labelledDeleteAnswer,
  ),
});
