import { configurationOf } from "../../kernel/core/configuration.ts";
import type { Context } from "../../kernel/core/context.ts";
import { poolOfId } from "../../nouns/pool/configuration.ts";
import type { PoolUsage } from "../../nouns/utilization/pool-usage.ts";

/** Deletes the usage of a pool that is gone for good. Returns whether it was deleted. */
export async function repairPoolUsage(context: Context, seen: PoolUsage): Promise<boolean> {
  const { space, poolId } = seen;
  if (poolOfId(await configurationOf(context, space), poolId)) return false;
  if (poolOfId(await context.store.readSpace(space), poolId)) return false;
  await context.store.deletePoolUsage(seen);
  return true;
}
