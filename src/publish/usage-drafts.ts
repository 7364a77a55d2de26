import { percentUsed } from "../domain/pool-usage.ts";
import type { ItemChange } from "../store/change-log.ts";
import { fullPoolFrom } from "../store/full-pool.ts";
import { poolUsageFrom } from "../store/pool-usage.ts";
import type { Draft } from "./draft.ts";

/** Returns the thresholds that the use of a pool crossed between two passes, and whether nothing is left since. */
export function usageDrafts({ before, after }: ItemChange): readonly Draft[] {
  if (!after) return [];
  const was = before && poolUsageFrom(before);
  const is = poolUsageFrom(after);
  const { space, pool, usage, threshold } = is;
  const common = { kind: "whole", space, subject: is.poolId } as const;
  const isExhausted = usage.available === 0n && was !== undefined && was.usage.available > 0n;
  return [
    ...(threshold === was?.threshold
      ? []
      : [
          {
            ...common,
            type: "PoolThresholdCrossed",
            detail: {
              pool,
              percentUsed: percentUsed(usage),
              before: was?.threshold ?? null,
              after: threshold ?? null,
            },
          } as const,
        ]),
    ...(isExhausted ? [{ ...common, type: "PoolExhausted", detail: { pool } } as const] : []),
  ];
}

/** Returns the pool that a request found full. The hint stays until the pool has room again. */
export function fullDrafts({ before, after }: ItemChange): readonly Draft[] {
  if (before || !after) return [];
  const { space, poolId } = fullPoolFrom(after);
  return [{ kind: "full", space, poolId }];
}
