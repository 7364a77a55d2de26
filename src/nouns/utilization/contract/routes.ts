import type { Route } from "../../../api/route.ts";
import { spaceUtilizationRead, utilizationRead } from "./answer.ts";
import { poolHistoryRead } from "./history-answer.ts";
import { poolMapRead } from "./map-answer.ts";
import { poolMapQuery } from "./map-request.ts";
import { spaceUtilizationQuery, utilizationQuery } from "./request.ts";

/** The use of pools and of spaces. */
export const UTILIZATION_ROUTES = [
  {
    method: "GET",
    path: "/v1/pools/{name}/utilization",
    function: "read",
    id: "readUtilization",
    tag: "pools",
    summary: "Returns the utilization of a pool, as a whole and by block, in pages",
    query: utilizationQuery,
    answers: { 200: utilizationRead },
    rejections: ["not_found"],
  },
  {
    method: "GET",
    path: "/v1/pools/{name}/map",
    function: "read",
    id: "readPoolMap",
    tag: "pools",
    summary: "Returns the use of a pool by block group or by block, compact, in pages",
    query: poolMapQuery,
    answers: { 200: poolMapRead },
    rejections: ["not_found"],
  },
  {
    method: "GET",
    path: "/v1/utilization",
    function: "survey",
    id: "readUtilizations",
    tag: "pools",
    summary: "Returns the utilization of named pools, or of all, in pages",
    query: spaceUtilizationQuery,
    answers: { 200: spaceUtilizationRead },
    rejections: ["not_found"],
  },
  {
    method: "GET",
    path: "/v1/pools/{name}/history",
    function: "read",
    id: "readPoolHistory",
    tag: "pools",
    summary: "The use of a pool over the last month, and when nothing is left",
    query: {},
    answers: { 200: poolHistoryRead },
    rejections: ["not_found"],
  },
] as const satisfies readonly Route[];
