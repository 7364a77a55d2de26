import { applyEvents } from "../src/allocator/nodes/apply-events.ts";
import { ensurePrefixes } from "../src/allocator/prefixes/ensure-prefixes.ts";
import { releasePrefixes } from "../src/allocator/prefixes/release-prefixes.ts";
import { http, route } from "../src/edge/http/http.ts";
import { eventsAnswer, readEvents } from "../src/edge/nodes/events.ts";
import { podCidrsAnswer, podCidrsReleasedAnswer } from "../src/edge/prefixes/answer.ts";
import { readPodCidrRelease, readPodCidrs } from "../src/edge/prefixes/request.ts";
import { context } from "../src/wiring.ts";

const plat = context();

/** Serves what clusters say of their nodes and pods. */
export const handler = http({
  "POST /v1/events": route(
    readEvents,
    (request) => applyEvents(plat, request, request.events),
    eventsAnswer,
  ),
  "POST /v1/nodes/{node}/pod-cidrs": route(
    readPodCidrs,
    (wanted) => ensurePrefixes(plat, wanted),
    podCidrsAnswer,
  ),
  "DELETE /v1/nodes/{node}/pod-cidrs": route(
    readPodCidrRelease,
    (release) => releasePrefixes(plat, release),
    podCidrsReleasedAnswer,
  ),
});
