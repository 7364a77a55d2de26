import type { Api } from "../api/api.ts";
import { pagesOf } from "../api/pages.ts";
import { Rejection } from "../api/rejection.ts";
import type { Answer, Pool, UnreadableItem } from "../api/types.ts";
import type { PoolCounts } from "./pool-tree.ts";

/** The first pools of a space. */
export interface PoolsListed {
  readonly pools: readonly Pool[];
  /** True if the space may have more pools. */
  readonly isPart: boolean;
  readonly unreadable: readonly UnreadableItem[];
}

const POOLS_PER_PAGE = 250;
/** A request counts pools for some seconds. What is not counted then, the page of a pool counts. */
const COUNTING_REQUESTS_MAX = 4;

/** Reads the pools of the space in the order of their names, a request for each page. */
export async function readPools(
  api: Api,
  pages: number,
  signal: AbortSignal,
): Promise<PoolsListed> {
  const pools: Pool[] = [];
  const unreadable: UnreadableItem[] = [];
  let read = 0;
  const walk = { path: "pools", query: { limit: POOLS_PER_PAGE }, signal };
  for await (const page of pagesOf<Answer<"poolsRead">>(api, walk)) {
    pools.push(...page.pools);
    unreadable.push(...(page.unreadable ?? []));
    if (++read === pages) return { pools, unreadable, isPart: page.next !== undefined };
  }
  return { pools, unreadable, isPart: false };
}

/** Adds the counts of now, of all pools in the order of their names, as far as some requests get. */
export async function countPools(
  api: Api,
  usage: Map<string, PoolCounts>,
  signal: AbortSignal,
  each: () => void,
): Promise<void> {
  let requests = 0;
  const walk = { path: "utilization", signal };
  try {
    for await (const page of pagesOf<Answer<"spaceUtilizationRead">>(api, walk)) {
      for (const counted of page.pools) usage.set(counted.pool, counted);
      each();
      if (++requests === COUNTING_REQUESTS_MAX) return;
    }
  } catch (error) {
    // One unreadable pool prevents the count of all. The page names it, and the others can be counted one by one.
    if (!(error instanceof Rejection && error.code === "unreadable")) throw error;
  }
}
