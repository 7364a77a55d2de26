import { GRACE_MS } from "../../../domain/limits.ts";
import { quotaNamed } from "../../../domain/pool.ts";
import type { RequestRate } from "../../../domain/request-rate.ts";
import type { Context } from "../../core/context.ts";

/** Deletes the requests that were taken from a quota that is gone. Returns whether they were deleted. */
export async function repairRequestRate(context: Context, seen: RequestRate): Promise<boolean> {
  const { space, quota, second } = seen;
  if (context.now() - 1000 * second < GRACE_MS) return false;
  if (quotaNamed(await context.store.readSpace(space), quota)) return false;
  await context.store.deleteRequestRate(seen);
  return true;
}
