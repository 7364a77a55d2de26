import { putCiliumNode } from "../src/allocator/cilium/put-cilium-node.ts";
import { readCiliumNode } from "../src/allocator/cilium/read-cilium-node.ts";
import { releaseCiliumNode } from "../src/allocator/cilium/release-cilium-node.ts";
import { applyEvents } from "../src/allocator/nodes/apply-events.ts";
import { ensurePrefixes } from "../src/allocator/prefixes/ensure-prefixes.ts";
import { releasePrefixes } from "../src/allocator/prefixes/release-prefixes.ts";
import {
  ciliumNodeAnswer,
  ciliumNodeReadAnswer,
  ciliumNodeReleasedAnswer,
} from "../src/edge/cilium/answer.ts";
import {
  readCiliumNodePath,
  readCiliumNodePut,
  readCiliumNodeRelease,
} from "../src/edge/cilium/request.ts";
import { authorized } from "../src/edge/http/authorized.ts";
import { route } from "../src/edge/http/http.ts";
import { eventsAnswer, readEvents } from "../src/edge/nodes/events.ts";
import { podCidrsAnswer, podCidrsReleasedAnswer } from "../src/edge/prefixes/answer.ts";
import { readPodCidrRelease, readPodCidrs } from "../src/edge/prefixes/request.ts";
import { deployed, type Wiring } from "../src/wiring.ts";

/** Serves what clusters say of their nodes and pods. */
export const nodesOver = ({ connect }: Wiring) =>
  authorized<"nodes">(connect, {
    "POST /v1/events": route(
      readEvents,
      (plat, request) => applyEvents(plat, request, request.events),
      eventsAnswer,
    ),
    "POST /v1/nodes/{node}/pod-cidrs": route(
      readPodCidrs,
      (plat, wanted) => ensurePrefixes(plat, wanted),
      podCidrsAnswer,
    ),
    "DELETE /v1/nodes/{node}/pod-cidrs": route(
      readPodCidrRelease,
      (plat, release) => releasePrefixes(plat, release),
      podCidrsReleasedAnswer,
    ),
    "GET /v1/nodes/{node}/cilium": route(
      readCiliumNodePath,
      (_, wanted, { dryRun }) => readCiliumNode(dryRun(), wanted),
      ciliumNodeReadAnswer,
    ),
    "PUT /v1/nodes/{node}/cilium": route(
      readCiliumNodePut,
      (plat, { body: _, ...request }) => putCiliumNode(plat, request),
      ciliumNodeAnswer,
    ),
    "DELETE /v1/nodes/{node}/cilium": route(
      readCiliumNodeRelease,
      (plat, release) => releaseCiliumNode(plat, release),
      ciliumNodeReleasedAnswer,
    ),
  });

export const handler = deployed(nodesOver);
