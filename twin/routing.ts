import { isGreedy } from "../src/api/http/routing.ts";
import type { DeployedRoute } from "./deployment.ts";

/**
 * Returns the route of a request, as an HTTP API chooses it. A route that matches path and method comes first, then one
 * with a greedy part, then `$default`. Among equal ones, the route with more fixed parts from the left wins, and its
 * own method wins over `ANY`
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html#http-api-develop-routes.evaluation).
 *
 * @param segments the parts of the decoded path
 */
export function routeFor(
  routes: readonly DeployedRoute[],
  method: string,
  segments: readonly string[],
): DeployedRoute | undefined {
  const [best] = routes
    .filter(({ key }) => fits(key, method, segments))
    .map((route) => ({ route, rank: rankOf(route.key) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1));
  return best?.route ?? routes.find(({ key }) => key === "$default");
}

/** Returns the path of a route's key; an empty text for `$default`. */
export const pathOf = (key: string): string => key.split(" ")[1] ?? "";

function fits(key: string, method: string, segments: readonly string[]): boolean {
  const [wanted] = key.split(" ");
  if (wanted !== method && wanted !== "ANY") return false;
  const parts = pathOf(key).split("/");
  const isLong = isGreedy(parts.at(-1)) && segments.length > parts.length;
  return (
    (segments.length === parts.length || isLong) &&
    parts.every((part, i) => (part.startsWith("{") ? segments[i] !== "" : part === segments[i]))
  );
}

/** Returns the sort key of a route: 0 for a text, 1 for a variable, 2 for a greedy one; then the method. */
function rankOf(key: string): string {
  const parts = pathOf(key).split("/");
  const greedy = isGreedy(parts.at(-1)) ? "1" : "0";
  const variables = parts.map((part) => (isGreedy(part) ? 2 : part.startsWith("{") ? 1 : 0));
  return `${greedy}${variables.join("")}${key.startsWith("ANY ") ? 1 : 0}`;
}
