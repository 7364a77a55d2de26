import { ORPHANS_PATH, type Route } from "../../../api/route.ts";
import { contentsRead, orphansRead } from "./answer.ts";
import { contentsQuery, orphansQuery } from "./request.ts";

/** All stored items of a space, and those to which nothing leads. */
export const CONTENTS_ROUTES = [
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
  {
    method: "GET",
    path: ORPHANS_PATH,
    function: "survey",
    id: "listOrphans",
    tag: "blocks",
    summary: "Searches the whole table for blocks of any space to which nothing leads, in pages",
    query: orphansQuery,
    answers: { 200: orphansRead },
    rejections: [],
  },
] as const satisfies readonly Route[];
