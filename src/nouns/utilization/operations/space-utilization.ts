import type { Rejection } from "../../../base/outcome.ts";
import { notFound, type PageBudget, pageBudget } from "../../../kernel/core/bounded-work.ts";
import type { Context } from "../../../kernel/core/context.ts";
import { formatCidr, sizeOf } from "../../../net/cidr.ts";
import { isMeant } from "../../../selection/acquire-pools.ts";
import { noneUnread, type SpaceConfiguration } from "../../pool/configuration.ts";
import type { Pool } from "../../pool/pool.ts";
import type { Usage } from "../usage.ts";
import { countPool, type UtilizationPosition } from "./count-pool.ts";
import { unitOf } from "./utilization.ts";

/** The position of a count: a pool, and a place in it. */
export interface SpaceUtilizationPosition {
  readonly pool: string;
  readonly within?: UtilizationPosition | undefined;
}

export interface SpaceUtilization {
  /** The pools whose count ended on this page, by name, each with the counts of the whole pool. */
  readonly pools: readonly PoolUtilization[];
  /** Absent on the last page. */
  readonly next?: SpaceUtilizationPosition;
}

interface PoolUtilization {
  readonly pool: string;
  readonly cidr: string;
  /** Present if the counts are of prefixes. */
  readonly unit?: "prefixes";
  readonly usage: Usage;
  /** The part of the pool without blocks. */
  readonly outside: Usage;
}

/**
 * Returns a page of the address counts of some or all pools (Calico's GetUtilization). Each pool appears once, on the
 * page on which its count ends; a page may have none.
 *
 * @param named names or CIDRs of pools; empty means all
 */
export async function spaceUtilization(
  context: Context,
  {
    space,
    named,
    limit,
    position,
  }: {
    readonly space: string;
    readonly named: readonly string[];
    /** The maximum number of pools on a page; without it, as many as time allows. */
    readonly limit?: number | undefined;
    readonly position?: SpaceUtilizationPosition | undefined;
  },
): Promise<SpaceUtilization | Rejection> {
  const configuration = await context.store.readSpace(space);
  const current = configuration.pools.filter(({ state }) => state !== "pending");
  // Counts of all pools, or of a pool that may be an unreadable one, would be wrong.
  if (named.length === 0) noneUnread(configuration);
  const missing = named.find((one) => !current.some((pool) => isMeant(pool, [one])));
  if (missing !== undefined) return noneUnread(configuration) ?? notFound(space, "pool", missing);
  const wanted = current
    .filter((pool) => named.length === 0 || isMeant(pool, named))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const budget = pageBudget(context);
  return countPools(context, configuration, { wanted, limit, position, budget });
}

async function countPools(
  context: Context,
  configuration: SpaceConfiguration,
  {
    wanted,
    limit,
    position,
    budget,
  }: {
    readonly wanted: readonly Pool[];
    readonly limit: number | undefined;
    readonly position: SpaceUtilizationPosition | undefined;
    readonly budget: PageBudget;
  },
): Promise<SpaceUtilization> {
  const pools: PoolUtilization[] = [];
  const ahead = wanted.filter(({ name }) => position === undefined || name >= position.pool);
  for (const [i, pool] of ahead.entries()) {
    if (i > 0 && (budget.isSpent || i === limit)) return { pools, next: { pool: pool.name } };
    const within = position?.within;
    const counting = {
      pool,
      position: within && isOf(pool, within) ? within : undefined,
      budget,
    };
    const { usage, outside, next } = await countPool(context, configuration, counting);
    if (!outside) return { pools, next: { pool: pool.name, within: next } };
    pools.push({ pool: pool.name, cidr: formatCidr(pool.cidr), ...unitOf(pool), usage, outside });
  }
  return { pools };
}

/** Returns true if the position belongs to this pool. Another pool of the same name is counted from its beginning. */
const isOf = ({ id, cidr }: Pool, { poolId, sum }: UtilizationPosition): boolean =>
  poolId === id && sum.capacity <= sizeOf(cidr);
