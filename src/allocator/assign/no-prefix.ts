import { cooledAtMs, isCooled, takenIn } from "../../domain/block.ts";
import { formatCidr } from "../../domain/cidr.ts";
import { hostName, machineName } from "../../domain/host.ts";
import { POOLS_TOLD_MAX } from "../../domain/limits.ts";
import { Rejection } from "../../domain/outcome.ts";
import type { Pool } from "../../domain/pool.ts";
import { isReleased } from "../../domain/slot.ts";
import { formatTime } from "../../domain/time.ts";
import { isSeen, type PoolScan } from "../blocks/scan-pool.ts";
import { coolingRules } from "../blocks/slot-rules.ts";
import { walkPool } from "../blocks/walk-pool.ts";
import type { Context } from "../core/context.ts";
import { type PageBudget, pageBudget } from "../core/page-budget.ts";
import { namesOf, reasonsOf } from "./rejections.ts";
import type { FamilyRequest } from "./selection.ts";

/**
 * Returns the rejection of a request for which no prefix is free, with the use of each pool. It counts a pool as long as a request has
 * time; a pool that is larger has no counts in it.
 */
export async function noPrefix(
  context: Context,
  familyRequest: FamilyRequest,
  scans: readonly PoolScan[],
): Promise<Rejection> {
  const { host, family, pools } = familyRequest;
  const budget = pageBudget(context);
  const told = [];
  for (const pool of pools.slice(0, POOLS_TOLD_MAX))
    told.push({
      pool: pool.name,
      cidr: formatCidr(pool.cidr),
      code: "full",
      reason: "has no free prefix",
      // A power of two, which a number has exactly.
      prefixes: 2 ** (pool.blockSize - pool.cidr.prefix),
      ...(await useOf(context, familyRequest, pool, budget)),
    });
  const isWhole = scans.length === pools.length && scans.every(isSeen);
  const why = reasonsOf(familyRequest, isWhole ? [] : ["only some block groups were looked at"]);
  return new Rejection(
    "pool_exhausted",
    `There is no free IPv${family} prefix for ${machineName(host) === undefined ? "handle" : "node"} ${hostName(host)} in ${namesOf(pools)}${why.length > 0 ? `; ${why.join("; ")}` : ""}.`,
    {
      missing: [{ family, count: 1, code: "pool_exhausted" }],
      pools: told,
      ...(!isWhole && { retryable: true }),
    },
  );
}

/** Counts the prefixes of a pool that are in use and that cool, and says when the first of these can be assigned. */
async function useOf(
  context: Context,
  { configuration }: FamilyRequest,
  pool: Pool,
  budget: PageBudget,
) {
  const rules = coolingRules(context, configuration, pool);
  let inUse = 0;
  const cooledAt: number[] = [];
  for await (const { blocks } of walkPool(context, pool, undefined)) {
    if (budget.isSpent) return {};
    budget.look();
    for (const block of blocks) {
      inUse += takenIn(block);
      for (const slot of block.slots.values())
        if (isReleased(slot) && !isCooled(slot, rules))
          cooledAt.push(cooledAtMs(slot, rules.cooldownMs));
    }
  }
  return {
    inUse,
    cooling: cooledAt.length,
    ...(cooledAt.length > 0 && { availableAt: formatTime(Math.min(...cooledAt)) }),
  };
}
