import type { Route } from "../../../api/route.ts";
import {
  affinitiesClaimed,
  affinitiesRead,
  affinitiesReleased,
  spaceAffinitiesRead,
} from "./answer.ts";
import {
  affinitiesBody,
  affinityClaimQuery,
  affinityListQuery,
  affinityReleaseQuery,
  spaceAffinitiesQuery,
} from "./request.ts";

/** The affinity of hosts to blocks. */
export const AFFINITY_ROUTES = [
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
      "quota_exceeded",
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
] as const satisfies readonly Route[];
