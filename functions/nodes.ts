import { authorized } from "../src/api/http/authorized.ts";
import { route } from "../src/api/http/http.ts";
import { putCiliumNode } from "../src/nouns/cilium/operations/put-cilium-node.ts";
import { readCiliumNode } from "../src/nouns/cilium/operations/read-cilium-node.ts";
import { releaseCiliumNode } from "../src/nouns/cilium/operations/release-cilium-node.ts";
import {
  ciliumNodeAnswer,
  ciliumNodeReadAnswer,
  ciliumNodeReleasedAnswer,
} from "../src/nouns/cilium/serve/answer.ts";
import {
  parseCiliumNodePath,
  parseCiliumNodePut,
  parseCiliumNodeRelease,
} from "../src/nouns/cilium/serve/request.ts";
import { applyEvents } from "../src/nouns/node/operations/apply-events.ts";
import { completeNodes } from "../src/nouns/node/operations/complete-nodes.ts";
import {
  eventResultsAnswer,
  nodesCompletedAnswer,
  parseEvents,
  parseNodeList,
} from "../src/nouns/node/serve/events.ts";
import { ensurePrefixes } from "../src/nouns/prefix/operations/ensure-prefixes.ts";
import { releasePrefixes } from "../src/nouns/prefix/operations/release-prefixes.ts";
import { podCidrsAnswer, podCidrsReleasedAnswer } from "../src/nouns/prefix/serve/answer.ts";
import { parsePodCidrRelease, parsePodCidrs } from "../src/nouns/prefix/serve/request.ts";
import { markerOfEnvironment } from "../src/table/parameter-marker.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

/** Serves what clusters say of their nodes and pods. */
export const nodesOver = ({ connect }: Wiring) =>
  authorized<"nodes">(connect, {
    "POST /v1/events": route(
      parseEvents,
      (plat, request) => applyEvents(plat, request, request.events),
      eventResultsAnswer,
    ),
    "POST /v1/nodes/complete": route(
      parseNodeList,
      (plat, list) => completeNodes(plat, list),
      nodesCompletedAnswer,
    ),
    "POST /v1/nodes/{node}/pod-cidrs": route(
      parsePodCidrs,
      (plat, wanted) => ensurePrefixes(plat, wanted),
      podCidrsAnswer,
    ),
    "DELETE /v1/nodes/{node}/pod-cidrs": route(
      parsePodCidrRelease,
      (plat, release) => releasePrefixes(plat, release),
      podCidrsReleasedAnswer,
    ),
    "GET /v1/nodes/{node}/cilium": route(
      parseCiliumNodePath,
      (_, wanted, { dryRun }) => readCiliumNode(dryRun(), wanted),
      ciliumNodeReadAnswer,
    ),
    "PUT /v1/nodes/{node}/cilium": route(
      parseCiliumNodePut,
      (plat, { body: _, ...request }) => putCiliumNode(plat, request),
      ciliumNodeAnswer,
    ),
    "DELETE /v1/nodes/{node}/cilium": route(
      parseCiliumNodeRelease,
      (plat, release) => releaseCiliumNode(plat, release),
      ciliumNodeReleasedAnswer,
    ),
  });

export const handler = deployed(nodesOver, markerOfEnvironment());
