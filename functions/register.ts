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
import { connected } from "../src/wiring.ts";

/** Serves hosts and namespaces, with their labels. */
export const handler = authorized<"register">(connected(), {
  "PUT /v1/nodes/{node}": route(
    nodes.readPut,
    (plat, { space, name, labels, ifMatch }) => putNode(plat, space, name, labels, ifMatch),
    labelledPutAnswer,
  ),
  "DELETE /v1/nodes/{node}": route(
    nodes.readMatch,
    (plat, { space, name, ifMatch }) => deleteNode(plat, space, name, ifMatch),
    labelledDeleteAnswer,
  ),
  "PUT /v1/namespaces/{namespace}": route(
    namespaces.readPut,
    (plat, { space, name, labels, defaultPools, ifMatch }) => {
      const spec = { labels, ...(defaultPools && { defaultPools }) };
      return putNamespace(plat, space, name, spec, ifMatch);
    },
    labelledPutAnswer,
  ),
  "DELETE /v1/namespaces/{namespace}": route(
    namespaces.readMatch,
    (plat, { space, name, ifMatch }) => deleteNamespace(plat, space, name, ifMatch),
    labelledDeleteAnswer,
  ),
});
