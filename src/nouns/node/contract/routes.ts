import type { Route } from "../../../api/route.ts";
import {
  podCidrsEnsured,
  podCidrsRead,
  podCidrsReleased,
} from "../../prefix/contract/node-prefix-answer.ts";
import {
  podCidrListQuery,
  podCidrReleaseQuery,
  podCidrsBody,
} from "../../prefix/contract/node-prefix-request.ts";
import { eventsApplied, nodesCompleted, zonesRead } from "./answer.ts";
import { cloudEvent, eventList, nodeListBody, watchEvent } from "./events-request.ts";

const PATH = "/v1/nodes/{node}/pod-cidrs";

/** The prefixes of nodes, and what clusters say of them. */
export const NODE_ROUTES = [
  {
    method: "GET",
    path: PATH,
    function: "read",
    id: "listPodCidrs",
    tag: "nodes",
    summary: "Lists the prefixes of a node, or those of one uid",
    query: podCidrListQuery,
    answers: { 200: podCidrsRead },
    rejections: [],
  },
  {
    method: "POST",
    path: PATH,
    function: "nodes",
    id: "ensurePodCidrs",
    tag: "nodes",
    summary: "Ensures that a node has one prefix of each family, or the prefixes that it states",
    query: {},
    repeatable: true,
    body: [podCidrsBody],
    answers: { 200: podCidrsEnsured },
    rejections: [
      "no_pool_available",
      "pool_forbidden",
      "quota_exceeded",
      "rate_limited",
      "pool_exhausted",
      "already_assigned",
      "prefix_mismatch",
      "node_gone",
      "host_not_registered",
      "request_in_progress",
    ],
  },
  {
    method: "DELETE",
    path: PATH,
    function: "nodes",
    id: "releasePodCidrs",
    tag: "nodes",
    summary: "Releases the prefixes of a uid of a node, or one of them",
    query: podCidrReleaseQuery,
    answers: { 200: podCidrsReleased },
    rejections: ["generation_conflict", "request_in_progress"],
  },
  {
    method: "POST",
    path: "/v1/events",
    function: "nodes",
    id: "applyEvents",
    role: "cluster",
    tag: "nodes",
    summary: "Applies events of a Kubernetes watch or of EventBridge",
    query: {},
    repeatable: true,
    body: [eventList, watchEvent, cloudEvent],
    answers: { 200: eventsApplied },
    rejections: [],
  },
  {
    method: "POST",
    path: "/v1/nodes/complete",
    function: "nodes",
    id: "completeNodes",
    role: "cluster",
    tag: "nodes",
    summary: "Ends the nodes of a cluster that complete lists of its nodes lack",
    query: {},
    repeatable: true,
    body: [nodeListBody],
    answers: { 200: nodesCompleted },
    rejections: ["too_many_missing"],
  },
  {
    method: "GET",
    path: "/v1/zones",
    function: "survey",
    id: "readZones",
    tag: "nodes",
    summary: "Counts the nodes of each zone, and says how disrupted it is",
    query: {},
    answers: { 200: zonesRead },
    rejections: [],
  },
] as const satisfies readonly Route[];
