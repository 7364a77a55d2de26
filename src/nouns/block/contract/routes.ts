import type { Route } from "../../../api/route.ts";
import { blockRead, blocksRead } from "./answer.ts";
import { blockListQuery, blockQuery } from "./request.ts";

/** Blocks, and their addresses. */
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
] as const satisfies readonly Route[];
