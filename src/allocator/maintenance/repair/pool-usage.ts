import { poolOfId } from "../../../domain/pool.ts";
import type { PoolUsage } from "../../../domain/pool-usage.ts";
import { configurationOf } from "../../core/configuration.ts";
import type { Context } from "../../core/context.ts";

/** Deletes the usage of a pool that is gone for good. Returns whether it was deleted. */
export async function repairPoolUsage(context: Context, seen: PoolUsage): Promise<boolean> {
  const { space, poolId } = seen;
  if (poolOfId(await configurationOf(context, space), poolId)) return false;
  if (poolOfId(await context.store.readSpace(space), poolId)) return false;
  await context.store.deletePoolUsage(seen);
  return true;
}
