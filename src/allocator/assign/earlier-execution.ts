import type { AssignmentRecord } from "../../domain/allocation.ts";
import { Refusal, type Unreadable } from "../../domain/outcome.ts";
import { alreadyReleased, resume } from "../allocations/replay.ts";
import { type Assignment, assignment, totalOf } from "./assignment.ts";
import { type Attempt, startOver, withdraw } from "./execution.ts";
import { grantedBy } from "./quota.ts";

/** What an earlier execution of the same request came to: its answer, or nothing if this one is to go on. */
export async function settleEarlier(
  attempt: Attempt,
  found: AssignmentRecord,
): Promise<Assignment | Refusal | undefined> {
  const { context, place } = attempt;
  const before = await grantedBy(context, place.space, found.also);
  const resumed = await resume(context, found, attempt.request.digest);
  if (resumed instanceof Refusal) return resumed;
  if (resumed.kind === "answered") {
    // Seen before its own and after them: all were held at one moment between.
    const others = before && (await grantedBy(context, place.space, resumed.record.also));
    if (!others) return alreadyReleased(resumed.record);
    const asked = totalOf(attempt.request.wanted);
    const got = resumed.record.want + others.length;
    const messages = got < asked ? [`${got} of ${asked} addresses are assigned.`] : [];
    const { missing } = resumed.record;
    return assignment([...others, resumed], attempt.request, { messages, missing });
  }
  attempt.seen = resumed.kind === "vacant" ? resumed.record : undefined;
  return undefined;
}

/** Is this what an earlier execution left, as it was settled before the walk of this one? Then it holds nothing. */
export const isSettled = ({ mine, seen }: Attempt, found: AssignmentRecord): boolean =>
  !mine && found.revision === seen?.revision;

/**
 * A request is refused only if no other execution of it has succeeded, before this one or meanwhile, and none has stood in
 * its own way.
 *
 * @returns nothing if an earlier execution was settled only now: what it held may be what the refusal found taken
 */
export async function giveUp<No extends Refusal | Unreadable>(
  attempt: Attempt,
  refusal: No,
): Promise<Assignment | Refusal | No | undefined> {
  await withdraw(attempt);
  if (!attempt.place.keyed || attempt.unsettled) return refusal;
  const other = await attempt.context.store.readRecord(attempt.place);
  if (!other || isSettled(attempt, other)) return refusal;
  startOver(attempt);
  return settleEarlier(attempt, other);
}
