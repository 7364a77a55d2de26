import type { FullPool } from "../../invariants/contents.ts";
import { isFullByIndex } from "../../kernel/blocks/full-group-hint.ts";
import { configurationOf } from "../../kernel/core/configuration.ts";
import type { Context } from "../../kernel/core/context.ts";
import { reservedFor } from "../../nouns/pool/set.ts";
import { isPoolGone } from "./pool-gone.ts";

/**
 * Deletes the hint that a pool is full if the pool is gone or its index disagrees: a crash between clearing a group's
 * hint and the pool's leaves such a hint. Returns whether it was deleted.
 */
export async function repairHint(context: Context, seen: FullPool): Promise<boolean> {
  const { space, poolId } = seen;
  const configuration = await configurationOf(context, space);
  const pool = configuration.pools.find(({ id }) => id === poolId);
  const isRight = pool
    ? await isFullByIndex(context, pool, reservedFor(pool, configuration))
    : !(await isPoolGone(context, seen));
  if (!isRight) await context.store.clearPoolFull("repair-pool-full", seen);
  return !isRight;
}
