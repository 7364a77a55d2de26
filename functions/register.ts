import { authorized } from "../src/api/http/authorized.ts";
import { route } from "../src/api/http/http.ts";
import { deleteNamespace, putNamespace } from "../src/nouns/registry/operations/namespaces.ts";
import { deleteNode, putNode } from "../src/nouns/registry/operations/nodes.ts";
import {
  labelledDeleteAnswer,
  namespacePutAnswer,
  namespaces,
  nodePutAnswer,
  nodes,
} from "../src/nouns/registry/serve/request.ts";
import { markerOfEnvironment } from "../src/table/parameter-marker.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

/** Serves hosts and namespaces, with their labels. */
export const registerOver = ({ connect }: Wiring) =>
  authorized<"register">(connect, {
    "PUT /v1/nodes/{node}": route(
      nodes.readPut,
      (plat, { space, name, spec, ifMatch }) => putNode(plat, space, name, spec, ifMatch),
      nodePutAnswer,
    ),
    "DELETE /v1/nodes/{node}": route(
      nodes.readMatch,
      (plat, { space, name, ifMatch }) => deleteNode(plat, space, name, ifMatch),
      labelledDeleteAnswer,
    ),
    "PUT /v1/namespaces/{namespace}": route(
      namespaces.readPut,
      (plat, { space, name, spec, ifMatch }) => putNamespace(plat, space, name, spec, ifMatch),
      namespacePutAnswer,
    ),
    "DELETE /v1/namespaces/{namespace}": route(
      namespaces.readMatch,
      (plat, { space, name, ifMatch }) => deleteNamespace(plat, space, name, ifMatch),
      labelledDeleteAnswer,
    ),
  });

export const handler = deployed(registerOver, markerOfEnvironment());
