import type { Allocation } from "../../domain/allocation.ts";
import { ASSIGN_ROUNDS_MAX, REQUEST_MS_MAX } from "../../domain/limits.ts";
import {
  ContentionError,
  CorruptItemError,
  isCutShort,
  Rejection,
  together,
  UnavailableError,
  unlessCorrupt,
} from "../../domain/outcome.ts";
import { dropQuotaSlots } from "../allocations/quota-slots.ts";
import { writeAllocation } from "../allocations/write-allocation.ts";
import { configurationOf } from "../core/configuration.ts";
import { type Context, fresh } from "../core/context.ts";
import { allOf } from "../core/parallel.ts";
import {
  type Assignment,
  type AssignRequest,
  assignment,
  type Shortage,
  totalOf,
} from "./assignment.ts";
import { isSettled, reject, replayEarlier } from "./earlier-execution.ts";
import {
  type AssignExecution,
  allocationOf,
  executionAt,
  grantedTo,
  missingFrom,
  startOver,
  times,
  unservedOf,
  withdraw,
} from "./execution.ts";
import { familyRequestsOf } from "./family-requests.ts";
import { allowanceOf, areHeld, quotaSlotsFor } from "./quota.ts";
import { placesOfHost, requesterOf } from "./requester.ts";
import { selectAddress } from "./select-address.ts";
import { selectSlots } from "./select-slots.ts";
import { countOf, type FamilyRequest, type SlotSelector } from "./selection.ts";
import { takeAll } from "./take-selection.ts";

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
    return await answered(execution);
  } catch (error) {
    throw await cleanUpAfter(execution, error);
  }
}

/** Begins again where the rejection came from what an earlier execution held, and frees only now: that rejection is stale. */
async function answered(execution: AssignExecution): Promise<Assignment | Rejection> {
  for (let round = 0; round < ASSIGN_ROUNDS_MAX; round++) {
    const answer = await unlessCorrupt(carriedOut(execution));
    const isRejected = answer instanceof Rejection || answer instanceof CorruptItemError;
    const result = isRejected ? await reject(execution, answer) : answer;
    if (result instanceof CorruptItemError) throw result;
    if (result) return result;
  }
  throw new ContentionError(
    `this request was begun again by others in ${ASSIGN_ROUNDS_MAX} rounds`,
  );
}

async function carriedOut(execution: AssignExecution): Promise<Assignment | Rejection> {
  const known = await learn(execution);
  if (known instanceof Rejection) return known;
  const { earlier } = known;
  if (earlier && !isSettled(execution, earlier)) {
    const replayed = await replayEarlier(execution, earlier);
    if (replayed) return replayed;
  }
  return walk(execution, known);
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

async function walk(
  execution: AssignExecution,
  { familyRequests, select, unserved }: Learned,
): Promise<Assignment | Rejection> {
  execution.unserved = unserved;
  for (let round = 0; round < ASSIGN_ROUNDS_MAX; round++) {
    const limited = await holdToLimit(execution);
    if (limited) return limited;
    const missing = missingFrom(execution, familyRequests);
    const selections = missing.length > 0 ? await select(missing) : [];
    const got = grantedTo(execution).reduce((sum, { held }) => sum + countOf(held), 0);
    if (selections instanceof Rejection && (!execution.request.allowPartial || got === 0))
      return unserved ? together(selections, unserved) : selections;
    // After REQUEST_MS_MAX the cached configuration may be stale, so this execution takes nothing new. What it took before
    // stays valid: a job that changes the pool waits longer than that before it reads the blocks, and sees them. An execution
    // that has everything answers however late it is: its allocation may be live, and a replay may have answered with it.
    const taking = !(selections instanceof Rejection) && selections.length > 0;
    if (taking && execution.context.now() - execution.startedAtMs > REQUEST_MS_MAX)
      throw new ContentionError("the request took longer than a function can run");
    const rejection = selections instanceof Rejection ? selections : undefined;
    const answer = taking
      ? await takeAll(execution, selections, countOf(selections) === totalOf(familyRequests))
      : await conclude(execution, shortageOf(execution, got, rejection));
    if (answer) return answer;
  }
  throw new ContentionError(`no blocks could be settled on in ${ASSIGN_ROUNDS_MAX} rounds`);
}

/** Explains a partial result: families without a pool, and what `rejection` says of the others. */
function shortageOf(execution: AssignExecution, got: number, rejection?: Rejection): Shortage {
  const unserved = unservedOf(execution);
  const details = [unserved.length > 0 && execution.unserved, rejection].flatMap((each) =>
    each ? [each.detail] : [],
  );
  const short = `${got} of ${totalOf(execution.request.wanted)} addresses are assigned.`;
  return {
    messages: details.length > 0 ? [[short, ...details].join(" ")] : [],
    missing: [...unserved, ...(rejection?.members.missing ?? [])],
  };
}

/** Reads how many addresses the limit of the handle still permits, for a request with a limit. */
async function holdToLimit(execution: AssignExecution): Promise<Rejection | undefined> {
  const { context, request, allowance } = execution;
  if (request.limitPerHandle === undefined || allowance) return undefined;
  const found = await allowanceOf(context, request, request.limitPerHandle);
  if (found instanceof Rejection) return found;
  execution.allowance = found;
  return undefined;
}

/**
 * All is taken: a pending allocation becomes live, and only then is there an answer (rule 7).
 *
 * @returns nothing if the request is to be begun again: an earlier execution stood in the way, and is over, or an address that
 *   its handle had was released meanwhile
 */
async function conclude(
  execution: AssignExecution,
  shortage: Shortage,
): Promise<Assignment | Rejection | undefined> {
  const { context, request, written, held, allowance } = execution;
  const has = allowance?.has ?? [];
  // They were read one by one. If all are still held now, all were held at one moment in between.
  if (!(await areHeld(context, has))) {
    await withdraw(execution);
    startOver(execution);
    return undefined;
  }
  if (!written) return repeat(execution, shortage);
  const answer = (allocation: Allocation) =>
    assignment([...has, { allocation, held }], request, shortage);
  if (written.state === "live") return answer(written);
  const { quotaSlots, spare } = quotaSlotsFor(written, held);
  // Only what was granted is stored, so that a replay gives the same answer.
  const next: Allocation = {
    ...written,
    ...times(context, request),
    state: "live",
    want: countOf(held),
    missing: shortage.missing,
    quotaSlots,
    revision: fresh(context),
  };
  const result = await context.store.changeAllocation("pending-live", written, next);
  const current =
    result.outcome === "unknown" ? await context.store.readAllocation(written.place) : result.item;
  if (current?.revision === next.revision) {
    await dropQuotaSlots(context, written, spare);
    return answer(next);
  }
  // The write may still land, and then the addresses belong to this request. The next execution with its key finds out.
  if (result.outcome === "unknown" && current?.revision === written.revision)
    throw new UnavailableError("the database did not say whether the request was completed");
  throw new ContentionError("another execution ended this request");
}

/** Answers with addresses that other requests gave the handle. With a key, an allocation records which; nothing else is written. */
async function repeat(
  execution: AssignExecution,
  shortage: Shortage,
): Promise<Assignment | Rejection | undefined> {
  const { context, request, place, expected, allowance } = execution;
  const answer = assignment(allowance?.has ?? [], request, shortage);
  if (!place.keyed) return answer;
  const { missing } = shortage;
  const allocation: Allocation = {
    ...allocationOf(execution, [], "live"),
    want: 0,
    missing,
    quotaSlots: [],
  };
  const outcome = await writeAllocation(context, expected, allocation);
  if (outcome.kind === "written") return answer;
  startOver(execution);
  return replayEarlier(execution, outcome.allocation);
}

interface Learned {
  readonly familyRequests: readonly FamilyRequest[];
  readonly select: SlotSelector;
  /** The reason why no pool serves one of the families, for a request that accepts a part. */
  readonly unserved?: Rejection | undefined;
  /** The allocation under the request's key. */
  readonly earlier: Allocation | undefined;
}

/**
 * All that is read before anything is written. A function that remembers blocks of the host reads nothing here, but for a request
 * with a limit: that counts what its handle has, and ends there what was cut off, its own earlier execution too.
 */
async function learn({ context, request, place }: AssignExecution): Promise<Learned | Rejection> {
  const { space, host, address, limitPerHandle } = request;
  const { store } = context;
  const warm = !address && context.cache.blocksOf(space, host).length > 0;
  const isLooked = place.keyed && (!warm || limitPerHandle !== undefined);
  // What the last copy asked of labels, this one will mostly ask as well: they are read beside it, and remembered.
  const last = context.cache.configurationOf(space)?.configuration;
  const [configuration, places, earlier] = await allOf(
    configurationOf(context, space),
    warm || address ? undefined : placesOfHost(context, space, host),
    isLooked ? store.readAllocation(place) : undefined,
    last && requesterOf(context, request, last),
  );
  const requester = await requesterOf(context, request, configuration);
  const wanted = familyRequestsOf(request, configuration, requester);
  if (wanted instanceof Rejection) return wanted;
  const select = address ? selectAddress(context, address) : selectSlots(context, places);
  return { ...wanted, select, earlier };
}
