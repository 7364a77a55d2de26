import { jobBegun, jobDryRun } from "../answers/job.ts";
import { spacesRead } from "../answers/space.ts";
import { orphansRead } from "../answers/utilization.ts";
import { DRY_RUN, namedListQuery } from "../requests/query.ts";
import { orphansQuery } from "../requests/utilization.ts";
import { ORPHANS_PATH, type Route, SPACE_PATH, SPACES_PATH } from "./route.ts";

/** The routes of spaces as a whole. */
export const SPACE_ROUTES = [
  {
    method: "GET",
    path: SPACES_PATH,
    function: "read",
    id: "listSpaces",
    tag: "configuration",
    summary: "Lists the spaces that have pools, or had some a moment ago, in pages",
    query: namedListQuery,
    answers: { 200: spacesRead },
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
  {
    method: "DELETE",
    path: SPACE_PATH,
    function: "configure",
    id: "deleteSpace",
    tag: "configuration",
    summary: "Starts to delete a space that has no pool, no application and no node",
    query: DRY_RUN,
    answers: { 200: jobDryRun, 202: jobBegun },
    rejections: ["not_found", "space_in_use"],
  },
] as const satisfies readonly Route[];
