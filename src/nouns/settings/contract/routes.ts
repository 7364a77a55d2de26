import { DRY_RUN } from "../../../api/query.ts";
import { CHANGED, type Route } from "../../../api/route.ts";
import { settingsRead, settingsWritten } from "./answer.ts";
import { settingsBody } from "./request.ts";

/** The settings of a space. */
export const CONFIGURATION_ROUTES = [
  {
    method: "GET",
    path: "/v1/config",
    function: "read",
    id: "readConfiguration",
    tag: "configuration",
    summary: "Returns the configuration of a space",
    query: {},
    headers: ["If-None-Match"],
    answers: { 200: settingsRead, 304: undefined },
    rejections: [],
  },
  {
    method: "PUT",
    path: "/v1/config",
    function: "configure",
    id: "putConfiguration",
    tag: "configuration",
    summary: "Writes the configuration of a space, or changes the version that the caller saw",
    query: DRY_RUN,
    headers: ["If-Match", "If-None-Match"],
    body: [settingsBody],
    answers: { 200: settingsWritten, 201: settingsWritten },
    rejections: CHANGED,
  },
] as const satisfies readonly Route[];
