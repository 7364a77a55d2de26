import * as answers from "../answers/answers.ts";
import {
  affinitiesBody,
  affinityClaimQuery,
  affinityListQuery,
  affinityReleaseQuery,
  spaceAffinitiesQuery,
} from "../requests/affinity.ts";
import { blockListQuery, blockQuery } from "../requests/block.ts";
import { spaceUtilizationQuery, utilizationQuery } from "../requests/utilization.ts";
import type { Route } from "./route.ts";

/** Blocks, whose they are, and how their addresses are used. */
export const BLOCK_ROUTES: readonly Route[] = [
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
];
