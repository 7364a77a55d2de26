import type { Route } from "../../../api/route.ts";
import { addressHistoryRead, eventsRead, handleHistoryRead } from "./history-answer.ts";
import { eventsQuery, historyQuery } from "./request.ts";

/** The routes that tell what happened: histories, and events since a cursor. */
export const HISTORY_ROUTES = [
  {
    method: "GET",
    path: "/v1/addresses/{ip}/history",
    function: "read",
    id: "readAddressHistory",
    tag: "events",
    summary: "Lists the events of an address, the newest first, in pages",
    query: historyQuery,
    answers: { 200: addressHistoryRead },
    rejections: ["not_published"],
  },
  {
    // A suffix behind a greedy part is no route of API Gateway, and it could be the end of a handle.
    method: "GET",
    path: "/v1/history/handles/{handle+}",
    function: "read",
    id: "readHandleHistory",
    tag: "events",
    summary: "Lists the events of a handle, the newest first, in pages",
    query: historyQuery,
    answers: { 200: handleHistoryRead },
    rejections: ["not_published"],
  },
  {
    method: "GET",
    path: "/v1/events",
    function: "read",
    id: "pollEvents",
    tag: "events",
    summary:
      "Lists the events of a space since a cursor or a time, in the order of their publication",
    query: eventsQuery,
    endless: true,
    answers: { 200: eventsRead },
    rejections: ["not_published", "cursor_expired"],
  },
] as const satisfies readonly Route[];
