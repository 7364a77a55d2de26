import { DRY_RUN, namedListQuery } from "../../../api/query.ts";
import { type Route, SPACE_PATH, SPACES_PATH } from "../../../api/route.ts";
import { jobBegun, jobDryRun } from "../../job/contract/answer.ts";
import { spacesRead } from "./answer.ts";

/** The routes of spaces as a whole. */
export const SPACE_ROUTES = [
  {
    method: "GET",
    path: SPACES_PATH,
    function: "read",
    id: "listSpaces",
    tag: "configuration",
    summary:
      "Lists the spaces that have pools, or whose configuration changed a moment ago, in pages",
    query: namedListQuery,
    answers: { 200: spacesRead },
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
