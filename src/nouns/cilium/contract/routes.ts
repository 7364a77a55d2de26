import type { Route } from "../../../api/route.ts";
import { ciliumNodeRead, ciliumNodeReleased } from "./answer.ts";
import { ciliumNodeBody, ciliumNodeQuery, ciliumReleaseQuery } from "./request.ts";

const PATH = "/v1/nodes/{node}/cilium";

/** The grants of nodes by their CiliumNode. */
export const CILIUM_ROUTES = [
  {
    method: "GET",
    path: PATH,
    function: "nodes",
    id: "readCiliumNode",
    tag: "nodes",
    summary: "Reads what a node has by its CiliumNode, as a PUT would answer now",
    query: {},
    answers: { 200: ciliumNodeRead },
    rejections: ["not_found", "request_in_progress"],
  },
  {
    method: "PUT",
    path: PATH,
    function: "nodes",
    id: "putCiliumNode",
    role: "cluster",
    tag: "nodes",
    summary: "Grants a node what its CiliumNode asks for, and answers the object",
    query: ciliumNodeQuery,
    repeatable: true,
    body: [ciliumNodeBody],
    yaml: true,
    answers: { 200: ciliumNodeRead },
    rejections: ["precondition_failed", "name_mismatch", "node_gone", "request_in_progress"],
  },
  {
    method: "DELETE",
    path: PATH,
    function: "nodes",
    id: "releaseCiliumNode",
    role: "cluster",
    tag: "nodes",
    summary: "Releases what a uid of a node has by its CiliumNode",
    query: ciliumReleaseQuery,
    answers: { 200: ciliumNodeReleased },
    rejections: ["request_in_progress"],
  },
] as const satisfies readonly Route[];
