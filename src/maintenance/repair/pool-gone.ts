import { configurationOf } from "../../kernel/core/configuration.ts";
import type { Context } from "../../kernel/core/context.ts";
import { poolOfSubnet, poolsOfSubnet } from "../../nouns/pool/subnet.ts";

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
