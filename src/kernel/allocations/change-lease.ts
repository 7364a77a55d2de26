import type { Context } from "../core/context.ts";
import type { Allocation } from "../values/allocation.ts";
import { fresh } from "../values/fresh.ts";

/**
 * Takes the lease off a live allocation, or begins it anew, exactly as the allocation was read. The repair run ends a lease under the
 * same revision, so exactly one of the two happens.
 *
 * @param expiresAtMs the new end of the lease, in milliseconds since the epoch; absent: the allocation has no lease from then on
 * @returns the changed allocation; nothing if it has changed since it was read, or if the outcome is unknown: read it again
 */
export async function changeLease(
  context: Context,
  seen: Allocation,
  expiresAtMs?: number,
): Promise<Allocation | undefined> {
  const { expiresAtMs: _, ...rest } = seen;
  const next: Allocation = {
    ...rest,
    ...(expiresAtMs !== undefined && { expiresAtMs }),
    revision: fresh(context),
  };
  const result = await context.store.changeAllocation("confirm", seen, next);
  return result.outcome === "done" ? next : undefined;
}
