import { Rejection } from "../../base/outcome.ts";
import { isKeptKind, isReplaced, type Workload } from "../../nouns/application/workload.ts";
import { type Holding, holdingsOf, isWhole } from "../allocations/holding.ts";
import { answer, compareAndSwap, RETRY, type Step } from "../core/compare-and-swap.ts";
import { awaitAll } from "../core/parallel.ts";
import { endAsSeen } from "../end/end.ts";
import { type Allocation, isHolding, isOver } from "../values/allocation.ts";
import { type Assignment, assignmentOf } from "./assignment.ts";
import { type AssignExecution, assertYoung } from "./execution.ts";
import { alreadyReleased, inProgress, isVacant } from "./replay.ts";
import { isFit, nameHost, returnInstance, whyNotTo, withReturnCharge } from "./return-instance.ts";

/**
 * Settles what an earlier request for an instance left, by its allocation (I14):
 *
 * - of the same incarnation, on the same host: the same answer
 * - of a incarnation that a later one has replaced: `already_released`
 * - in progress, or cut off a moment ago: `request_in_progress`
 * - of a kind that keeps its addresses, and they fit the request: the instance gets them again
 * - anything else: ends it as it was seen, so that the request begins again under new tokens (rule 4)
 *
 * @returns the answer; or a retry if nothing of the allocation is held any more
 */
export async function settleInstance(
  execution: AssignExecution,
  workload: Workload,
  found: Allocation,
): Promise<Step<Assignment | Rejection>> {
  const { context } = execution;
  let seen: Allocation | undefined = found;
  return compareAndSwap("the allocation of this instance", async (before) => {
    if (before > 0) seen = await context.store.readAllocation(found.place);
    if (seen) return settleAsSeen(execution, workload, seen);
    execution.expected = undefined;
    return answer(RETRY);
  });
}

/** Settles the allocation as it was read. @returns a retry if it has changed since */
async function settleAsSeen(
  execution: AssignExecution,
  workload: Workload,
  seen: Allocation,
): Promise<Step<Step<Assignment | Rejection>>> {
  const { context, request } = execution;
  // Nobody takes slots for a kept allocation any more. So what it holds is read while it gets the name of the next host.
  if (seen.state === "kept") {
    const refused = whyNot(execution, workload, seen) ?? (await whyNotTo(execution));
    if (refused) return answer(answer(refused));
    assertYoung(execution);
    const isMoved = seen.host !== request.host;
    const [named, whole] = await awaitAll(
      isMoved ? nameHost(execution, seen) : seen,
      wholeOf(execution, seen),
    );
    return named ? serveAgain(execution, { workload, seen: named, whole, isMoved }) : RETRY;
  }
  const whole = await wholeOf(execution, seen);
  const rejected = whyNot(execution, workload, seen, whole);
  if (rejected) return answer(answer(rejected));
  if (whole && isOfIncarnation(seen, workload) && seen.host === request.host) {
    // A release or a later incarnation writes the allocation first. So if it is unchanged after the blocks were read, they were held.
    const again = await context.store.readAllocation(seen.place);
    if (again?.revision !== seen.revision) return RETRY;
    return answer(answer(assignmentOf([{ allocation: seen, held: whole }], request)));
  }
  // The slots of its first request may land after they were looked for, and a repeat of it may be answered with them.
  const mayLand = !whole && isOfIncarnation(seen, workload) && seen.released.size === 0;
  if (mayLand && !(await isVacant(context, seen))) return RETRY;
  const refused = await whyNotTo(execution);
  if (refused) return answer(answer(refused));
  assertYoung(execution);
  return serveAgain(execution, { workload, seen, whole, isMoved: false });
}

/** An allocation that an instance may get again, and what it holds if that is whole. */
interface Again {
  readonly workload: Workload;
  readonly seen: Allocation;
  readonly whole: readonly Holding[] | undefined;
  /** True if the allocation got the name of the host just now. */
  readonly isMoved: boolean;
}

/** Gives the addresses of an allocation to its instance again if they fit the request. Else it ends the allocation as it was seen. */
async function serveAgain(
  execution: AssignExecution,
  { workload, seen, whole, isMoved }: Again,
): Promise<Step<Step<Assignment | Rejection>>> {
  const { context, request } = execution;
  const fit = whole !== undefined && isKeptKind(workload) && (await isFit(execution, seen, whole));
  if (fit instanceof Rejection) return answer(answer(fit));
  if (whole && fit) {
    const returned = await withReturnCharge(execution, seen, whole, async (charge) => {
      const moves = seen.host !== request.host;
      const named = moves ? await nameHost(execution, seen) : seen;
      const returning = { workload, held: whole, isMoved: isMoved || moves, charge };
      return named && returnInstance(execution, { ...returning, seen: named });
    });
    if (!returned) return RETRY;
    if (returned instanceof Rejection) return answer(answer(returned));
    return answer(answer(assignmentOf([{ allocation: returned, held: whole }], request)));
  }
  const author = whole ? "answered" : { fence: "instance-fence" };
  const ended = await endAsSeen(context, "instance-end", seen, author);
  if (!ended) return RETRY;
  execution.expected = ended;
  return answer(RETRY);
}

/** Returns what an allocation holds, if it holds all that it was written for. */
async function wholeOf(
  { context }: AssignExecution,
  seen: Allocation,
): Promise<readonly Holding[] | undefined> {
  if (!isHolding(seen) || seen.released.size > 0) return undefined;
  const held = await holdingsOf(context, seen);
  return isWhole(seen, held) ? held : undefined;
}

/** Returns the rejection of a request that may not touch the allocation; nothing if it may. */
function whyNot(
  { context, request }: AssignExecution,
  workload: Workload,
  seen: Allocation,
  whole?: readonly Holding[],
): Rejection | undefined {
  if (isReplaced(seen.workload, workload)) return replaced(workload);
  const isInUse = isOfIncarnation(seen, workload);
  // One of its addresses was released by itself. The rest is still in use.
  if (isInUse && seen.released.size > 0 && !isOver(seen)) return alreadyReleased(seen);
  // No author adds to an allocation that was kept or released.
  const mayHaveAuthor = !whole && seen.released.size === 0;
  if (mayHaveAuthor && (seen.state === "live" || seen.state === "pending"))
    return inProgress(context, seen);
  const isSameRequest =
    seen.digest === request.digest && (isKeptKind(workload) || seen.host === request.host);
  return whole && isInUse && !isSameRequest ? otherBody(workload) : undefined;
}

/** Returns true if this incarnation of the instance has the addresses. */
const isOfIncarnation = ({ state, workload: of }: Allocation, { uid }: Workload): boolean =>
  state === "live" && of?.uid === uid;

const otherBody = ({ uid }: Workload): Rejection =>
  new Rejection(
    "idempotency_mismatch",
    `The uid ${uid} was used with another body for the same instance.`,
  );

const replaced = ({ uid }: Workload): Rejection =>
  new Rejection(
    "already_released",
    `The instance has another uid by now: a later request replaced ${uid}.`,
    { released: [] },
  );
