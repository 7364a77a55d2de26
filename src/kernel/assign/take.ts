import { ALLOCATION_BYTES_MAX } from "../../base/limits.ts";
import { ContentionError, Rejection, UnavailableError } from "../../base/outcome.ts";
import { areEntriesYoung, createEntries, ensureEntries } from "../allocations/index-entries.ts";
import { takeQuotaSlots } from "../allocations/quota-slots.ts";
import { ensureBorrowedBlock } from "../blocks/borrowed-block.ts";
import { fence } from "../blocks/fence-block.ts";
import {
  answer,
  compareAndSwap,
  proceed,
  RETRY,
  type Step,
  untilAnswered,
} from "../core/compare-and-swap.ts";
import type { Context } from "../core/context.ts";
import { applicationCopy } from "../core/labels.ts";
import { awaitAll, inParallel } from "../core/parallel.ts";
import { withdraw } from "../end/end.ts";
import { type Allocation, allocationBytes, type Part } from "../values/allocation.ts";
import { type Block, fillingOf, takenUnder } from "../values/block.ts";
import { fresh, freshToken } from "../values/fresh.ts";
import { PARTS_TAKEN_AT_ONCE } from "../values/limits.ts";
import {
  type Assignment,
  type AssignRequest,
  assignmentOf,
  countFieldOf,
  totalOf,
} from "./assignment.ts";
import { leaveCharged } from "./charge.ts";
import { replayEarlier } from "./earlier-execution.ts";
import { type AssignExecution, allocationOf, shortageOf, startOver } from "./execution.ts";
import { type SlotSelection, slotCount } from "./selection.ts";

/** Tries of one slot write against one block before the request is called contended. */
const TAKE_TRIES_MAX = 32;

/**
 * Takes selections: names them as the parts of the allocation, and then takes the slots of each. One write is the plan with one part,
 * under an allocation that is `live` from the start: this write alone decides, and the answer comes straight after it. A warm assign
 * has it. Any other plan has a `pending` allocation and takes its parts side by side. For a request with a limit, it takes quota slots
 * before the first slot.
 *
 * @param isWhole true if the selections are all that the request wants
 * @returns the answer, after one write; a retry otherwise: the next round selects what is still missing, or concludes; or the answer of
 *   another execution
 */
export async function take(
  execution: AssignExecution,
  selections: readonly SlotSelection[],
  isWhole: boolean,
): Promise<Step<Assignment | Rejection>> {
  const { request } = execution;
  const isFirst = execution.written === undefined;
  const isOneWrite = isWhole && selections.length === 1 && request.limitPerHandle === undefined;
  const named = await nameParts(execution, selections, isOneWrite ? "live" : "pending");
  if (named.kind !== "proceed") return named;
  if (isFirst && !(await holdQuota(execution))) {
    // Another request of the handle was faster. The next round reads what that one has.
    await withdraw(execution.context, execution);
    startOver(execution);
    return RETRY;
  }
  // All have ended before the error of one is thrown, so that none is running while others are freed.
  await inParallel(named.next, PARTS_TAKEN_AT_ONCE, (part) => takePart(execution, part));
  const { written, held } = execution;
  if (!isOneWrite || !written || held.length === 0) return RETRY;
  if (slotCount(held) < slotCount(selections)) return settleReleased(execution, written);
  return answer(assignmentOf([{ allocation: written, held }], request, shortageOf(execution)));
}

/**
 * Settles a request of which another caller released an address after the write that took it, and before this execution knew of the
 * write. With a key, a repeat may have answered with all of them, so the rest stays, and this execution answers as a repeat does. Without
 * a key nobody was told of the rest: it is released, and the request begins again.
 */
async function settleReleased(
  execution: AssignExecution,
  { place }: Allocation,
): Promise<Step<Assignment | Rejection>> {
  const { context, held } = execution;
  const found = await compareAndSwap("the allocation of this request", async () => {
    const written = await context.store.readAllocation(place);
    if (!written || place.keyed) return answer(written);
    await withdraw(context, { written, held, unsettled: false });
    return RETRY;
  });
  startOver(execution);
  return found ? replayEarlier(execution, found) : RETRY;
}

/** Takes the quota slots of a request with a limit. */
async function holdQuota({ context, written, allowance }: AssignExecution): Promise<boolean> {
  return !allowance || !written || takeQuotaSlots(context, written, allowance.free);
}

/** One part of an allocation, and the selection of slots that it is for. */
interface PlannedPart {
  readonly part: Part;
  readonly selection: SlotSelection;
  /**
   * False if the borrowed-block entry of the host or an index entry could not be written first: then no slot of the block may be taken
   * (I11, I22).
   */
  readonly isReady: boolean;
}

/**
 * Writes the allocation of the request with the selections as parts, under new tokens, before any slot of them is taken (rule 2).
 * Writes borrowed-block entries and index entries beside it.
 *
 * @returns the parts to take; or the answer of another execution of the request; or the rejection of an allocation that is too large
 */
async function nameParts(
  execution: AssignExecution,
  selections: readonly SlotSelection[],
  state: "live" | "pending",
): Promise<Step<Assignment | Rejection, readonly PlannedPart[]>> {
  const { context, request, allocationPlace, held } = execution;
  const parts = selections.map(
    ({ block, ordinals, pool, interface: of, ofApplication, coolsAgain }): Part => ({
      token: freshToken(allocationPlace, context.random),
      block: block.cidr,
      count: ordinals.length,
      ordinals,
      ...(pool !== undefined && { pool }),
      ...(of !== undefined && { interface: of }),
      ...(ofApplication && { ofApplication }),
      ...(coolsAgain && { coolsAgain }),
    }),
  );
  const named = [...held.map(({ part }) => part), ...parts];
  const allocation = allocationOf(execution, named, state);
  if (allocationBytes(allocation) > ALLOCATION_BYTES_MAX) return answer(tooLarge(request, named));
  const isEntered = execution.entered !== undefined || !allocation.indexed;
  const [written, left, ready] = await awaitAll(
    writeAllocation(context, execution.expected, allocation),
    isEntered ? [] : createEntries(context, allocation),
    inParallel(
      selections,
      PARTS_TAKEN_AT_ONCE,
      async ({ block }) =>
        block.host === request.host || (await ensureBorrowedBlock(context, request.host, block)),
    ),
  );
  if (written.kind === "taken") {
    execution.batch?.arrive(execution);
    // Another execution decided the allocation that this one wrote, and frees what this one held.
    startOver(execution);
    return replayEarlier(execution, written.allocation);
  }
  execution.expected = execution.written = written.allocation;
  // If this took long, the repair run may have deleted the entries of an allocation that was not there.
  const hasEntries =
    isEntered ||
    ((await ensureEntries(context, left)) && areEntriesYoung(context, allocation.atMs));
  if (hasEntries) execution.entered = allocation.indexed;
  return proceed(
    selections.map((selection, i) => ({
      part: parts[i] as Part,
      selection,
      isReady: hasEntries && ready[i] === true,
    })),
  );
}

/** Takes the slots of one part, and adds them to what the execution holds. Adds nothing if other callers were faster. */
async function takePart(
  execution: AssignExecution,
  { part, selection: { block, again }, isReady }: PlannedPart,
): Promise<void> {
  // The slot write follows at once, so the write that its batch shares has it.
  execution.batch?.arrive(execution);
  if (!isReady) return;
  const { context, request, allocationPlace } = execution;
  let named: readonly number[] | undefined = part.ordinals;
  const tag = {
    token: part.token,
    handleHash: allocationPlace.handleHash,
    // The lease of a prefix is the time for its confirmation. It goes with that, and the block of the prefix is not told.
    leased: request.leaseSeconds !== undefined && !block.whole,
  };
  const result = await takeSlots(context, block, tag, (now) => {
    // The first try takes the ordinals that the allocation names.
    const ordinals = named ?? again(now);
    named = undefined;
    return ordinals;
  }).catch((error) => {
    // After contention all writes are lost. After any other error, one of them may have happened.
    if (!(error instanceof ContentionError)) execution.unsettled = true;
    throw error;
  });
  learnFrom(execution, part, block, result);
  if (result.kind === "taken")
    execution.held.push({ part, block: result.block, ordinals: result.ordinals });
  // The write may have been made, and another caller has freed slots since, and has given them back.
  if (result.kind === "taken") leaveCharged(execution, part.count - result.ordinals.length);
  if (result.kind === "notTaken") leaveCharged(execution, part.count);
}

/** Updates the block in the warm cache, or drops it if it is gone or belongs to another host now. */
function learnFrom(
  { context, request }: AssignExecution,
  { pool, ofApplication }: Part,
  learned: Block,
  { block }: Take,
): void {
  const { cache } = context;
  const { space, workload } = request;
  if (ofApplication && workload)
    cache.rememberOfApplication(applicationCopy(space, workload), learned.cidr, block);
  else if (pool !== undefined) cache.rememberShared(request.host, pool, learned, block);
  else if (learned.host === undefined) return;
  else if (block?.host === learned.host) cache.remember(block);
  else cache.forget(learned.space, learned.host, learned.cidr);
}

/** Rejects an allocation that would not fit its item. Nothing of this round is written yet, and what earlier rounds took is freed. */
function tooLarge(request: AssignRequest, named: readonly Part[]): Rejection {
  const { wanted } = request;
  const problem = `comes to ${named.length} blocks, more than can be kept of one request; ask for less at once, or with smaller attributes`;
  const fields = wanted.map((each) => ({
    field: countFieldOf(request, each),
    value: each.count,
    problem,
  }));
  return new Rejection("invalid_request", `${totalOf(wanted)} addresses: the request ${problem}.`, {
    fields,
  });
}

/** The result of a try to take slots of one block. */
type Take =
  /** The slots were taken. They are fewer than the part has, or none, if another caller has freed some since. */
  | { readonly kind: "taken"; readonly block: Block; readonly ordinals: readonly number[] }
  /** The block cannot serve the request as it stands. */
  | { readonly kind: "full"; readonly block: Block }
  /**
   * The epoch is not the one learned, or the block is gone. The next round selects from the returned block, and writes the allocation
   * again before it takes a slot (rule 2).
   */
  | { readonly kind: "moved"; readonly block: Block | undefined }
  /** A write got no answer, and a fence ensures that it never happens. The next round names a part with a new token (rule 3). */
  | { readonly kind: "notTaken"; readonly block: Block | undefined };

/** The tag of the slots that a request takes. */
interface TakeTag {
  readonly token: string;
  readonly handleHash: string;
  /** True if the addresses have a lease. */
  readonly leased: boolean;
}

/**
 * Takes slots of one block in one write. If another caller was faster, the failed condition returns the block, so that the next try
 * costs no read.
 *
 * @param choose returns the ordinals to take in the block as it is now; nothing if the block cannot serve
 * @throws {ContentionError} if other callers take the slots first, every time
 */
function takeSlots(
  context: Context,
  learned: Block,
  { leased, ...tag }: TakeTag,
  choose: (block: Block) => readonly number[] | undefined,
): Promise<Take> {
  let block = learned;
  return untilAnswered<Take>(TAKING, async () => {
    const ordinals = choose(block);
    if (!ordinals) return answer({ kind: "full", block });
    const slots = ordinals.map((ordinal) => ({ ordinal, seen: block.slots.get(ordinal) }));
    const takes = [{ slots, taken: { kind: "taken", ...tag } as const }];
    const notes = {
      filling: fillingOf(block),
      leased: leased && !block.leased ? (true as const) : undefined,
    };
    const result = await context.store.takeSlots(block, takes, fresh(context), notes);
    if (result.outcome === "done") return answer({ kind: "taken", block: result.item, ordinals });
    if (result.outcome === "unknown")
      return answer(await resolveUnknownWrite(context, learned, tag.token));
    const now = result.item;
    // Rule 6, own token first: an earlier try of this write may have succeeded. Then the condition fails on its own slots.
    if (now && shows(now, tag.token))
      return answer({ kind: "taken", block: now, ordinals: takenUnder(now, tag.token) });
    // Only the epoch under which the allocation was written counts (rule 2).
    if (!now || now.epoch !== learned.epoch) return answer({ kind: "moved", block: now });
    block = now;
    return RETRY;
  });
}

const TAKING = {
  triesMax: TAKE_TRIES_MAX,
  exhausted: () =>
    new ContentionError(`other callers took every slot that was tried, ${TAKE_TRIES_MAX} times`),
};

/** Returns true if a block has slots that were taken under a token, also if they have been released since. */
const shows = ({ slots }: Block, token: string): boolean =>
  [...slots.values()].some((slot) => slot.kind !== "foreign" && slot.token === token);

/** Resolves an unknown write (rule 3): reads, fences so that a late write fails, and reads again. */
async function resolveUnknownWrite(context: Context, learned: Block, token: string): Promise<Take> {
  const { space, cidr } = learned;
  const seen = await context.store.readBlock(space, cidr);
  if (seen && takenUnder(seen, token).length > 0)
    return { kind: "taken", block: seen, ordinals: takenUnder(seen, token) };
  const fenced = await fence(context, "unknown-fence", space, cidr);
  if (fenced && takenUnder(fenced, token).length > 0)
    return { kind: "taken", block: fenced, ordinals: takenUnder(fenced, token) };
  return { kind: "notTaken", block: fenced };
}

/** The result of a write of an allocation. */
type WrittenAllocation =
  | { readonly kind: "written"; readonly allocation: Allocation }
  /** Another execution of the same request wrote the allocation. */
  | { readonly kind: "taken"; readonly allocation: Allocation };

/**
 * Writes the allocation of a request: a new one, or over the one that was read, under its revision. Every write has a fresh revision,
 * so that the author of an earlier one learns of it.
 */
export async function writeAllocation(
  context: Context,
  seen: Allocation | undefined,
  next: Allocation,
): Promise<WrittenAllocation> {
  const { store } = context;
  const written = seen
    ? await store.changeAllocation("allocation", seen, next)
    : await store.createAllocation(next);
  if (written.outcome === "done") return { kind: "written", allocation: next };
  const current =
    written.outcome === "unknown" ? await store.readAllocation(next.place) : written.item;
  // Rule 6 for allocations: the item has the revision of this write.
  if (current?.revision === next.revision) return { kind: "written", allocation: next };
  if (written.outcome === "unknown" && current?.revision === seen?.revision)
    throw new UnavailableError(
      "the database did not say whether the allocation of this request was written",
    );
  if (current && next.place.keyed) return { kind: "taken", allocation: current };
  throw new ContentionError("another execution ended this request");
}
