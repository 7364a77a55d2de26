import { DRY_RUN } from "../../../api/query.ts";
import type { Route } from "../../../api/route.ts";
import { prefixAssigned, prefixesRead, prefixesReleased } from "./answer.ts";
import { prefixBody, prefixListQuery, prefixReleaseBody } from "./request.ts";

const PATH = "/v1/prefixes";

/** The routes of prefixes that callers have by a handle. Those of nodes have routes of their own. */
export const PREFIX_ROUTES = [
  {
    method: "GET",
    path: PATH,
    function: "read",
    id: "listPrefixes",
    tag: "prefixes",
    summary: "Lists the prefixes of a handle in pages, or returns the prefix that a CIDR is",
    query: prefixListQuery,
    answers: { 200: prefixesRead },
    rejections: ["not_found"],
  },
  {
    method: "POST",
    path: PATH,
    function: "assign",
    id: "assignPrefix",
    role: "caller",
    tag: "prefixes",
    summary: "Assigns a free prefix of a pool, or a specific one, to a handle, or explains it",
    query: DRY_RUN,
    headers: ["Idempotency-Key"],
    body: [prefixBody],
    answers: { 200: prefixAssigned },
    rejections: [
      "already_assigned",
      "pool_exhausted",
      "no_pool_available",
      "pool_forbidden",
      "quota_exceeded",
      "rate_limited",
      "tenant_mismatch",
      "request_in_progress",
      "already_released",
      "address_cooling",
      "idempotency_mismatch",
    ],
  },
  {
    method: "POST",
    path: `${PATH}/release`,
    function: "release",
    id: "releasePrefixes",
    role: "caller",
    tag: "prefixes",
    summary: "Releases the prefixes of a handle, or one of them",
    query: {},
    body: [prefixReleaseBody],
    answers: { 200: prefixesReleased },
    rejections: ["generation_conflict", "prefix_in_use"],
  },
] as const satisfies readonly Route[];
