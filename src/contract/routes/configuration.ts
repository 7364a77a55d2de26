import * as answers from "../answers/answers.ts";
import { contentsQuery } from "../requests/contents.ts";
import { DRY_RUN } from "../requests/query.ts";
import { settingsBody } from "../requests/settings.ts";
import { CHANGED, type Route } from "./route.ts";

/** What a space is configured by, and all that it has. */
export const CONFIGURATION_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/config",
    function: "read",
    id: "readConfiguration",
    tag: "configuration",
    summary: "The configuration of a space",
    query: {},
    headers: ["If-None-Match"],
    answers: { 200: answers.settingsRead, 304: undefined },
    refusals: [],
  },
  {
    method: "PUT",
    path: "/v1/config",
    function: "configure",
    id: "putConfiguration",
    tag: "configuration",
    summary: "Writes the configuration of a space, or changes it as it was seen",
    query: DRY_RUN,
    headers: ["If-Match", "If-None-Match"],
    body: [settingsBody],
    answers: { 200: answers.settingsWritten, 201: answers.settingsWritten },
    refusals: CHANGED,
  },
  {
    method: "GET",
    path: "/v1/contents",
    function: "survey",
    id: "listContents",
    tag: "configuration",
    summary: "Everything that a space has in the table, in pages, for who proves it as a whole",
    query: contentsQuery,
    answers: { 200: answers.contentsRead },
    refusals: [],
  },
];
