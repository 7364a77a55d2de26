import { methodsOf, ROUTES, type Route } from "../../contract/routes.ts";
import { Problem } from "../schema/problem.ts";
import { cut } from "../schema/schema.ts";
import { noRoute } from "./http.ts";

/** The segments of each route's path, split once for all requests. */
const PATTERNS = ROUTES.map((route) => {
  const parts = route.path.split("/");
  return { route, parts, greedy: isGreedy(parts.at(-1)) };
});
type Pattern = (typeof PATTERNS)[number];

/** Returns the routes for a path. Its segments must be decoded. */
export function routesAt(segments: readonly string[]): readonly Route[] {
  return PATTERNS.filter((pattern) => fits(pattern, segments)).map(({ route }) => route);
}

/** Returns the problem for a request that no route serves. */
export function leadsNowhere(method: string, path: string, fitting: readonly Route[]): Problem {
  if (fitting.length === 0) return noRoute(method, path);
  const allow = fitting.flatMap(methodsOf);
  return new Problem("method_not_allowed", `${cut(path)} takes ${allow.join(", ")}.`, { allow });
}

function fits({ parts, greedy }: Pattern, segments: readonly string[]): boolean {
  if (parts.length > segments.length || (parts.length < segments.length && !greedy)) return false;
  return parts.every((part, i) => {
    if (!part.startsWith("{")) return part === segments[i];
    // A handle may begin with a slash.
    return segments[i] !== "" || (isGreedy(part) && segments.length > parts.length);
  });
}

/** Returns true if a part of a route's path matches all remaining segments. */
export function isGreedy(part = ""): boolean {
  return part.endsWith("+}");
}
