import { deleteNamespace, putNamespace } from "../src/allocator/admin/namespaces.ts";
import { deleteNode, putNode } from "../src/allocator/admin/nodes.ts";
import { authorized } from "../src/edge/http/authorized.ts";
import { route } from "../src/edge/http/http.ts";
import {
  labelledDeleteAnswer,
  labelledPutAnswer,
  namespaces,
  nodes,
} from "../src/edge/registry/request.ts";
import { context, dryRunContext } from "../src/wiring.ts";

const plat = context();

/** Serves hosts and namespaces, with their labels. */
export const handler = authorized({
  "PUT /v1/nodes/{node}": route(
    nodes.readPut,
    ({ dryRun, space, name, labels, ifMatch }) =>
      putNode(dryRun ? dryRunContext() : plat, space, name, labels, ifMatch),
    labelledPutAnswer,
  ),
  "DELETE /v1/nodes/{node}": route(
    nodes.readMatch,
    ({ dryRun, space, name, ifMatch }) =>
      deleteNode(dryRun ? dryRunContext() : plat, space, name, ifMatch),
    labelledDeleteAnswer,
  ),
  "PUT /v1/namespaces/{namespace}": route(
    namespaces.readPut,
    ({ dryRun, space, name, labels, defaultPools, ifMatch }) => {
      const spec = { labels, ...(defaultPools && { defaultPools }) };
      return putNamespace(dryRun ? dryRunContext() : plat, space, name, spec, ifMatch);
    },
    labelledPutAnswer,
  ),
  "DELETE /v1/namespaces/{namespace}": route(
    namespaces.readMatch,
    ({ dryRun, space, name, ifMatch }) =>
      deleteNamespace(dryRun ? dryRunContext() : plat, space, name, ifMatch),
    labelledDeleteAnswer,
  ),
});
