import type { Context } from "../core/context.ts";
import type { Allocation } from "../values/allocation.ts";
import { closeAsSeen } from "./close-allocation.ts";

/**
 * Ends the allocation of an instance exactly as it was read: marks it, frees what it holds, deletes it. A later incarnation of the instance
 * may have the addresses by now, so nothing else is closed.
 *
 * @param freed receives the addresses that this call frees, as text, also if it fails later
 * @returns false if the allocation has changed since it was read
 */
export async function closeInstance(
  context: Context,
  seen: Allocation,
  freed: string[],
): Promise<boolean> {
  const ended = await closeAsSeen(
    context,
    "instance-end",
    seen,
    { fence: "instance-fence" },
    freed,
  );
  if (ended) await context.store.deleteAllocation("instance-delete", ended);
  return ended !== undefined;
}
