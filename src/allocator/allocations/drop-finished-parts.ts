import type { Allocation, Part } from "../../domain/allocation.ts";
import { type Context, fresh } from "../core/context.ts";

/**
 * Takes the parts that are finished out of an allocation that is over: nobody looks at their blocks, or fences them, again.
 *
 * @param left what is not finished: none where the allocation is kept for its key alone
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
