import type { Part } from "../../domain/allocation.ts";
import { allocationBytes } from "../../domain/allocation-size.ts";
import type { Block } from "../../domain/block.ts";
import { ALLOCATION_BYTES_MAX, PARTS_TAKEN_AT_ONCE } from "../../domain/limits.ts";
import { ContentionError, Rejection } from "../../domain/outcome.ts";
import { freshToken } from "../../domain/token.ts";
import { areEntriesYoung, createEntries, ensureEntries } from "../allocations/index-entries.ts";
import { type Take, take } from "../allocations/take-slots.ts";
import { writeAllocation } from "../allocations/write-allocation.ts";
import { ensureBorrowedBlock } from "../blocks/borrowed-block.ts";
import { applicationCopy } from "../core/labels.ts";
import { allOf, inParallel } from "../core/parallel.ts";
import { answer, proceed, type Step } from "../core/step.ts";
import { type Assignment, type AssignRequest, totalOf } from "./assignment.ts";
import { replayEarlier } from "./earlier-execution.ts";
import { type AssignExecution, allocationOf, startOver } from "./execution.ts";
import { fieldOf } from "./interfaces.ts";
import type { SlotSelection } from "./selection.ts";

/** One part of an allocation, and the selection of slots that it is for. */
export interface PlannedPart {
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
export async function nameParts(
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
  const [written, left, ready] = await allOf(
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
export async function takePart(
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
  const result = await take(context, block, tag, (now) => {
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
    field: fieldOf(request, each),
    value: each.count,
    problem,
  }));
  return new Rejection("invalid_request", `${totalOf(wanted)} addresses: the request ${problem}.`, {
    fields,
  });
}
