import { actsInEverySpace, actsInSpace, withoutSpace } from "../api/route.ts";
import type { CallerKey } from "./routes.ts";

/** The roles of callers. Each has the rights of the one before and more: read; assign, release, amend and report conflicts; everything. */
export const ROLES = ["reader", "caller", "operator"] as const;
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
 * The routes besides reads that the role `caller` may call. A bundle has no room for all declarations, so the keys stand here again: by their
 * type they are those of the routes that declare this role.
 */
const CALLS: Readonly<Record<CallerKey, true>> = {
  "POST /v1/assign": true,
  "POST /v1/release": true,
  "POST /v1/batch": true,
  "PATCH /v1/addresses/{ip}": true,
  "POST /v1/addresses/{ip}/conflict": true,
  "DELETE /v1/handles/{handle+}": true,
  "POST /v1/prefixes": true,
  "POST /v1/prefixes/release": true,
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
  return Object.hasOwn(CALLS, withoutSpace(routeKey)) ? "caller" : "operator";
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
