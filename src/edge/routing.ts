import { methodsOf, ROUTES, type Route } from "./api.ts";
import { noRoute } from "./http.ts";
import { Problem } from "./problem.ts";
import { cut } from "./schema.ts";

/** The routes that a path leads to. Its segments come decoded. */
export function routesAt(segments: readonly string[]): readonly Route[] {
  return ROUTES.filter((route) => fits(route, segments));
}

/** What a request is told that none of the routes at its path takes. */
export function leadsNowhere(method: string, path: string, fitting: readonly Route[]): Problem {
  if (fitting.length === 0) return noRoute(method, path);
  const allow = fitting.flatMap(methodsOf);
  return new Problem("method_not_allowed", `${cut(path)} takes ${allow.join(", ")}.`, { allow });
}

function fits(route: Route, segments: readonly string[]): boolean {
  const expected = route.path.split("/");
  return (
    (expected.length === segments.length ||
      (isGreedy(expected.at(-1)) && expected.length < segments.length)) &&
    expected.every((part, i) => (part.startsWith("{") ? segments[i] !== "" : part === segments[i]))
  );
}

/** Does a part of a route's path stand for all segments that are left? */
export const isGreedy = (part = ""): boolean => part.endsWith("+}");
