import type * as v from "valibot";
import {
  affinitiesBody,
  affinityClaimQuery,
  affinityListQuery,
  affinityReleaseQuery,
} from "./affinity-request.ts";
import { amendmentBody } from "./amendment-request.ts";
import * as answers from "./answers.ts";
import { assignBody } from "./assign-request.ts";
import { blockListQuery, blockQuery } from "./block-request.ts";
import { contentsQuery } from "./contents-request.ts";
import { handleQuery } from "./handle-request.ts";
import { jobList } from "./job-answer.ts";
import { labelledQuery } from "./labelled-answer.ts";
import { namespaces, nodes } from "./labelled-request.ts";
import { manifest } from "./manifest.ts";
import type { Tag } from "./openapi-words.ts";
import { DRY_RUN } from "./parameters.ts";
import { poolList } from "./pool-answer.ts";
import { poolBody, poolReleaseQuery } from "./pool-request.ts";
import type { ProblemCode } from "./problem.ts";
import { releaseBody } from "./release-request.ts";
import { reservationBody, reservationList } from "./reservation-request.ts";
import { settingsBody } from "./settings-request.ts";
import { spaceAffinitiesQuery } from "./space-affinities.ts";
import { actsInSpace, inNamedSpace } from "./space-path.ts";
import { spaceUtilizationQuery } from "./space-utilization-request.ts";
import { utilizationQuery } from "./utilization-request.ts";

/**
 * Which Lambda function serves which route; the CDK, the local server and the OpenAPI document read the same list. Routes share
 * a function where they need the same rights to the table (`cdk/access.ts`).
 */
export type FunctionName =
  | "assign"
  | "release"
  | "amend"
  | "affinities"
  | "read"
  | "survey"
  | "configure"
  | "register"
  | "openapi";

type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A route of API Gateway's HTTP API: `{name}` stands for one path segment, `{name+}` for all that are left. */
export interface Route {
  readonly method: Exclude<Method, "HEAD">;
  readonly path: string;
  readonly function: FunctionName;
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  /** What its query may say; absent where nobody looks at it. */
  readonly query?: v.ObjectEntries;
  readonly headers?: readonly ("If-Match" | "If-None-Match" | "Idempotency-Key")[];
  /** The body in each of its forms, the first one usual. */
  readonly body?: readonly v.GenericSchema[];
  /** May the body also be YAML? */
  readonly yaml?: true;
  /** The answer by its status. */
  readonly answers: Readonly<Record<number, v.GenericSchema | undefined>>;
  /** What it can be refused for beyond what every request can. */
  readonly refusals: readonly ProblemCode[];
}

/** The methods that a route serves: HEAD wherever GET, as a route of its own, so that a policy can tell the two apart. */
export const methodsOf = ({ method }: Route): readonly Method[] =>
  method === "GET" ? ["GET", "HEAD"] : [method];

const CHANGED: readonly ProblemCode[] = ["precondition_failed", "precondition_required"];

/** Each route once, those that act in a space by the path that names none. */
const WRITTEN: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/assign",
    function: "assign",
    id: "assign",
    tag: "addresses",
    summary: "Assigns addresses to a handle on a host; or explains what that would come to",
    query: DRY_RUN,
    headers: ["Idempotency-Key"],
    body: [assignBody],
    answers: { 200: answers.assigned },
    refusals: [
      "already_assigned",
      "pool_exhausted",
      "no_pool_available",
      "host_not_registered",
      "block_limit",
      "handle_limit",
      "strict_affinity",
      "request_in_progress",
      "already_released",
      "address_cooling",
      "idempotency_mismatch",
    ],
  },
  {
    method: "POST",
    path: "/v1/release",
    function: "release",
    id: "release",
    tag: "addresses",
    summary: "Gives addresses back: one by one, all that a handle has, or all that a host has",
    query: {},
    body: [releaseBody],
    answers: { 200: answers.released },
    refusals: [],
  },
  {
    method: "DELETE",
    path: "/v1/handles/{handle+}",
    function: "release",
    id: "releaseHandle",
    tag: "addresses",
    summary: "Gives back all addresses that a handle has",
    query: {},
    answers: { 200: answers.handleReleased },
    refusals: [],
  },
  {
    method: "GET",
    path: "/v1/addresses/{ip}",
    function: "read",
    id: "readAddress",
    tag: "addresses",
    summary: "One address: its state, its owner, its generation",
    query: {},
    answers: { 200: answers.addressRead },
    refusals: ["not_found"],
  },
  {
    method: "PATCH",
    path: "/v1/addresses/{ip}",
    function: "amend",
    id: "amendAddress",
    tag: "addresses",
    summary:
      "Renews the lease that an address was assigned with, changes its owners if they are as expected, or both",
    query: {},
    body: [amendmentBody],
    answers: { 200: answers.amended },
    refusals: ["not_found", "generation_conflict", "request_in_progress", "precondition_failed"],
  },
  {
    // Greedy, as API Gateway decodes a path before it routes: the slash of a handle may be one in the path by then.
    method: "GET",
    path: "/v1/handles/{handle+}",
    function: "read",
    id: "readHandle",
    tag: "addresses",
    summary: "The addresses of a handle, in pages",
    query: handleQuery,
    answers: { 200: answers.handleRead },
    refusals: ["not_found"],
  },
  {
    method: "GET",
    path: "/v1/blocks",
    function: "read",
    id: "listBlocks",
    tag: "blocks",
    summary: "The blocks of a pool, of a host or of the space, in pages",
    query: blockListQuery,
    answers: { 200: answers.blocksRead },
    refusals: ["not_found"],
  },
  {
    method: "GET",
    path: "/v1/blocks/{cidr+}",
    function: "read",
    id: "readBlock",
    tag: "blocks",
    summary: "One block, and its addresses that are assigned or cooling, in pages",
    query: blockQuery,
    answers: { 200: answers.blockRead },
    refusals: ["not_found"],
  },
  {
    method: "GET",
    path: "/v1/pools/{name}/utilization",
    function: "read",
    id: "readUtilization",
    tag: "pools",
    summary: "How the addresses of a pool are used, as a whole and block by block, in pages",
    query: utilizationQuery,
    answers: { 200: answers.utilizationRead },
    refusals: ["not_found"],
  },
  {
    method: "GET",
    path: "/v1/affinities",
    function: "read",
    id: "listSpaceAffinities",
    tag: "blocks",
    summary:
      "The blocks of all hosts, or those of a pool, and the states of their affinities, in pages",
    query: spaceAffinitiesQuery,
    answers: { 200: answers.spaceAffinitiesRead },
    refusals: ["not_found"],
  },
  {
    method: "GET",
    path: "/v1/nodes/{node}/affinities",
    function: "read",
    id: "listAffinities",
    tag: "blocks",
    summary: "The blocks of a host, and those that it borrows from, in pages",
    query: affinityListQuery,
    answers: { 200: answers.affinitiesRead },
    refusals: [],
  },
  {
    method: "POST",
    path: "/v1/nodes/{node}/affinities",
    function: "affinities",
    id: "claimAffinities",
    tag: "blocks",
    summary:
      "Claims the blocks of a range for a host; or sees to it that it has a block of each family",
    query: affinityClaimQuery,
    body: [affinitiesBody],
    answers: { 200: answers.affinitiesClaimed },
    refusals: [
      "no_pool_available",
      "host_not_registered",
      "pool_exhausted",
      "block_limit",
      "block_too_small",
    ],
  },
  {
    method: "DELETE",
    path: "/v1/nodes/{node}/affinities",
    function: "affinities",
    id: "releaseAffinities",
    tag: "blocks",
    summary:
      "Takes a block, its blocks of a range, or all, from a host; the addresses in them stay their owners'",
    query: affinityReleaseQuery,
    answers: { 200: answers.affinitiesReleased },
    refusals: ["block_too_small"],
  },
  {
    method: "GET",
    path: "/v1/utilization",
    function: "survey",
    id: "readUtilizations",
    tag: "pools",
    summary:
      "How the addresses of some pools, or of all, are used; and on demand blocks of no pool; in pages",
    query: spaceUtilizationQuery,
    answers: { 200: answers.spaceUtilizationRead },
    refusals: ["not_found"],
  },
  {
    method: "GET",
    path: "/v1/pools",
    function: "read",
    id: "listPools",
    tag: "pools",
    summary: "The pools of a space, by name, in pages",
    query: poolList.query,
    answers: { 200: answers.poolsRead },
    refusals: [],
  },
  {
    method: "GET",
    path: "/v1/pools/{name}",
    function: "read",
    id: "readPool",
    tag: "pools",
    summary: "One pool",
    query: {},
    headers: ["If-None-Match"],
    answers: { 200: answers.poolRead, 304: undefined },
    refusals: ["not_found"],
  },
  {
    method: "PUT",
    path: "/v1/pools/{name}",
    function: "configure",
    id: "putPool",
    tag: "pools",
    summary: "Creates a pool, or changes it as it was seen; from its fields or a Calico manifest",
    query: DRY_RUN,
    headers: ["If-Match", "If-None-Match"],
    body: [poolBody, manifest],
    yaml: true,
    answers: { 200: answers.poolWritten, 201: answers.poolWritten },
    refusals: [...CHANGED, "name_mismatch", "pool_overlap", "pool_deleting"],
  },
  {
    method: "DELETE",
    path: "/v1/pools/{name}",
    function: "configure",
    id: "deletePool",
    tag: "pools",
    summary: "Begins to delete a pool as it was seen",
    query: DRY_RUN,
    headers: ["If-Match"],
    answers: { 200: answers.jobRehearsed, 202: answers.jobBegun },
    refusals: ["not_found", ...CHANGED, "pool_in_use"],
  },
  {
    method: "POST",
    path: "/v1/pools/{name}/drain",
    function: "configure",
    id: "drainPool",
    tag: "pools",
    summary: "Begins to drain a pool as it was seen: no new address, and no block in the end",
    query: DRY_RUN,
    headers: ["If-Match"],
    answers: { 200: answers.jobRehearsed, 202: answers.jobBegun },
    refusals: ["not_found", ...CHANGED, "pool_deleting"],
  },
  {
    method: "POST",
    path: "/v1/pools/{name}/release-affinities",
    function: "configure",
    id: "releasePool",
    tag: "pools",
    summary:
      "Begins to take the blocks of a pool, or those that are empty, from their hosts; the pool serves on",
    query: poolReleaseQuery,
    answers: { 200: answers.jobRehearsed, 202: answers.jobBegun },
    refusals: ["not_found", "pool_deleting"],
  },
  {
    method: "GET",
    path: "/v1/jobs",
    function: "read",
    id: "listJobs",
    tag: "jobs",
    summary: "The jobs of a space, by when they were begun, in pages",
    query: jobList.query,
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
  {
    method: "GET",
    path: "/v1/reservations",
    function: "read",
    id: "listReservations",
    tag: "reservations",
    summary: "The reservations of a space, by name, in pages",
    query: reservationList.query,
    answers: { 200: answers.reservationsRead },
    refusals: [],
  },
  {
    method: "GET",
    path: "/v1/reservations/{name}",
    function: "read",
    id: "readReservation",
    tag: "reservations",
    summary: "One reservation",
    query: {},
    headers: ["If-None-Match"],
    answers: { 200: answers.reservationRead, 304: undefined },
    refusals: ["not_found"],
  },
  {
    method: "PUT",
    path: "/v1/reservations/{name}",
    function: "configure",
    id: "putReservation",
    tag: "reservations",
    summary: "Keeps addresses out of automatic assignment, or changes which as it was seen",
    query: DRY_RUN,
    headers: ["If-Match", "If-None-Match"],
    body: [reservationBody],
    answers: { 200: answers.reservationWritten, 201: answers.reservationWritten },
    refusals: [...CHANGED, "name_mismatch"],
  },
  {
    method: "DELETE",
    path: "/v1/reservations/{name}",
    function: "configure",
    id: "deleteReservation",
    tag: "reservations",
    summary: "Deletes a reservation as it was seen",
    query: DRY_RUN,
    headers: ["If-Match"],
    answers: { 200: answers.reservationDeleted },
    refusals: ["not_found", ...CHANGED],
  },
  {
    method: "GET",
    path: "/v1/nodes",
    function: "read",
    id: "listNodes",
    tag: "registry",
    summary: "The nodes of a space, by name, in pages",
    query: labelledQuery,
    answers: { 200: answers.nodesRead },
    refusals: [],
  },
  {
    method: "GET",
    path: "/v1/nodes/{node}",
    function: "read",
    id: "readNode",
    tag: "registry",
    summary: "One node: its labels",
    query: {},
    headers: ["If-None-Match"],
    answers: { 200: answers.labelledRead, 304: undefined },
    refusals: ["not_found"],
  },
  {
    method: "PUT",
    path: "/v1/nodes/{node}",
    function: "register",
    id: "putNode",
    tag: "registry",
    summary:
      "Registers a host, or changes its labels as they were seen; from its labels or a Kubernetes manifest",
    query: DRY_RUN,
    headers: ["If-Match", "If-None-Match"],
    body: [nodes.body, nodes.manifest],
    yaml: true,
    answers: { 200: answers.labelledWritten, 201: answers.labelledWritten },
    refusals: [...CHANGED, "name_mismatch"],
  },
  {
    method: "DELETE",
    path: "/v1/nodes/{node}",
    function: "register",
    id: "deleteNode",
    tag: "registry",
    summary: "Deletes a node as it was seen: its host is not registered any more",
    query: DRY_RUN,
    headers: ["If-Match"],
    answers: { 200: answers.labelledDeleted },
    refusals: ["not_found", ...CHANGED],
  },
  {
    method: "GET",
    path: "/v1/namespaces",
    function: "read",
    id: "listNamespaces",
    tag: "registry",
    summary: "The namespaces of a space, by name, in pages",
    query: labelledQuery,
    answers: { 200: answers.namespacesRead },
    refusals: [],
  },
  {
    method: "GET",
    path: "/v1/namespaces/{namespace}",
    function: "read",
    id: "readNamespace",
    tag: "registry",
    summary: "One namespace: its labels",
    query: {},
    headers: ["If-None-Match"],
    answers: { 200: answers.labelledRead, 304: undefined },
    refusals: ["not_found"],
  },
  {
    method: "PUT",
    path: "/v1/namespaces/{namespace}",
    function: "register",
    id: "putNamespace",
    tag: "registry",
    summary:
      "Registers a namespace, or changes its labels as they were seen; from its labels or a Kubernetes manifest",
    query: DRY_RUN,
    headers: ["If-Match", "If-None-Match"],
    body: [namespaces.body, namespaces.manifest],
    yaml: true,
    answers: { 200: answers.labelledWritten, 201: answers.labelledWritten },
    refusals: [...CHANGED, "name_mismatch"],
  },
  {
    method: "DELETE",
    path: "/v1/namespaces/{namespace}",
    function: "register",
    id: "deleteNamespace",
    tag: "registry",
    summary: "Deletes a namespace as it was seen",
    query: DRY_RUN,
    headers: ["If-Match"],
    answers: { 200: answers.labelledDeleted },
    refusals: ["not_found", ...CHANGED],
  },
  {
    method: "GET",
    path: "/v1/config",
    function: "read",
    id: "readConfiguration",
    tag: "configuration",
    summary: "The configuration of a space",
    query: {},
    headers: ["If-None-Match"],
    answers: { 200: answers.settingsRead, 304: undefined },
    refusals: [],
  },
  {
    method: "PUT",
    path: "/v1/config",
    function: "configure",
    id: "putConfiguration",
    tag: "configuration",
    summary: "Writes the configuration of a space, or changes it as it was seen",
    query: DRY_RUN,
    headers: ["If-Match", "If-None-Match"],
    body: [settingsBody],
    answers: { 200: answers.settingsWritten, 201: answers.settingsWritten },
    refusals: CHANGED,
  },
  {
    method: "GET",
    path: "/v1/contents",
    function: "survey",
    id: "listContents",
    tag: "configuration",
    summary: "Everything that a space has in the table, in pages, for who proves it as a whole",
    query: contentsQuery,
    answers: { 200: answers.contentsRead },
    refusals: [],
  },
  {
    method: "GET",
    path: "/healthz",
    function: "read",
    id: "isAlive",
    tag: "service",
    summary: "The function runs",
    answers: { 200: answers.health },
    refusals: [],
  },
  {
    method: "GET",
    path: "/readyz",
    function: "read",
    id: "isReady",
    tag: "service",
    summary: "The function reaches its table",
    answers: { 200: answers.health },
    refusals: [],
  },
  {
    method: "GET",
    path: "/openapi.json",
    function: "openapi",
    id: "describe",
    tag: "service",
    summary: "This document",
    answers: { 200: undefined },
    refusals: [],
  },
];

/** The routes of the API: one that acts in a space also by the path that names the space. */
export const ROUTES: readonly Route[] = [
  ...WRITTEN,
  ...WRITTEN.filter(({ path }) => actsInSpace(path)).map((route) => ({
    ...route,
    path: inNamedSpace(route.path),
    id: `${route.id}InSpace`,
    summary: `In a named space: ${route.summary.charAt(0).toLowerCase()}${route.summary.slice(1)}`,
  })),
];
