import { GRACE_MS } from "../../base/limits.ts";
import type { Context } from "../../kernel/core/context.ts";
import { quotaNamed } from "../../nouns/pool/configuration.ts";
import type { RequestRate } from "../../nouns/quota/request-rate.ts";

/** Deletes the requests that were taken from a quota that is gone. Returns whether they were deleted. */
export async function repairRequestRate(context: Context, seen: RequestRate): Promise<boolean> {
  const { space, quota, second } = seen;
  if (context.now() - 1000 * second < GRACE_MS) return false;
  if (quotaNamed(await context.store.readSpace(space), quota)) return false;
  await context.store.deleteRequestRate(seen);
  return true;
}
