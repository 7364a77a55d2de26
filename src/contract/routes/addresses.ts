import {
  addressesRead,
  addressRead,
  amended,
  handleRead,
  lifted,
  quarantined,
} from "../answers/address.ts";
import { assigned } from "../answers/assignment.ts";
import { batchDone } from "../answers/batch.ts";
import { handleReleased, released } from "../answers/release.ts";
import { handlesRead } from "../answers/search.ts";
import { amendmentBody } from "../requests/amendment.ts";
import { assignBody } from "../requests/assign.ts";
import { batchBody } from "../requests/batch.ts";
import { conflictBody } from "../requests/conflict.ts";
import { handleQuery } from "../requests/handle.ts";
import { DRY_RUN } from "../requests/query.ts";
import { releaseBody } from "../requests/release.ts";
import { addressListQuery, handleListQuery } from "../requests/search.ts";
import type { Route } from "./route.ts";

/** The routes that assign, release, amend and read addresses, and those of conflicts. */
export const ADDRESS_ROUTES = [
  {
    method: "POST",
    path: "/v1/assign",
    function: "assign",
    id: "assign",
    role: "caller",
    tag: "addresses",
    summary: "Assigns addresses to a handle on a host, or explains what it would assign",
    query: DRY_RUN,
    headers: ["Idempotency-Key"],
    body: [assignBody],
    answers: { 200: assigned },
    rejections: [
      "already_assigned",
      "pool_exhausted",
      "no_pool_available",
      "pool_forbidden",
      "quota_exceeded",
      "rate_limited",
      "tenant_mismatch",
      "host_not_registered",
      "block_limit",
      "handle_limit",
      "strict_affinity",
      "request_in_progress",
      "already_released",
      "address_cooling",
      "address_quarantined",
      "idempotency_mismatch",
    ],
  },
  {
    method: "POST",
    path: "/v1/release",
    function: "release",
    id: "release",
    role: "caller",
    tag: "addresses",
    summary:
      "Releases addresses, or keeps them for an instance: single ones, all of a handle, of a host, or of an instance",
    query: {},
    body: [releaseBody],
    answers: { 200: released },
    rejections: [],
  },
  {
    method: "POST",
    path: "/v1/batch",
    function: "batch",
    id: "sendBatch",
    role: "caller",
    tag: "addresses",
    summary:
      "Carries out a batch of assigns and releases of addresses, each with an answer of its own",
    query: {},
    body: [batchBody],
    ndjson: true,
    answers: { 200: batchDone },
    rejections: [],
  },
  {
    method: "DELETE",
    path: "/v1/handles/{handle+}",
    function: "release",
    id: "releaseHandle",
    role: "caller",
    tag: "addresses",
    summary: "Releases all addresses of a handle",
    query: {},
    answers: { 200: handleReleased },
    rejections: [],
  },
  {
    method: "GET",
    path: "/v1/addresses",
    function: "read",
    id: "listAddresses",
    tag: "addresses",
    summary: "Lists the addresses that are not free and meet all conditions, in pages",
    query: addressListQuery,
    answers: { 200: addressesRead },
    rejections: ["not_found"],
  },
  {
    method: "GET",
    path: "/v1/addresses/{ip}",
    function: "read",
    id: "readAddress",
    tag: "addresses",
    summary: "Returns an address with its state, owner and generation",
    query: {},
    answers: { 200: addressRead },
    rejections: ["not_found"],
  },
  {
    method: "PATCH",
    path: "/v1/addresses/{ip}",
    function: "amend",
    id: "amendAddress",
    role: "caller",
    tag: "addresses",
    summary:
      "Renews the lease of an address, changes its owners if they match the expected ones, or both",
    query: {},
    body: [amendmentBody],
    answers: { 200: amended },
    rejections: [
      "not_found",
      "tenant_mismatch",
      "generation_conflict",
      "request_in_progress",
      "precondition_failed",
    ],
  },
  {
    method: "POST",
    path: "/v1/addresses/{ip}/conflict",
    function: "release",
    id: "reportConflict",
    role: "caller",
    tag: "addresses",
    summary:
      "Takes an address back that something else uses, and keeps it from everybody for a time",
    query: {},
    repeatable: true,
    body: [conflictBody],
    answers: { 200: quarantined },
    rejections: ["not_found", "generation_conflict", "request_in_progress"],
  },
  {
    method: "DELETE",
    path: "/v1/addresses/{ip}/conflict",
    function: "release",
    id: "liftQuarantine",
    tag: "addresses",
    summary: "Ends the quarantine of an address; what is left of its cooldown stays",
    query: {},
    answers: { 200: lifted },
    rejections: ["not_found"],
  },
  {
    method: "GET",
    path: "/v1/handles",
    function: "read",
    id: "listHandles",
    tag: "addresses",
    summary: "Lists the handles that have addresses, or those that begin with a text, in pages",
    query: handleListQuery,
    answers: { 200: handlesRead },
    rejections: [],
  },
  {
    // Greedy, as API Gateway decodes a path before it routes: the slash of a handle may be one in the path by then.
    method: "GET",
    path: "/v1/handles/{handle+}",
    function: "read",
    id: "readHandle",
    tag: "addresses",
    summary: "Lists the addresses of a handle, in pages",
    query: handleQuery,
    answers: { 200: handleRead },
    rejections: ["not_found"],
  },
] as const satisfies readonly Route[];
