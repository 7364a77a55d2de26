import { DRY_RUN, namedListQuery } from "../../../api/query.ts";
import { CHANGED, type Route } from "../../../api/route.ts";
import { jobBegun, jobDryRun } from "../../job/contract/answer.ts";
import { poolRead, poolsRead, poolWritten } from "./answer.ts";
import { ipPoolManifest } from "./calico-ippool.ts";
import { poolBody, poolReleaseQuery } from "./request.ts";
import { spiderIpPoolManifest } from "./spider-ippool.ts";
import { spiderSubnetManifest } from "./spider-subnet.ts";

/** Pools. */
export const POOL_ROUTES = [
  {
    method: "GET",
    path: "/v1/pools",
    function: "read",
    id: "listPools",
    tag: "pools",
    summary: "Lists the pools of a space by name, in pages",
    query: namedListQuery,
    answers: { 200: poolsRead },
    rejections: [],
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
    answers: { 200: poolRead, 304: undefined },
    rejections: ["not_found"],
  },
  {
    method: "PUT",
    path: "/v1/pools/{name}",
    function: "configure",
    id: "putPool",
    tag: "pools",
    summary:
      "Creates a pool, or changes the version that the caller saw, from fields or a manifest of Calico or Spiderpool",
    query: DRY_RUN,
    headers: ["If-Match", "If-None-Match"],
    body: [poolBody, ipPoolManifest, spiderIpPoolManifest, spiderSubnetManifest],
    yaml: true,
    answers: { 200: poolWritten, 201: poolWritten },
    rejections: [...CHANGED, "name_mismatch", "pool_overlap", "pool_in_use", "pool_deleting"],
  },
  {
    method: "DELETE",
    path: "/v1/pools/{name}",
    function: "configure",
    id: "deletePool",
    tag: "pools",
    summary: "Starts to delete the version of a pool that the caller saw",
    query: DRY_RUN,
    headers: ["If-Match"],
    answers: { 200: jobDryRun, 202: jobBegun },
    rejections: ["not_found", ...CHANGED, "pool_in_use"],
  },
  {
    method: "POST",
    path: "/v1/pools/{name}/drain",
    function: "configure",
    id: "drainPool",
    tag: "pools",
    summary:
      "Starts to drain the version of a pool that the caller saw: no new assignment, and no block in the end",
    query: DRY_RUN,
    headers: ["If-Match"],
    answers: { 200: jobDryRun, 202: jobBegun },
    rejections: ["not_found", ...CHANGED, "pool_deleting"],
  },
  {
    method: "POST",
    path: "/v1/pools/{name}/release-affinities",
    function: "configure",
    id: "releasePool",
    tag: "pools",
    summary:
      "Starts to release the affinities of a pool's blocks, or of its empty blocks; the pool keeps serving",
    query: poolReleaseQuery,
    answers: { 200: jobDryRun, 202: jobBegun },
    rejections: ["not_found", "pool_deleting"],
  },
] as const satisfies readonly Route[];
