import { isByFamily, type PoolNames } from "../../contract/schema/pool-names.ts";
import type { PoolsAsked } from "../../domain/acquire-pools.ts";

/** Returns the pools of a request in the allocator's form: one list for both families, or one for each that has one. */
export function poolsAsked(names: PoolNames): PoolsAsked {
  const { pools, ipv4Pools, ipv6Pools } = names;
  if (!isByFamily(names)) return { pools };
  const poolsByFamily = {
    ...(ipv4Pools.length > 0 && { 4: ipv4Pools }),
    ...(ipv6Pools.length > 0 && { 6: ipv6Pools }),
  };
  return { pools: [], poolsByFamily };
}
