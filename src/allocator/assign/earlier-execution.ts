import type { Allocation } from "../../domain/allocation.ts";
import { type CorruptItemError, Rejection } from "../../domain/outcome.ts";
import { alreadyReleased, replay } from "../allocations/replay.ts";
import { type Assignment, assignment, totalOf } from "./assignment.ts";
import { type AssignExecution, startOver, withdraw } from "./execution.ts";
import { grantedBy } from "./quota.ts";

/** Returns the answer of an earlier execution of the same request, or nothing if this one must continue. */
export async function replayEarlier(
  execution: AssignExecution,
  found: Allocation,
): Promise<Assignment | Rejection | undefined> {
  const { context, place } = execution;
  const before = await grantedBy(context, place.space, found.also);
  const replayed = await replay(context, found, execution.request.digest);
  if (replayed instanceof Rejection) return replayed;
  if (replayed.kind === "answered") {
    // Seen before its own and after them: all were held at one moment between.
    const others = before && (await grantedBy(context, place.space, replayed.allocation.also));
    if (!others) return alreadyReleased(replayed.allocation);
    const asked = totalOf(execution.request.wanted);
    const got = replayed.allocation.want + others.length;
    const messages = got < asked ? [`${got} of ${asked} addresses are assigned.`] : [];
    const { missing } = replayed.allocation;
    return assignment([...others, replayed], execution.request, { messages, missing });
  }
  execution.expected = replayed.kind === "vacant" ? replayed.allocation : undefined;
  return undefined;
}

/** Is this what an earlier execution left, as it was settled before the walk of this one? Then it holds nothing. */
export const isSettled = ({ written, expected }: AssignExecution, found: Allocation): boolean =>
  !written && found.revision === expected?.revision;

/**
 * A request is refused only if no other execution of it has succeeded, before this one or meanwhile, and none has stood in
 * its own way.
 *
 * @returns nothing if an earlier execution was settled only now: what it held may be what the refusal found taken
 */
export async function reject<No extends Rejection | CorruptItemError>(
  execution: AssignExecution,
  rejection: No,
): Promise<Assignment | Rejection | No | undefined> {
  await withdraw(execution);
  if (!execution.place.keyed || execution.unsettled) return rejection;
  const other = await execution.context.store.readAllocation(execution.place);
  if (!other || isSettled(execution, other)) return rejection;
  startOver(execution);
  return replayEarlier(execution, other);
}
