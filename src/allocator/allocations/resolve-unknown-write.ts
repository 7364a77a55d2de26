import type { AssignmentRecord, Part } from "../../domain/allocation.ts";
import { type Context, fresh } from "../core/context.ts";

/**
 * Takes the parts that are finished out of a record that is over: nobody looks at their blocks, or fences them, again.
 *
 * @param left what is not finished: none where the record is kept for its key alone
 */
export async function settle(
  context: Context,
  seen: AssignmentRecord,
  left: readonly Part[] = [],
): Promise<void> {
  if (seen.parts.length === left.length) return;
  const next: AssignmentRecord = {
    ...seen,
    state: seen.state === "aborted" ? "aborted" : "released",
    parts: left,
    owners: new Map(),
    revision: fresh(context),
  };
  await context.store.changeRecord("settle-kept", seen, next);
}
