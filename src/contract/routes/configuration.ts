import { settingsRead, settingsWritten } from "../answers/configuration.ts";
import { contentsRead } from "../answers/service.ts";
import { contentsQuery } from "../requests/contents.ts";
import { DRY_RUN } from "../requests/query.ts";
import { settingsBody } from "../requests/settings.ts";
import { CHANGED, type Route } from "./route.ts";

/** Routes for the settings of a space and its contents. */
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
  {
    method: "GET",
    path: "/v1/contents",
    function: "survey",
    id: "listContents",
    tag: "configuration",
    summary: "Returns all stored items of a space, in pages, for checks and exports",
    query: contentsQuery,
    answers: { 200: contentsRead },
    rejections: [],
  },
] as const satisfies readonly Route[];
