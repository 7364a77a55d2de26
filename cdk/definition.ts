import {
  type DefaultFunction,
  type FunctionName,
  methodsOf,
  ROUTES,
} from "../src/contract/routes.ts";
import { NETBOX_METHODS, NETBOX_PATH } from "../src/netbox/contract/path.ts";
import { CONSOLE_PATHS } from "./console.ts";

/** The functions that an API can lead to. */
export type ServedName = FunctionName | "netbox" | "console";

/** A route of an API, with the function that serves it. */
export interface ServedRoute {
  readonly method: string;
  readonly path: string;
  readonly servedBy: ServedName;
}

/** The name of all methods of a path in a definition. */
export const ANY = "x-amazon-apigateway-any-method";

/** The function that answers what no route takes. */
export const DEFAULT: DefaultFunction = "openapi";

/** Returns the routes of an API, to which NetBox's dialect and the console can belong. */
export const servedRoutes = (has: {
  readonly netbox: boolean;
  readonly console: boolean;
}): readonly ServedRoute[] => [
  ...ROUTES.flatMap((route) =>
    methodsOf(route).map((method) => ({ method, path: route.path, servedBy: route.function })),
  ),
  ...(has.netbox
    ? NETBOX_METHODS.map((method) => ({ method, path: NETBOX_PATH, servedBy: "netbox" as const }))
    : []),
  ...(has.console
    ? CONSOLE_PATHS.map((path) => ({ method: "GET", path, servedBy: "console" as const }))
    : []),
];

/**
 * Returns the variables of a path as parameters of OpenAPI.
 *
 * @param name matches a variable in its braces, with the name as its group
 */
export const pathParameters = (path: string, name: RegExp): readonly object[] =>
  [...path.matchAll(name)].map(([, named]) => ({
    name: named,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
