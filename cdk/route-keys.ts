import { keysOf, ROUTES } from "../src/contract/routes.ts";

/** The keys of all routes, such as `POST /v1/assign`. */
export const ROUTE_KEYS: readonly string[] = ROUTES.flatMap(keysOf);
