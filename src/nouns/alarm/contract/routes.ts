import type { Route } from "../../../api/route.ts";
import { alarmsRead } from "./answer.ts";

/** Alarms. */
export const ALARM_ROUTES = [
  {
    method: "GET",
    path: "/v1/alarms",
    function: "survey",
    id: "listAlarms",
    tag: "alarms",
    summary: "Lists the thresholds of Plat that are crossed now",
    query: {},
    answers: { 200: alarmsRead },
    rejections: [],
  },
] as const satisfies readonly Route[];
