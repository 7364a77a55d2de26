import { poolOfId } from "../../../domain/pool.ts";
import { configurationOf } from "../../core/configuration.ts";
import type { Context } from "../../core/context.ts";

/**
 * Returns true if a pool is gone for good. An id is never reused, and a pool's item exists before anything names it, so
 * a missing item proves it.
 */
export async function isPoolGone(
  context: Context,
  { space, poolId }: { readonly space: string; readonly poolId: string },
): Promise<boolean> {
  const known = await configurationOf(context, space);
  if (known.pools.some(({ id }) => id === poolId)) return false;
  return poolOfId(await context.store.readSpace(space), poolId) === undefined;
}
