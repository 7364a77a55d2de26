import { DRY_RUN, namedListQuery } from "../../../api/query.ts";
import { CHANGED, type Route } from "../../../api/route.ts";
import { quotaDeleted, quotaRead, quotasRead, quotaUsageRead, quotaWritten } from "./answer.ts";
import { quotaBody } from "./request.ts";

/** Quotas. */
export const QUOTA_ROUTES = [
  {
    method: "GET",
    path: "/v1/quotas",
    function: "read",
    id: "listQuotas",
    tag: "quotas",
    summary: "Lists the quotas of a space by name, in pages",
    query: namedListQuery,
    answers: { 200: quotasRead },
    rejections: [],
  },
  {
    method: "GET",
    path: "/v1/quotas/{name}",
    function: "read",
    id: "readQuota",
    tag: "quotas",
    summary: "Returns a quota",
    query: {},
    headers: ["If-None-Match"],
    answers: { 200: quotaRead, 304: undefined },
    rejections: ["not_found"],
  },
  {
    method: "GET",
    path: "/v1/quotas/{name}/usage",
    function: "read",
    id: "readQuotaUsage",
    tag: "quotas",
    summary: "Returns how much of each maximum of a quota but requestsPerSecond is used",
    query: {},
    answers: { 200: quotaUsageRead },
    rejections: ["not_found"],
  },
  {
    method: "PUT",
    path: "/v1/quotas/{name}",
    function: "configure",
    id: "putQuota",
    tag: "quotas",
    summary: "Limits a space, a principal or a tenant, or changes the version that the caller saw",
    query: DRY_RUN,
    headers: ["If-Match", "If-None-Match"],
    body: [quotaBody],
    answers: { 200: quotaWritten, 201: quotaWritten },
    rejections: [...CHANGED, "name_mismatch"],
  },
  {
    method: "DELETE",
    path: "/v1/quotas/{name}",
    function: "configure",
    id: "deleteQuota",
    tag: "quotas",
    summary: "Deletes the version of a quota that the caller saw",
    query: DRY_RUN,
    headers: ["If-Match"],
    answers: { 200: quotaDeleted },
    rejections: ["not_found", ...CHANGED],
  },
] as const satisfies readonly Route[];
