import { POOLS_TOLD_MAX } from "../../base/limits.ts";
import { Rejection } from "../../base/outcome.ts";
import { formatTime } from "../../base/time.ts";
import { formatCidr } from "../../net/cidr.ts";
import type { Pool } from "../../nouns/pool/pool.ts";
import { isSeen, type PoolScan } from "../blocks/scan-pool.ts";
import { walkPool } from "../blocks/walk-pool.ts";
import { type PageBudget, pageBudget } from "../core/bounded-work.ts";
import { slotRules } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { coolingTimesMs, type SlotRules, takenIn } from "../values/block.ts";
import { hostName, machineName } from "../values/host.ts";
import { namesOf, reasonsOf, timesOf } from "./rejections.ts";
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
  const shown = pools.slice(0, POOLS_TOLD_MAX);
  const uses = new Map<string, PoolUse | undefined>();
  // The smallest first, so that a large pool, for which there is no time, keeps no other from being counted.
  for (const pool of shown.toSorted((a, b) => prefixesIn(a) - prefixesIn(b))) {
    const rules =
      scans.find((scan) => scan.pool.id === pool.id)?.criteria.rules ??
      slotRules(context, familyRequest.configuration, pool);
    uses.set(pool.id, await useOf(context, pool, rules, budget));
  }
  const times = [...uses.values()].flatMap((use) => use?.times ?? []);
  const told = shown.map((pool) => {
    const use = uses.get(pool.id);
    const first = use?.times.toSorted((a, b) => a - b)[0];
    return {
      pool: pool.name,
      cidr: formatCidr(pool.cidr),
      code: first === undefined ? "full" : "cooling",
      reason: `has no free prefix${first === undefined ? "" : ", and prefixes that cool"}`,
      prefixes: prefixesIn(pool),
      ...(use && { inUse: use.inUse, cooling: use.times.length }),
      ...(first !== undefined && { availableAt: formatTime(first) }),
    };
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
      ...timesOf({ atMs: times, cooling: times.length, more: false }, 1, context.now()),
    },
  );
}

/** The number of prefixes of a pool: a power of two, which a number has exactly. */
const prefixesIn = ({ blockSize, cidr }: Pool): number => 2 ** (blockSize - cidr.prefix);

interface PoolUse {
  readonly inUse: number;
  /** The times at which those that cool can be assigned, in milliseconds since the epoch. */
  readonly times: readonly number[];
}

/** Counts the prefixes of a pool. Returns nothing if there is no time for the whole pool. */
async function useOf(
  context: Context,
  pool: Pool,
  rules: SlotRules,
  budget: PageBudget,
): Promise<PoolUse | undefined> {
  let inUse = 0;
  const times: number[] = [];
  for await (const { blocks } of walkPool(context, pool, undefined)) {
    if (budget.isSpent) return undefined;
    budget.look();
    for (const block of blocks) {
      inUse += takenIn(block);
      times.push(...coolingTimesMs(block, rules));
    }
  }
  return { inUse, times };
}
