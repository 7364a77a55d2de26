import { CHILD_POOLS_TOLD_MAX } from "../../../base/limits.ts";
import { Rejection } from "../../../base/outcome.ts";
import { notFound, pageBudget } from "../../../kernel/core/bounded-work.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { formatCidr, sizeOf } from "../../../net/cidr.ts";
import { poolNamed } from "../../pool/configuration.ts";
import { childrenOf } from "../../pool/hierarchy.ts";
import { assignsPrefixes, type Pool } from "../../pool/pool.ts";
import type { PoolUsage } from "../pool-usage.ts";
import { countPool, type PoolCountSoFar, type UtilizationPosition } from "./count-pool.ts";

/** A pool that is made of a prefix of another one. */
export interface ChildUse {
  readonly pool: Pool;
  /** Its counts after the last pass of `reclaim`; absent before the first, and if they cannot be read. */
  readonly counted: PoolUsage | undefined;
}

export interface Utilization extends PoolCountSoFar {
  readonly pool: string;
  /** The first pools that are made of its prefixes, by name; on the last page. */
  readonly children: readonly ChildUse[];
  readonly childCount: number;
  readonly cidr: string;
  /** Present if the counts are of prefixes. */
  readonly unit?: "prefixes";
}

/**
 * Returns a page of the address counts of a pool, block by block, with the sums so far. The last page has the sums of
 * the whole pool with the space outside of blocks (as Calico counts), and the use of the pools that are made of its prefixes. Overlapping reservations count once. Each block
 * is strongly consistent, but the pool is no snapshot.
 */
export async function utilization(
  context: Context,
  {
    space,
    name,
    limit,
    position,
  }: {
    readonly space: string;
    readonly name: string;
    /** The maximum number of blocks on a page; without it, as many as time allows. */
    readonly limit?: number | undefined;
    readonly position?: UtilizationPosition | undefined;
  },
): Promise<Utilization | Rejection> {
  const configuration = await context.store.readSpace(space);
  const pool = poolNamed(configuration, name);
  if (!pool) return notFound(space, "pool", name);
  // The sums of another pool would make the sums of this one wrong.
  if (position && (position.poolId !== pool.id || position.sum.capacity > sizeOf(pool.cidr)))
    return foreign(name);
  const budget = pageBudget(context);
  const counted = await countPool(context, configuration, {
    pool,
    position,
    budget,
    blocksMax: limit,
  });
  const children = counted.next ? [] : childrenOf(pool, configuration.pools);
  return {
    pool: name,
    cidr: formatCidr(pool.cidr),
    ...unitOf(pool),
    ...counted,
    children: await usesOf(context, space, children.slice(0, CHILD_POOLS_TOLD_MAX)),
    childCount: children.length,
  };
}

/** Returns the use of pools as the last pass of `reclaim` counted it, in one read. */
async function usesOf(
  { store }: Context,
  space: string,
  pools: readonly Pool[],
): Promise<readonly ChildUse[]> {
  if (pools.length === 0) return [];
  const { items } = await store.listPoolUsages(space);
  const usages = new Map(items.map((usage) => [usage.poolId, usage]));
  return pools.map((pool) => ({ pool, counted: usages.get(pool.id) }));
}

function foreign(name: string): Rejection {
  const problem = `belongs to another pool than the current pool ${name}; start again without a cursor`;
  return new Rejection("invalid_request", `?cursor ${problem}.`, {
    fields: [{ field: "?cursor", problem }],
  });
}

/** Returns the unit of the counts of a pool if it is not an address. */
export const unitOf = (pool: Pick<Pool, "assign">) =>
  assignsPrefixes(pool) && ({ unit: "prefixes" } as const);
