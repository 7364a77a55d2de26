import { actsInEverySpace, actsInSpace, withoutSpace } from "../api/route.ts";
import type { RoleOfKey } from "./routes.ts";

/**
 * The roles of callers. Each has the rights of the one before and more: read; assign, release, amend and report conflicts;
 * tell of a cluster; everything.
 */
export const ROLES = ["reader", "caller", "cluster", "operator"] as const;
export type Role = (typeof ROLES)[number];

/** The space of a grant that holds in every space. */
export const EVERY_SPACE = "*";

/** A role in one space, or in every space. */
export interface Grant {
  readonly role: Role;
  readonly space: string;
}

const READS = ["GET", "HEAD"];

/**
 * The routes besides reads that require less than an operator. A bundle has no room for all declarations, so the keys stand here again: by
 * their type they are those of the routes that declare a role.
 */
const CALLS: RoleOfKey = {
  "POST /v1/assign": "caller",
  "POST /v1/release": "caller",
  "POST /v1/batch": "caller",
  "PATCH /v1/addresses/{ip}": "caller",
  "POST /v1/addresses/{ip}/conflict": "caller",
  "DELETE /v1/handles/{handle+}": "caller",
  "POST /v1/prefixes": "caller",
  "POST /v1/prefixes/release": "caller",
  "POST /v1/events": "cluster",
  "POST /v1/nodes/complete": "cluster",
  "PUT /v1/nodes/{node}/cilium": "cluster",
  "DELETE /v1/nodes/{node}/cilium": "cluster",
  "PUT /v1/namespaces/{namespace}": "cluster",
  "DELETE /v1/namespaces/{namespace}": "cluster",
  "PUT /v1/applications/{namespace}/{kind}/{name}": "cluster",
  "DELETE /v1/applications/{namespace}/{kind}/{name}": "cluster",
};

/**
 * Returns the role that a route requires. It returns nothing for a route of no space, which every caller may call, and for
 * a path that no route takes.
 *
 * @param routeKey the method and the path of a route, in either form: `HEAD /v1/spaces/{space}/pools`
 */
export function roleFor(routeKey: string): Role | undefined {
  const [method = "", path = ""] = routeKey.split(" ");
  if (!actsInSpace(path) && !actsInEverySpace(path)) return undefined;
  if (READS.includes(method)) return "reader";
  const key = withoutSpace(routeKey);
  return Object.hasOwn(CALLS, key) ? CALLS[key as keyof RoleOfKey] : "operator";
}

/** Returns true if a route requires its role in every space, because it tells of all of them. */
export const requiresEverySpace = (routeKey: string): boolean =>
  actsInEverySpace(routeKey.split(" ")[1] ?? "");

/** Returns true if the grants of a caller allow a route in a space. Every way to authorize a caller decides by this function. */
export function isAllowed(grants: readonly Grant[], routeKey: string, space: string): boolean {
  const role = roleFor(routeKey);
  if (role === undefined) return true;
  return grants.some(
    (grant) =>
      (grant.space === EVERY_SPACE || (grant.space === space && !requiresEverySpace(routeKey))) &&
      ROLES.indexOf(grant.role) >= ROLES.indexOf(role),
  );
}
