import {
  areDefaultsByFamily,
  type DefaultPoolNames,
  isByFamily,
  type PoolNames,
} from "../../contract/schema/pool-names.ts";
import type { PoolsAsked } from "../../domain/acquire-pools.ts";
import type { DefaultPools } from "../../domain/namespace.ts";

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

/** Returns the default pools of a request or a namespace in the allocator's form; nothing if there are none. */
export function defaultPoolsAsked(
  names: Partial<DefaultPoolNames>,
): { readonly defaultPools: DefaultPools } | undefined {
  const { defaultPools = [], ipv4DefaultPools = [], ipv6DefaultPools = [] } = names;
  if (areDefaultsByFamily(names))
    return { defaultPools: { 4: ipv4DefaultPools, 6: ipv6DefaultPools } };
  return defaultPools.length > 0 ? { defaultPools } : undefined;
}
