import { deleteNode, listNodes, putNode, readNode } from "../src/allocator/nodes.ts";
import { http, route } from "../src/edge/http.ts";
import {
  labelledAnswer,
  labelledDeleteAnswer,
  labelledPutAnswer,
  nodes,
} from "../src/edge/labelled-request.ts";
import { context, rehearsal } from "../src/wiring.ts";

const plat = context();

export const handler = http({
  "GET /v1/nodes": route(nodes.readList, (wanted) => listNodes(plat, wanted), nodes.listAnswer),
  "GET /v1/nodes/{node}": route(
    nodes.readOne,
    ({ space, name }) => readNode(plat, space, name),
    labelledAnswer,
  ),
  "PUT /v1/nodes/{node}": route(
    nodes.readPut,
    ({ dryRun, space, name, labels, ifMatch }) =>
      putNode(dryRun ? rehearsal() : plat, space, name, labels, ifMatch),
    labelledPutAnswer,
  ),
  "DELETE /v1/nodes/{node}": route(
    nodes.readMatch,
    ({ dryRun, space, name, ifMatch }) =>
      deleteNode(dryRun ? rehearsal() : plat, space, name, ifMatch),
    labelledDeleteAnswer,
  ),
});
