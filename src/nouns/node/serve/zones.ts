import type { AnswerOf } from "../../../api/http/event.ts";
import type { Zones } from "../operations/read-zones.ts";

export const zonesAnswer = (zones: Zones): AnswerOf<"GET /v1/zones"> => ({
  status: 200,
  body: zones,
});
