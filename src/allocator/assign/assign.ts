import type { Allocation } from "../../domain/allocation.ts";
import type { Places } from "../../domain/full-block.ts";
import { ASSIGN_ROUNDS_MAX, REQUEST_MS_MAX } from "../../domain/limits.ts";
import {
  ContentionError,
  CorruptItemError,
  isCutShort,
  Rejection,
  together,
  unlessCorrupt,
} from "../../domain/outcome.ts";
import { untilAnswered } from "../core/compare-and-swap.ts";
import { configurationOf } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { allOf } from "../core/parallel.ts";
import { answer, type Step } from "../core/step.ts";
import { type Assignment, type AssignRequest, totalOf } from "./assignment.ts";
import { conclude } from "./conclude.ts";
import { isSettled, reject, replayEarlier } from "./earlier-execution.ts";
import {
  type AssignExecution,
  executionAt,
  grantedTo,
  missingFrom,
  withdraw,
} from "./execution.ts";
import { type FamilyRequests, familyRequestsOf } from "./family-requests.ts";
import { allowanceOf } from "./quota.ts";
import { placesOfHost, requesterOf } from "./requester.ts";
import { selectAddress } from "./select-address.ts";
import { selectSlots } from "./select-slots.ts";
import { countOf } from "./selection.ts";
import { takeLone } from "./take-lone.ts";
import { takeParts } from "./take-parts.ts";

/**
 * Assigns addresses: learns the blocks, writes the allocation, then takes the slots.
 *
 * A request that one slot write serves has a `live` allocation from the start: two writes, and no read when the function is
 * warm. Its allocation stands before its slots, so that a crash between the two writes leaves something to find. A larger
 * request has a `pending` allocation, which names each part before the block of that part is touched, and becomes `live`
 * before the answer (rule 7). After a crash at any point the repair run closes the allocation (I3).
 *
 * @returns the addresses, all of them or none unless partial is allowed; or the rejection
 * @throws {ContentionError} after releasing what it held; any other error may leave addresses under the handle that it names,
 *   and the same Idempotency-Key, or the repair run, finds them
 */
export async function assign(
  context: Context,
  request: AssignRequest,
): Promise<Assignment | Rejection> {
  const execution = executionAt(context, request);
  try {
    return await untilAnswered(ATTEMPTS, () => attempt(execution));
  } catch (error) {
    throw await cleanUpAfter(execution, error);
  }
}

/** Serves the request, and confirms a rejection: it is stale if it came from what an earlier execution held and frees only now. */
async function attempt(execution: AssignExecution): Promise<Step<Assignment | Rejection>> {
  const result = await unlessCorrupt(serve(execution));
  const isRejected = result instanceof Rejection || result instanceof CorruptItemError;
  return isRejected ? reject(execution, result) : answer(result);
}

async function serve(execution: AssignExecution): Promise<Assignment | Rejection> {
  const learned = await learn(execution);
  if (learned instanceof Rejection) return learned;
  const { earlier } = learned;
  if (earlier && !isSettled(execution, earlier)) {
    const replayed = await replayEarlier(execution, earlier);
    if (replayed.kind === "answer") return replayed.answer;
  }
  execution.unserved = learned.unserved;
  return untilAnswered(ROUNDS, (before) =>
    // The places of the host are as old as the request: a later round reads them again.
    round(execution, before === 0 ? learned : { ...learned, places: undefined }),
  );
}

/**
 * Selects slots for all that is still missing, and takes them. A warm request of one block is answered by `takeLone` in its first
 * round; any other is answered by `conclude`, in the round that finds nothing missing.
 */
async function round(
  execution: AssignExecution,
  learned: Learned,
): Promise<Step<Assignment | Rejection>> {
  const { context, request, held } = execution;
  const { limitPerHandle } = request;
  const isLimited = limitPerHandle !== undefined;
  if (isLimited && !execution.allowance) {
    const allowance = await allowanceOf(context, request, limitPerHandle);
    if (allowance instanceof Rejection) return answer(allowance);
    execution.allowance = allowance;
  }
  const missing = missingFrom(execution, learned.familyRequests);
  const [one] = missing;
  if (!one) return conclude(execution);
  const selections = request.address
    ? await selectAddress(context, one, request.address)
    : await selectSlots(context, missing, learned.places);
  if (selections instanceof Rejection)
    return request.allowPartial && grantedTo(execution).some(({ held }) => countOf(held) > 0)
      ? conclude(execution, selections)
      : answer(learned.unserved ? together(selections, learned.unserved) : selections);
  assertYoung(execution);
  const [first] = selections;
  const isLone = selections.length === 1 && held.length === 0 && !isLimited;
  return isLone && first && countOf(selections) === totalOf(learned.familyRequests)
    ? takeLone(execution, first)
    : takeParts(execution, selections);
}

/**
 * Ends an execution before it takes slots with a configuration that may be stale. What it took before stays valid: a job that
 * changes the pool waits longer than `REQUEST_MS_MAX` before it reads the blocks, and sees them. An execution that has everything
 * answers however late it is: its allocation may be live, and a replay may have answered with it.
 *
 * @throws {ContentionError}
 */
function assertYoung({ context, startedAtMs }: AssignExecution): void {
  if (context.now() - startedAtMs > REQUEST_MS_MAX)
    throw new ContentionError("the request took longer than a function can run");
}

/**
 * Cleans up after an execution that failed, and returns the error to throw. After contention the outcome of every write is
 * known, so the addresses are released at once. After any other error a write may still land: the addresses stay, and the error
 * names the handle that releases them, also a generated one.
 */
async function cleanUpAfter(execution: AssignExecution, error: unknown): Promise<unknown> {
  let cause = error;
  try {
    if (error instanceof ContentionError) await withdraw(execution);
  } catch (thrown) {
    cause = thrown;
  }
  if (isCutShort(cause)) cause.handle = execution.request.handle;
  return cause;
}

const ATTEMPTS = {
  triesMax: ASSIGN_ROUNDS_MAX,
  exhausted: () =>
    new ContentionError(`other executions began this request again ${ASSIGN_ROUNDS_MAX} times`),
};

const ROUNDS = {
  triesMax: ASSIGN_ROUNDS_MAX,
  exhausted: () =>
    new ContentionError(`other callers took the slots first in ${ASSIGN_ROUNDS_MAX} rounds`),
};

interface Learned extends FamilyRequests {
  /** The places of the host, where they were read. */
  readonly places: Places | undefined;
  /** The allocation under the request's key. */
  readonly earlier: Allocation | undefined;
}

/**
 * Reads everything that is needed before the first write. A function that has blocks of the host in its warm cache reads nothing
 * here, except for a request with a limit: that counts what its handle has, and ends what was cut off, its own earlier execution
 * too.
 */
async function learn({ context, request, place }: AssignExecution): Promise<Learned | Rejection> {
  const { space, host, address, limitPerHandle } = request;
  const { store } = context;
  const warm = !address && context.cache.blocksOf(space, host).length > 0;
  const isLooked = place.keyed && (!warm || limitPerHandle !== undefined);
  // This request mostly needs the labels that the last copy of the configuration asked for: they are read beside the new copy.
  const last = context.cache.configurationOf(space)?.configuration;
  const [configuration, places, earlier] = await allOf(
    configurationOf(context, space),
    warm || address ? undefined : placesOfHost(context, space, host),
    isLooked ? store.readAllocation(place) : undefined,
    last && requesterOf(context, request, last),
  );
  const requester = await requesterOf(context, request, configuration);
  const requests = familyRequestsOf(request, configuration, requester);
  return requests instanceof Rejection ? requests : { ...requests, places, earlier };
}
