import type { Zones } from "../../allocator/nodes/read-zones.ts";
import type { Answer } from "../http/event.ts";

export const zonesAnswer = (zones: Zones): Answer => ({ status: 200, body: zones });
