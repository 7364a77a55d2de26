import { poolOfId } from "../../../domain/pool.ts";
import { configurationOf } from "../../core/configuration.ts";
import type { Context } from "../../core/context.ts";

/** An id is never given twice, and a pool's item stands before anything names it: one that is not there now is gone. */
export async function isPoolGone(
  context: Context,
  { space, poolId }: { readonly space: string; readonly poolId: string },
): Promise<boolean> {
  const known = await configurationOf(context, space);
  if (known.pools.some(({ id }) => id === poolId)) return false;
  return poolOfId(await context.store.readSpace(space), poolId) === undefined;
}
