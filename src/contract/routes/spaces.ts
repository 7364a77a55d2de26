import * as answers from "../answers/answers.ts";
import { namedListQuery } from "../requests/query.ts";
import type { Route } from "./route.ts";
import { SPACES_PATH } from "./space-path.ts";

/** The routes of spaces as a whole. */
export const SPACE_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: SPACES_PATH,
    function: "read",
    id: "listSpaces",
    tag: "configuration",
    summary: "Lists the spaces that have pools, or had some a moment ago, in pages",
    query: namedListQuery,
    answers: { 200: answers.spacesRead },
    rejections: [],
  },
];
