import {
  affinitiesClaimed,
  affinitiesRead,
  affinitiesReleased,
  spaceAffinitiesRead,
} from "../answers/affinity.ts";
import { blockRead, blocksRead } from "../answers/block.ts";
import { poolMapRead } from "../answers/map.ts";
import { hostsRead } from "../answers/search.ts";
import { spaceUtilizationRead, utilizationRead } from "../answers/utilization.ts";
import {
  affinitiesBody,
  affinityClaimQuery,
  affinityListQuery,
  affinityReleaseQuery,
  spaceAffinitiesQuery,
} from "../requests/affinity.ts";
import { blockListQuery, blockQuery } from "../requests/block.ts";
import { poolMapQuery } from "../requests/map.ts";
import { hostListQuery } from "../requests/search.ts";
import { spaceUtilizationQuery, utilizationQuery } from "../requests/utilization.ts";
import type { Route } from "./route.ts";

/** Blocks, whose they are, and how their addresses are used. */
export const BLOCK_ROUTES = [
  {
    method: "GET",
    path: "/v1/blocks",
    function: "read",
    id: "listBlocks",
    tag: "blocks",
    summary: "Lists the blocks of a pool, a host or the space, in pages",
    query: blockListQuery,
    answers: { 200: blocksRead },
    rejections: ["not_found"],
  },
  {
    method: "GET",
    path: "/v1/blocks/{cidr+}",
    function: "read",
    id: "readBlock",
    tag: "blocks",
    summary: "Returns a block with its assigned and cooling addresses, in pages",
    query: blockQuery,
    answers: { 200: blockRead },
    rejections: ["not_found"],
  },
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
    path: "/v1/hosts",
    function: "read",
    id: "listHosts",
    tag: "blocks",
    summary: "Lists the hosts that own a block or use an address, registered or not, in pages",
    query: hostListQuery,
    answers: { 200: hostsRead },
    rejections: [],
  },
  {
    method: "GET",
    path: "/v1/affinities",
    function: "read",
    id: "listSpaceAffinities",
    tag: "blocks",
    summary: "Lists the affinities of all hosts, or those of a pool, in pages",
    query: spaceAffinitiesQuery,
    answers: { 200: spaceAffinitiesRead },
    rejections: ["not_found"],
  },
  {
    method: "GET",
    path: "/v1/nodes/{node}/affinities",
    function: "read",
    id: "listAffinities",
    tag: "blocks",
    summary: "Lists the blocks of a host and its borrowed blocks, in pages",
    query: affinityListQuery,
    answers: { 200: affinitiesRead },
    rejections: [],
  },
  {
    method: "POST",
    path: "/v1/nodes/{node}/affinities",
    function: "affinities",
    id: "claimAffinities",
    tag: "blocks",
    summary:
      "Claims the blocks of a range for a host, or ensures that it has a block of each family",
    query: affinityClaimQuery,
    body: [affinitiesBody],
    answers: { 200: affinitiesClaimed },
    rejections: [
      "no_pool_available",
      "pool_forbidden",
      "rate_limited",
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
    summary: "Releases the affinities of a block, a range or a host; assignments stay valid",
    query: affinityReleaseQuery,
    answers: { 200: affinitiesReleased },
    rejections: ["block_too_small"],
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
] as const satisfies readonly Route[];
