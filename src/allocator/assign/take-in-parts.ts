import { PARTS_TAKEN_AT_ONCE } from "../../domain/limits.ts";
import type { Rejection } from "../../domain/outcome.ts";
import { takeQuotaSlots } from "../allocations/quota-slots.ts";
import { inParallel } from "../core/parallel.ts";
import { RETRY, type Step } from "../core/step.ts";
import type { Assignment } from "./assignment.ts";
import { type AssignExecution, startOver, withdraw } from "./execution.ts";
import type { SlotSelection } from "./selection.ts";
import { nameParts, takePart } from "./take-part.ts";

/**
 * Takes selections side by side, under a pending allocation that names each first. For a request with a limit, it takes quota slots
 * before the first slot.
 *
 * @returns a retry: the next round selects what is still missing, or concludes; or the answer of another execution
 */
export async function takeInParts(
  execution: AssignExecution,
  selections: readonly SlotSelection[],
): Promise<Step<Assignment | Rejection>> {
  const isFirst = execution.written === undefined;
  const named = await nameParts(execution, selections, "pending");
  if (named.kind !== "proceed") return named;
  if (isFirst && !(await holdQuota(execution))) {
    // Another request of the handle was faster. The next round reads what that one has.
    await withdraw(execution);
    startOver(execution);
    return RETRY;
  }
  // All have ended before the error of one is thrown, so that none is running while others are freed.
  await inParallel(named.next, PARTS_TAKEN_AT_ONCE, (part) => takePart(execution, part));
  return RETRY;
}

/** Takes the quota slots of a request with a limit. */
async function holdQuota({ context, written, allowance }: AssignExecution): Promise<boolean> {
  return !allowance || !written || takeQuotaSlots(context, written, allowance.free);
}
