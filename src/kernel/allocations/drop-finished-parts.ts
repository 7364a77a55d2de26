import { type Context, fresh } from "../core/context.ts";
import type { Allocation, Part } from "../values/allocation.ts";

/**
 * Removes finished parts from a closed allocation, so that no later close reads or fences their blocks.
 *
 * @param left the parts that are not finished; none if the allocation is kept only for its key
 */
export async function dropFinishedParts(
  context: Context,
  seen: Allocation,
  left: readonly Part[] = [],
): Promise<void> {
  if (seen.parts.length === left.length) return;
  const next: Allocation = {
    ...seen,
    state: seen.state === "aborted" ? "aborted" : "released",
    parts: left,
    owners: new Map(),
    revision: fresh(context),
  };
  await context.store.changeAllocation("settle-kept", seen, next);
}
