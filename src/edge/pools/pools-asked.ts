import type { PoolsAsked } from "../../allocator/assign/assignment.ts";
import { isByFamily, type PoolNames } from "../../contract/schema/pool-names.ts";

/** Returns the pools of a request in the allocator's form: one list for both families, or one for each. */
export const poolsAsked = (names: PoolNames): PoolsAsked =>
  isByFamily(names)
    ? { pools: [], poolsByFamily: { 4: names.ipv4Pools, 6: names.ipv6Pools } }
    : { pools: names.pools };
