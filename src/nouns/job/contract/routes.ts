import { namedListQuery } from "../../../api/query.ts";
import type { Route } from "../../../api/route.ts";
import { jobRead, jobsRead } from "./answer.ts";

/** Jobs. */
export const JOB_ROUTES = [
  {
    method: "GET",
    path: "/v1/jobs",
    function: "read",
    id: "listJobs",
    tag: "jobs",
    summary: "Lists the jobs of a space in the order of their start, in pages",
    query: namedListQuery,
    answers: { 200: jobsRead },
    rejections: [],
  },
  {
    method: "GET",
    path: "/v1/jobs/{id}",
    function: "read",
    id: "readJob",
    tag: "jobs",
    summary: "Returns a job with its progress, what it waits for, or how it ended",
    query: {},
    answers: { 200: jobRead },
    rejections: ["not_found"],
  },
] as const satisfies readonly Route[];
