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
import type { DefaultFunction, FunctionName, Route } from "./route.ts";
import { SERVICE_ROUTES } from "./service.ts";
import { inNamedSpace, leavesSpaceOut } from "./space-path.ts";
import { SPACE_ROUTES } from "./spaces.ts";

export { type DefaultFunction, type FunctionName, methodsOf, type Route } from "./route.ts";

/** Each route once, those that act in a space by the path that names none. */
const WRITTEN = [
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
] as const;

type Written = (typeof WRITTEN)[number];

/** The written routes by their keys, such as `GET /v1/pools/{name}`. */
type ByKey = { readonly [R in Written as `${R["method"]} ${R["path"]}`]: R };

/** The keys of the routes of a function. `$default` is the key of the function that answers what no route takes. */
export type RouteKey<Name extends FunctionName = FunctionName> =
  | { [Key in keyof ByKey]: ByKey[Key]["function"] extends Name ? Key : never }[keyof ByKey]
  | (DefaultFunction extends Name ? "$default" : never);

/** The routes of the API: one that acts in a space also by the path that names the space. */
export const ROUTES: readonly Route[] = [
  ...WRITTEN,
  ...WRITTEN.filter(({ path }) => leavesSpaceOut(path)).map((route: Route) => ({
    ...route,
    path: inNamedSpace(route.path),
    id: `${route.id}InSpace`,
    summary: `In a named space: ${route.summary.charAt(0).toLowerCase()}${route.summary.slice(1)}`,
  })),
];
