import { CorruptItemError, Rejection } from "../../base/outcome.ts";
import { answer, RETRY, type Step } from "../core/compare-and-swap.ts";
import { withdraw } from "../end/end.ts";
import type { Allocation } from "../values/allocation.ts";
import { type Assignment, assignmentOf, totalOf } from "./assignment.ts";
import { type AssignExecution, startOver } from "./execution.ts";
import { grantedBy } from "./quota.ts";
import { alreadyReleased, replay } from "./replay.ts";
import { settleInstance } from "./settle-instance.ts";

/**
 * Settles an earlier execution of the same request.
 *
 * @returns its answer; or a retry if nothing of it is held any more, so that this execution serves the request
 */
export async function replayEarlier(
  execution: AssignExecution,
  found: Allocation,
): Promise<Step<Assignment | Rejection>> {
  const { context, request } = execution;
  const { space, workload } = request;
  if (workload) return settleInstance(execution, workload, found);
  const before = await grantedBy(context, space, found.reused);
  const replayed = await replay(context, found, request.digest);
  if (replayed instanceof Rejection) return answer(replayed);
  if (replayed.kind !== "answered") {
    execution.expected = replayed.kind === "vacant" ? replayed.allocation : undefined;
    return RETRY;
  }
  const { allocation } = replayed;
  // They were seen before the slots of this allocation and after them, so all were held at one moment between.
  const others = before && (await grantedBy(context, space, allocation.reused));
  if (!others) return answer(alreadyReleased(allocation));
  const asked = totalOf(request.wanted);
  const got = allocation.want + others.length;
  const messages = got < asked ? [`${got} of ${asked} addresses are assigned.`] : [];
  const shortage = { messages, missing: allocation.missing };
  return answer(assignmentOf([...others, replayed], request, shortage));
}

/** Returns true if this execution settled an earlier one already, and found that this allocation holds nothing. */
export const isSettled = ({ written, expected }: AssignExecution, found: Allocation): boolean =>
  !written && found.revision === expected?.revision;

/**
 * Rejects a request after it gave up what it held. A rejection is final only if no other execution of the request has succeeded, and
 * none held slots that this one lacked.
 *
 * @param reason the rejection, or the item that could not be read
 * @returns a retry if it settled an earlier execution only now, because the slots of that one may be the reason
 * @throws {CorruptItemError} if that is the reason, and the rejection is final
 */
export async function reject(
  execution: AssignExecution,
  reason: Rejection | CorruptItemError,
): Promise<Step<Assignment | Rejection>> {
  await withdraw(execution.context, execution);
  // A repeat counts too. It is refused before its first write.
  if (reason instanceof Rejection && reason.code === "rate_limited") return answer(reason);
  const { context, allocationPlace, unsettled } = execution;
  const isKnown = allocationPlace.keyed && !unsettled;
  const other = isKnown ? await context.store.readAllocation(allocationPlace) : undefined;
  if (other && !isSettled(execution, other)) {
    startOver(execution);
    return replayEarlier(execution, other);
  }
  if (reason instanceof CorruptItemError) throw reason;
  return answer(reason);
}
