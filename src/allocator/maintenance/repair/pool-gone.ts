import { poolOfSubnet, poolsOfSubnet } from "../../../domain/subnet.ts";
import { configurationOf } from "../../core/configuration.ts";
import type { Context } from "../../core/context.ts";

/**
 * Returns true if a pool, or the last pool of a subnet, is gone for good. An id is never reused, and a pool's item exists before anything names it, so
 * a missing item proves it.
 */
export async function isPoolGone(
  context: Context,
  { space, poolId }: { readonly space: string; readonly poolId: string },
): Promise<boolean> {
  const known = await configurationOf(context, space);
  if (poolsOfSubnet(known, poolId).length > 0) return false;
  return poolOfSubnet(await context.store.readSpace(space), poolId) === undefined;
}
