import type { Pool } from "../../domain/pool.ts";
import type { Assignment, AssignRequest } from "./assignment.ts";

/** Adds to each address of an answer the routes that its pool has now, and the gateway unless the request wants none. */
export const withRoutes = (
  pools: readonly Pool[] = [],
  answered: Assignment,
  { cleanGateway }: Pick<AssignRequest, "cleanGateway">,
): Assignment => ({
  ...answered,
  addresses: answered.addresses.map((each) => {
    const pool = pools.find(({ name }) => name === each.pool);
    return {
      ...each,
      ...(pool?.gateway && !cleanGateway && { gateway: pool.gateway }),
      ...(pool?.routes && { routes: pool.routes }),
    };
  }),
});
