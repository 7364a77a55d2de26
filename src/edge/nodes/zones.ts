import type { Zones } from "../../allocator/nodes/read-zones.ts";
import type { AnswerOf } from "../http/event.ts";

export const zonesAnswer = (zones: Zones): AnswerOf<"GET /v1/zones"> => ({
  status: 200,
  body: zones,
});
