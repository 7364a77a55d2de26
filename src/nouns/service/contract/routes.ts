import type { Route } from "../../../api/route.ts";
import { health } from "./answer.ts";

/** The service itself. */
export const SERVICE_ROUTES = [
  {
    method: "GET",
    path: "/healthz",
    function: "read",
    id: "isAlive",
    tag: "service",
    summary: "Returns 200 while the function runs",
    answers: { 200: health },
    rejections: [],
  },
  {
    method: "GET",
    path: "/readyz",
    function: "read",
    id: "isReady",
    tag: "service",
    summary: "Returns 200 while the function reaches its table",
    answers: { 200: health },
    rejections: [],
  },
  {
    method: "GET",
    path: "/openapi.json",
    function: "openapi",
    id: "describe",
    tag: "service",
    summary: "Returns this document",
    answers: { 200: undefined },
    rejections: [],
  },
  {
    method: "GET",
    path: "/schemas",
    function: "openapi",
    id: "listSchemas",
    tag: "service",
    summary: "Returns the JSON Schema of all events",
    answers: { 200: undefined },
    rejections: [],
  },
  {
    method: "GET",
    path: "/schemas/{type}",
    function: "openapi",
    id: "readSchema",
    tag: "service",
    summary: "Returns the JSON Schema of the events of a type",
    answers: { 200: undefined },
    rejections: ["not_found"],
  },
] as const satisfies readonly Route[];
