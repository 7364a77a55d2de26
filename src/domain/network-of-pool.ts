import { applicationPoolAround } from "./application-pools.ts";
import { assignsPrefixes, type Pool } from "./pool.ts";
import { type NetworkOfAddress, networkFor } from "./pool-network.ts";

/**
 * Returns a function that finds the network of a pool by its name, once for each pool. What the pool does not say is as the Applications
 * pool around it says. There is none for a pool that cannot be read, and for one of prefixes.
 */
export function networksOf(
  pools: readonly Pool[],
): (name: string) => { readonly network?: NetworkOfAddress } {
  const known = new Map<string, { readonly network?: NetworkOfAddress }>();
  return (name) => {
    const found = known.get(name) ?? lookUp(name, pools);
    known.set(name, found);
    return found;
  };
}

function lookUp(name: string, pools: readonly Pool[]) {
  const pool = pools.find((each) => each.name === name);
  return pool && !assignsPrefixes(pool)
    ? { network: networkFor(pool, applicationPoolAround(pool, pools)) }
    : {};
}
