import { DRY_RUN } from "../../../api/query.ts";
import { CHANGED, type Route } from "../../../api/route.ts";
import {
  applicationDeleted,
  applicationRead,
  applicationsRead,
  applicationWritten,
} from "./answer.ts";
import { applicationBody, applicationQuery } from "./request.ts";

const PATH = "/v1/applications/{namespace}/{kind}/{name}";

/** Applications, for which Plat holds addresses. */
export const APPLICATION_ROUTES = [
  {
    method: "GET",
    path: "/v1/applications",
    function: "read",
    id: "listApplications",
    tag: "applications",
    summary: "Lists the applications of a space by namespace, kind and name, in pages",
    query: applicationQuery,
    answers: { 200: applicationsRead },
    rejections: [],
  },
  {
    method: "GET",
    path: PATH,
    function: "read",
    id: "readApplication",
    tag: "applications",
    summary: "Returns an application with its addresses",
    query: {},
    headers: ["If-None-Match"],
    answers: { 200: applicationRead, 304: undefined },
    rejections: ["not_found"],
  },
  {
    method: "PUT",
    path: PATH,
    function: "applications",
    id: "putApplication",
    role: "cluster",
    tag: "applications",
    summary: "Holds addresses for an application, or changes the version that the caller saw",
    query: DRY_RUN,
    headers: ["If-Match", "If-None-Match"],
    body: [applicationBody],
    answers: { 200: applicationWritten, 201: applicationWritten },
    rejections: [...CHANGED, "name_mismatch", "no_pool_available"],
  },
  {
    method: "DELETE",
    path: PATH,
    function: "applications",
    id: "deleteApplication",
    role: "cluster",
    tag: "applications",
    summary: "Deletes the version of an application that the caller saw, and lets its addresses go",
    query: DRY_RUN,
    headers: ["If-Match"],
    answers: { 200: applicationDeleted },
    rejections: ["not_found", ...CHANGED],
  },
] as const satisfies readonly Route[];
