import { ADDRESS_ROUTES } from "./addresses.ts";
import { ALARM_ROUTES } from "./alarms.ts";
import { APPLICATION_ROUTES } from "./applications.ts";
import { BLOCK_ROUTES } from "./blocks.ts";
import { CONFIGURATION_ROUTES } from "./configuration.ts";
import { HISTORY_ROUTES } from "./histories.ts";
import { JOB_ROUTES } from "./jobs.ts";
import { NODE_ROUTES } from "./nodes.ts";
import { POOL_ROUTES } from "./pools.ts";
import { PREFIX_ROUTES } from "./prefixes.ts";
import { QUOTA_ROUTES } from "./quotas.ts";
import { REGISTRY_ROUTES } from "./registry.ts";
import { RESERVATION_ROUTES } from "./reservations.ts";
import type { Route } from "./route.ts";
import { SERVICE_ROUTES } from "./service.ts";
import { inNamedSpace, leavesSpaceOut } from "./space-path.ts";
import { SPACE_ROUTES } from "./spaces.ts";

export { type FunctionName, methodsOf, type Route } from "./route.ts";

/** Each route once, those that act in a space by the path that names none. */
const WRITTEN: readonly Route[] = [
  ...ADDRESS_ROUTES,
  ...PREFIX_ROUTES,
  ...BLOCK_ROUTES,
  ...POOL_ROUTES,
  ...ALARM_ROUTES,
  ...JOB_ROUTES,
  ...RESERVATION_ROUTES,
  ...QUOTA_ROUTES,
  ...REGISTRY_ROUTES,
  ...APPLICATION_ROUTES,
  ...NODE_ROUTES,
  ...HISTORY_ROUTES,
  ...CONFIGURATION_ROUTES,
  ...SPACE_ROUTES,
  ...SERVICE_ROUTES,
];

/** The routes of the API: one that acts in a space also by the path that names the space. */
export const ROUTES: readonly Route[] = [
  ...WRITTEN,
  ...WRITTEN.filter(({ path }) => leavesSpaceOut(path)).map((route) => ({
    ...route,
    path: inNamedSpace(route.path),
    id: `${route.id}InSpace`,
    summary: `In a named space: ${route.summary.charAt(0).toLowerCase()}${route.summary.slice(1)}`,
  })),
];
