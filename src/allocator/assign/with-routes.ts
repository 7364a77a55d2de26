import type { Pool } from "../../domain/pool.ts";
import type { Assignment, AssignRequest } from "./assignment.ts";
import { interfacesOf } from "./interfaces.ts";

/** Adds to each address of an answer the routes that its pool has now, and the gateway unless its interface needs none. */
export function withRoutes(
  pools: readonly Pool[] = [],
  answered: Assignment,
  request: AssignRequest,
): Assignment {
  const clean = interfacesOf(request).filter(({ cleanGateway }) => cleanGateway);
  return {
    ...answered,
    addresses: answered.addresses.map((each) => {
      const pool = pools.find(({ name }) => name === each.pool);
      const isClean = clean.some((one) => one.interface === each.interface);
      return {
        ...each,
        ...(pool?.gateway && !isClean && { gateway: pool.gateway }),
        ...(pool?.routes && { routes: pool.routes }),
      };
    }),
  };
}
