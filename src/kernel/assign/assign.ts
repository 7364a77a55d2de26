import { REASONS_IN_DETAIL_MAX } from "../../base/limits.ts";
import {
  ContentionError,
  CorruptItemError,
  isCutShort,
  orCorrupt,
  Rejection,
  together,
} from "../../base/outcome.ts";
import type { Family } from "../../net/address.ts";
import { nameOfApplication } from "../../nouns/application/application.ts";
import { isKeptKind } from "../../nouns/application/workload.ts";
import { networkFinder, poolsOfTarget } from "../../nouns/pool/application-pools.ts";
import type { SpaceConfiguration } from "../../nouns/pool/configuration.ts";
import { longCharactersOf } from "../../nouns/pool/network.ts";
import { isPattern } from "../../nouns/pool/pattern.ts";
import type { Pool } from "../../nouns/pool/pool.ts";
import { isMeant } from "../../selection/acquire-pools.ts";
import type { Requester } from "../../selection/requester.ts";
import { answer, type Step, untilAnswered } from "../core/compare-and-swap.ts";
import { configurationOf } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { applicationCopy } from "../core/labels.ts";
import { awaitAll } from "../core/parallel.ts";
import { withdraw } from "../end/end.ts";
import { whyNotAdmitted } from "../quotas/admit.ts";
import type { Allocation } from "../values/allocation.ts";
import type { Places } from "../values/full-block.ts";
import {
  type AssignedAddress,
  type Assignment,
  type AssignRequest,
  eachWanted,
  interfacesOf,
  totalOf,
} from "./assignment.ts";
import type { BatchSelections } from "./batch-selections.ts";
import { chargeFor, unspendRest } from "./charge.ts";
import { conclude } from "./conclude.ts";
import { isSettled, reject, replayEarlier } from "./earlier-execution.ts";
import {
  type AssignExecution,
  assertYoung,
  executionAt,
  grantedTo,
  missingFrom,
} from "./execution.ts";
import {
  applicationFor,
  type FamilyRequests,
  familyRequestsOf,
  type PoolRequest,
} from "./family-requests.ts";
import { allowanceOf } from "./quota.ts";
import { withLeftOut } from "./rejections.ts";
import {
  hasOpenFamily,
  mayHaveBlocks,
  namespaceOfRequest,
  placesOfHost,
  requesterOf,
} from "./requester.ts";
import { selectAddresses } from "./select-address.ts";
import { selectPrefixes } from "./select-prefixes.ts";
import { selectSlots } from "./select-slots.ts";
import { selectStated } from "./select-stated.ts";
import { type FamilyRequest, type SlotSelection, slotCount } from "./selection.ts";
import { take } from "./take.ts";

/** Rounds of a request, and times that others may begin it again, before it is called contended. */
const ASSIGN_ROUNDS_MAX = 16;
const ASSIGN_ATTEMPTS_MAX = 16;
/** An answer to an assign leaves routes and labels out if they would have more characters together: a function can answer 6 MB. */
export const NETWORK_CHARACTERS_PER_ANSWER = 1_500_000;

/**
 * Assigns addresses: learns the blocks, writes the allocation, then takes the slots. DESIGN.md has the rules and the invariants
 * that the comments name.
 *
 * A request without a limit that one slot write serves has a `live` allocation from the start: two writes, and no read of a block
 * if the function is warm. The allocation is written before its slots are taken, so that a crash between the two leaves something
 * to find. Any other request has a `pending` allocation. It names each part before the block of this part is touched, and becomes
 * `live` before the answer (rule 7). After a crash, the repair run ends an allocation that is pending or holds nothing. A live one
 * that holds slots stays, for a repeat with the same key or a release by its handle (I3).
 *
 * @param batch what the other requests of its batch have selected; absent for a request that came alone
 * @returns the addresses, all of them or none unless partial is allowed; or the rejection
 * @throws {ContentionError} after it released what it held
 * @throws {ThrottledError | UnavailableError | DeadlineError} with the handle under which addresses may be held. A repeat with the
 *   same Idempotency-Key, or the repair run, finds them
 */
export async function assign(
  context: Context,
  request: AssignRequest,
  batch?: BatchSelections,
): Promise<Assignment | Rejection> {
  const execution = executionAt(context, request, batch);
  try {
    const answered = await untilAnswered(ATTEMPTS, () => attempt(execution));
    if (execution.charge) await unspendRest(execution);
    if (answered instanceof Rejection) return answered;
    const { pools, passedOver } = execution;
    const messages = [...answered.messages, ...passedOver];
    return withNetwork(pools, { ...answered, messages }, request);
  } catch (error) {
    throw await cleanUpAfter(execution, error);
  }
}

/**
 * Serves the request in one attempt, which has up to `ASSIGN_ROUNDS_MAX` rounds. A rejection may be due to slots that an earlier
 * execution of this request still held: `reject` frees them, and asks for another attempt.
 */
async function attempt(execution: AssignExecution): Promise<Step<Assignment | Rejection>> {
  const result = await orCorrupt(serve(execution));
  const isRejected = result instanceof Rejection || result instanceof CorruptItemError;
  return isRejected ? reject(execution, result) : answer(result);
}

async function serve(execution: AssignExecution): Promise<Assignment | Rejection> {
  const learned = await learn(execution);
  if (learned instanceof Rejection) return learned;
  const { earlier } = learned;
  if (earlier && !isSettled(execution, earlier)) {
    const replayed = await replayEarlier(execution, earlier);
    // The step `retry` means that the earlier execution holds nothing, so that this one serves the request.
    if (replayed.kind === "answer") return replayed.answer;
  }
  execution.unserved = learned.unserved;
  return untilAnswered(ROUNDS, (roundsBefore) =>
    // The places of the host were read when the request began: a later round reads them again.
    round(execution, roundsBefore === 0 ? learned : { ...learned, places: undefined }),
  );
}

/**
 * Selects slots for everything that is still missing, and takes them. `take` answers a request that one slot write serves. `conclude`
 * answers any other, in the round that finds nothing missing or nothing more to get.
 */
async function round(
  execution: AssignExecution,
  learned: Learned,
): Promise<Step<Assignment | Rejection>> {
  const { context, request } = execution;
  const { limitPerHandle } = request;
  if (limitPerHandle !== undefined && !execution.allowance) {
    const allowance = await allowanceOf(context, request, limitPerHandle, execution.quotaSlots);
    if (allowance instanceof Rejection) return answer(allowance);
    execution.allowance = allowance;
  }
  const missing = missingFrom(execution, learned.familyRequests);
  if (missing.length === 0) return conclude(execution);
  const found = request.prefixes
    ? await selectPrefixes(context, missing, request.prefixes)
    : request.addresses
      ? await selectAddresses(context, missing, request.addresses)
      : request.stated
        ? await selectStated(context, missing, grantedTo(execution))
        : await selectInBatch(execution, missing, learned.places);
  const selected = found instanceof Rejection ? withLeftOut(found, missing) : found;
  if (selected instanceof Rejection)
    return request.allowPartial && hasAny(execution)
      ? conclude(execution, selected)
      : answer(learned.unserved ? together(selected, learned.unserved) : selected);
  const { held, quotas } = execution;
  try {
    const exceeded = quotas.length > 0 && (await chargeFor(execution, slotCount(selected)));
    if (exceeded) return answer(exceeded);
    // The charge can take long. Nothing comes between this and the allocation, which has the time of now.
    assertYoung(execution);
    const isWhole = held.length === 0 && slotCount(selected) === totalOf(learned.familyRequests);
    return await take(execution, selected, isWhole);
  } finally {
    execution.batch?.forget(execution);
  }
}

/** Selects slots, and others than the requests of the same batch. */
function selectInBatch(
  execution: AssignExecution,
  missing: readonly FamilyRequest[],
  places: Places | undefined,
): Promise<readonly SlotSelection[] | Rejection> {
  const { context, request, batch } = execution;
  if (!batch) return selectSlots(context, missing, places);
  // While a request waited for its turn, others of the batch may have claimed blocks for the host: its places are read again.
  return batch.select(execution, request.host, (others) =>
    selectSlots(
      context,
      missing.map((each) => ({ ...each, others })),
      undefined,
    ),
  );
}

/** Returns true if the answer would have addresses: newly taken ones, or those that the handle had under its limit. */
const hasAny = (execution: AssignExecution): boolean =>
  grantedTo(execution).some(({ held }) => slotCount(held) > 0);

/**
 * Cleans up after an execution that failed, and returns the error to throw. After contention the outcome of every write is
 * known, so the addresses are released at once. After throttling, no answer or a deadline a write may still land. The addresses stay,
 * and the error names the handle that releases them, also a generated one.
 */
async function cleanUpAfter(execution: AssignExecution, error: unknown): Promise<unknown> {
  let cause = error;
  try {
    if (error instanceof ContentionError) {
      await withdraw(execution.context, execution);
      await unspendRest(execution);
    }
  } catch (thrown) {
    cause = thrown;
  }
  if (isCutShort(cause)) cause.handle = execution.request.handle;
  return cause;
}

const ATTEMPTS = {
  triesMax: ASSIGN_ATTEMPTS_MAX,
  exhausted: () =>
    new ContentionError(`other executions began this request again ${ASSIGN_ATTEMPTS_MAX} times`),
};

const ROUNDS = {
  triesMax: ASSIGN_ROUNDS_MAX,
  exhausted: () =>
    new ContentionError(`other callers took the slots first in ${ASSIGN_ROUNDS_MAX} rounds`),
};

/** Counts a request once for the quotas of requests. What a host says it has is not asked for, so it is not counted. */
async function whyNotCounted(
  execution: AssignExecution,
  configuration: SpaceConfiguration,
): Promise<Rejection | undefined> {
  const { context, request, isCounted } = execution;
  const isSaid = request.stated !== undefined || (request.prefixes?.stated ?? []).length > 0;
  if (isCounted || isSaid) return undefined;
  execution.isCounted = true;
  return whyNotAdmitted(context, configuration, request);
}

interface Learned extends FamilyRequests {
  /** The affinities of the host and its hints of full blocks, if they were read. */
  readonly places: Places | undefined;
  /** The allocation under the request's key, if it was read. */
  readonly earlier: Allocation | undefined;
}

/**
 * Reads everything that is needed before the first write. A function that has blocks of the host in its warm cache reads neither
 * blocks nor the earlier allocation: if there is one, the write of the allocation fails and returns it. A request with a limit reads
 * it, because it counts what its handle has, and ends what a crash left of it. So does that of an instance whose kind keeps its
 * addresses, because it mostly returns to them.
 */
async function learn(execution: AssignExecution): Promise<Learned | Rejection> {
  const { context, request, allocationPlace } = execution;
  const { space, host, limitPerHandle, workload } = request;
  const { store, cache } = context;
  const isKnown =
    cache.blocksOf(space, host).length > 0 ||
    cache.knowsShared(space, host) ||
    (workload && cache.blocksOfApplication(applicationCopy(space, workload)).size > 0);
  const isSpecific = request.addresses !== undefined || request.stated !== undefined;
  const warm = !isSpecific && isKnown;
  const mayHaveEarlier = limitPerHandle !== undefined || (workload && isKeptKind(workload));
  const readsEarlier = allocationPlace.keyed && (!warm || mayHaveEarlier);
  // What the last copy of the configuration asked for is read into the cache, beside the new copy. The default pools of a
  // namespace are needed whatever the configuration is.
  const last = cache.configurationOf(space)?.configuration;
  const needsPlaces = !warm && !isSpecific && (!last || mayHaveBlocks(request, last));
  const [configuration, places, earlier, ofLast] = await awaitAll(
    configurationOf(context, space),
    needsPlaces ? placesOfHost(context, space, host) : undefined,
    readsEarlier ? store.readAllocation(allocationPlace) : undefined,
    last && requesterOf(context, request, last),
    !last && hasOpenFamily(request) && namespaceOfRequest(context, request),
  );
  const isLast = configuration === last;
  const requester = (isLast && ofLast) || (await requesterOf(context, request, configuration));
  execution.pools = configuration.pools;
  execution.quotas = configuration.quotas;
  execution.indexes = configuration.indexes;
  const hasQuotas = configuration.quotas.length > 0;
  const refused = hasQuotas && (await whyNotCounted(execution, configuration));
  if (refused) return refused;
  execution.passedOver = passedOver(request, configuration, requester);
  const requests = familyRequestsOf(request, configuration, requester);
  return requests instanceof Rejection ? requests : { ...requests, places, earlier };
}

/**
 * Returns what a request names, in a list or in an annotation, beside the pools from which its application has addresses. An instance
 * gets these addresses alone, whatever it names.
 *
 * @returns a sentence for each family of each interface that names other pools, subnets or names of none
 */
function passedOver(
  request: PoolRequest,
  { pools }: Pick<SpaceConfiguration, "pools">,
  requester: Requester,
): readonly string[] {
  if (!requester.application) return [];
  return eachWanted(request).flatMap(({ one, family }) => {
    const asked = applicationFor(one, requester);
    if (!asked) return [];
    const ids = poolsOfTarget(asked.application, { interface: asked.interface, family });
    const own = pools.filter(({ id }) => ids.includes(id));
    const others = (one.poolsByFamily?.[family] ?? one.pools)
      .filter((text) => !own.some((pool) => isMeant(pool, [text])))
      .flatMap((text) => othersOf(text, pools, family));
    if (others.length === 0) return [];
    const told = others.slice(0, REASONS_IN_DETAIL_MAX).join(", ");
    const more = others.length > REASONS_IN_DETAIL_MAX ? " and more" : "";
    const names = own.slice(0, REASONS_IN_DETAIL_MAX).map(({ name }) => name);
    const of = one.interface === undefined ? "" : ` of interface ${one.interface}`;
    return [
      `The IPv${family} addresses${of} are those of application ${nameOfApplication(asked.application)}, in ${names.join(", ")}. The request also names ${told}${more}, and gets none of that.`,
    ];
  });
}

/** Returns the text if it means a pool of the family, or none at all; nothing if it means pools of the other family. */
function othersOf(text: string, pools: readonly Pool[], family: Family): readonly string[] {
  const meant = pools.filter((pool) => isMeant(pool, [text]));
  if (meant.length === 0) return [isPattern(text) ? text : `${text} (does not exist)`];
  return meant.some(({ cidr }) => cidr.family === family) ? [text] : [];
}

/**
 * Adds to each address of an answer the network of its pool as it is now, without the gateway if its interface needs none. An
 * answer that would be too large has no routes and labels, and says so.
 */
function withNetwork(
  pools: readonly Pool[] = [],
  answered: Assignment,
  request: AssignRequest,
): Assignment {
  const clean = interfacesOf(request).filter(({ cleanGateway }) => cleanGateway);
  const networkOf = networkFinder(pools);
  const addresses = answered.addresses.map((each): AssignedAddress => {
    const { network } = networkOf(each.pool);
    const isClean = clean.some((one) => one.interface === each.interface);
    if (!network || !isClean) return { ...each, ...(network && { network }) };
    const { gateway: _, ...rest } = network;
    return { ...each, network: rest };
  });
  const characters = addresses.reduce(
    (sum, { network }) => sum + (network ? longCharactersOf(network) : 0),
    0,
  );
  if (characters <= NETWORK_CHARACTERS_PER_ANSWER) return { ...answered, addresses };
  return {
    ...answered,
    addresses: addresses.map(withoutLong),
    messages: [...answered.messages, LEFT_OUT],
  };
}

const LEFT_OUT =
  "The answer has no routes and labels of pools, because it has too many addresses; a read of the handle has them.";

const withoutLong = ({ network, ...each }: AssignedAddress): AssignedAddress => {
  if (!network) return each;
  const { routes: _, labels: __, ...rest } = network;
  return { ...each, network: rest };
};
