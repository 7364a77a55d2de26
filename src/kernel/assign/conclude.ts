import { ContentionError, type Rejection, UnavailableError } from "../../base/outcome.ts";
import { deleteQuotaSlots } from "../allocations/quota-slots.ts";
import { answer, RETRY, type Step } from "../core/compare-and-swap.ts";
import { withdraw } from "../end/end.ts";
import type { Allocation } from "../values/allocation.ts";
import { fresh } from "../values/fresh.ts";
import { type Assignment, assignmentOf } from "./assignment.ts";
import { replayEarlier } from "./earlier-execution.ts";
import { type AssignExecution, allocationOf, shortageOf, startOver, times } from "./execution.ts";
import { areHeld, quotaSlotsFor } from "./quota.ts";
import { slotCount } from "./selection.ts";
import { writeAllocation } from "./take.ts";

/**
 * Concludes a request that has everything it can get: its pending allocation becomes live, and only then is there an answer
 * (rule 7).
 *
 * @param rejection why more could not be had, for a request that accepts a part
 * @returns a retry if an earlier execution stood in the way and is over, or if an address that the handle had was released
 *   meanwhile
 * @throws {ContentionError} if another execution ended the request
 */
export async function conclude(
  execution: AssignExecution,
  rejection?: Rejection,
): Promise<Step<Assignment | Rejection>> {
  const { context, request, written, held, allowance } = execution;
  const has = allowance?.has ?? [];
  // They were read one by one. If all are still held now, all were held at one moment between the two reads.
  if (!(await areHeld(context, has))) {
    await withdraw(execution.context, execution);
    startOver(execution);
    return RETRY;
  }
  if (!written) return repeat(execution, rejection);
  const shortage = shortageOf(execution, rejection);
  const { quotaSlots, spare } = quotaSlotsFor(written, held);
  // Only what was granted is stored, so that a replay gives the same answer.
  const next: Allocation = {
    ...written,
    ...times(context, request),
    state: "live",
    want: slotCount(held),
    missing: shortage.missing,
    // No late write takes a slot of the others: each was lost, or its block was fenced.
    parts: held.map(({ part }) => part),
    quotaSlots,
    revision: fresh(context),
  };
  const result = await context.store.changeAllocation("pending-live", written, next);
  const current =
    result.outcome === "unknown" ? await context.store.readAllocation(written.place) : result.item;
  if (current?.revision === next.revision) {
    await deleteQuotaSlots(context, written, spare);
    return answer(assignmentOf([...has, { allocation: next, held }], request, shortage));
  }
  // The write may still land, and then the addresses belong to this request. The next execution with its key finds out.
  if (result.outcome === "unknown" && current?.revision === written.revision)
    throw new UnavailableError("the database did not say whether the request was completed");
  throw new ContentionError("another execution ended this request");
}

/** Answers with addresses that the handle has from other requests. With a key, an allocation records them; it writes nothing else. */
async function repeat(
  execution: AssignExecution,
  rejection: Rejection | undefined,
): Promise<Step<Assignment | Rejection>> {
  const { context, request, allocationPlace, expected, allowance } = execution;
  const shortage = shortageOf(execution, rejection);
  const repeated = answer(assignmentOf(allowance?.has ?? [], request, shortage));
  if (!allocationPlace.keyed) return repeated;
  const allocation: Allocation = {
    ...allocationOf(execution, [], "live"),
    want: 0,
    missing: shortage.missing,
    quotaSlots: [],
  };
  const outcome = await writeAllocation(context, expected, allocation);
  if (outcome.kind === "written") return repeated;
  startOver(execution);
  return replayEarlier(execution, outcome.allocation);
}
