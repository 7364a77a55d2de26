import { applicationPoolAround } from "../../domain/application-pools.ts";
import type { Pool } from "../../domain/pool.ts";
import type { Assignment, AssignRequest } from "./assignment.ts";
import { interfacesOf } from "./interfaces.ts";

/**
 * Adds to each address of an answer the routes that its pool has now, and the gateway unless its interface needs none. A pool without
 * them inherits those of the Applications pool around it.
 */
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
      const around = pool && applicationPoolAround(pool, pools);
      const isClean = clean.some((one) => one.interface === each.interface);
      const gateway = pool?.gateway ?? around?.gateway;
      const routes = pool?.routes ?? around?.routes;
      return { ...each, ...(gateway && !isClean && { gateway }), ...(routes && { routes }) };
    }),
  };
}
