import type { Pool } from "../../domain/pool.ts";
import type { Assignment } from "./assignment.ts";

/** Adds to each address of an answer the gateway and the routes that its pool has now. */
export const withRoutes = (pools: readonly Pool[] = [], answered: Assignment): Assignment => ({
  ...answered,
  addresses: answered.addresses.map((each) => {
    const pool = pools.find(({ name }) => name === each.pool);
    return {
      ...each,
      ...(pool?.gateway && { gateway: pool.gateway }),
      ...(pool?.routes && { routes: pool.routes }),
    };
  }),
});
