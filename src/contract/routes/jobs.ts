import * as answers from "../answers/answers.ts";
import { namedListQuery } from "../requests/query.ts";
import type { Route } from "./route.ts";

/** Jobs. */
export const JOB_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/jobs",
    function: "read",
    id: "listJobs",
    tag: "jobs",
    summary: "The jobs of a space, by when they were begun, in pages",
    query: namedListQuery,
    answers: { 200: answers.jobsRead },
    refusals: [],
  },
  {
    method: "GET",
    path: "/v1/jobs/{id}",
    function: "read",
    id: "readJob",
    tag: "jobs",
    summary: "One job: how far it is, what it waits for, how it ended",
    query: {},
    answers: { 200: answers.jobRead },
    refusals: ["not_found"],
  },
];
