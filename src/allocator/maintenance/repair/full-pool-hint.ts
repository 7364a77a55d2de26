import type { FullPool } from "../../../domain/contents.ts";
import { isFullByIndex } from "../../blocks/full-group-hint.ts";
import { configurationOf } from "../../core/configuration.ts";
import type { Context } from "../../core/context.ts";
import { isPoolGone } from "./pool-gone.ts";

/**
 * Deletes the hint that a pool is full where the pool is gone, or where its map says otherwise: who cleared the hint of a block group
 * was cut off before that of the pool. Returns whether it went.
 */
export async function repairHint(context: Context, seen: FullPool): Promise<boolean> {
  const { space, poolId } = seen;
  const { pools, reserved } = await configurationOf(context, space);
  const pool = pools.find(({ id }) => id === poolId);
  const isRight = pool
    ? await isFullByIndex(context, pool, reserved)
    : !(await isPoolGone(context, seen));
  if (!isRight) await context.store.clearPoolFull("repair-pool-full", seen);
  return !isRight;
}
