import type { Part } from "../../domain/allocation.ts";
import { allocationBytes } from "../../domain/allocation-size.ts";
import type { Block } from "../../domain/block.ts";
import { ALLOCATION_BYTES_MAX, PARTS_TAKEN_AT_ONCE } from "../../domain/limits.ts";
import { ContentionError, Rejection } from "../../domain/outcome.ts";
import { freshToken } from "../../domain/token.ts";
import { takeQuotaSlots } from "../allocations/quota-slots.ts";
import { type Take, take } from "../allocations/take-slots.ts";
import { writeAllocation } from "../allocations/write-allocation.ts";
import { ensureBorrowedBlock } from "../blocks/borrowed-block.ts";
import type { Context } from "../core/context.ts";
import { allOf, inParallel } from "../core/parallel.ts";
import { type Assignment, type AssignRequest, totalOf } from "./assignment.ts";
import { replayEarlier } from "./earlier-execution.ts";
import { type AssignExecution, allocationOf, startOver, withdraw } from "./execution.ts";
import type { SlotSelection } from "./selection.ts";

/**
 * One round: names the picks in the allocation, then takes them side by side. What could not be taken is wanted again.
 *
 * @param whole are these all that the request wants? Then a single write decides by itself
 * @returns an answer if another execution of the request has it, or that no allocation has room for what is to be named
 */
export async function takeAll(
  execution: AssignExecution,
  selections: readonly SlotSelection[],
  whole: boolean,
): Promise<Assignment | Rejection | undefined> {
  const { context, request } = execution;
  const { handleHash } = execution.place;
  const parts = selections.map(
    ({ block, ordinals }): Part => ({
      token: freshToken(execution.place, context.random),
      block: block.cidr,
      count: ordinals.length,
      ordinals,
    }),
  );
  // Rule 2, allocation after epoch: the blocks were learned before, and whenever one is learned anew the allocation is written anew.
  const limited = request.limitPerHandle !== undefined;
  const lone = whole && parts.length === 1 && execution.held.length === 0 && !limited;
  const named = [...execution.held.map(({ part }) => part), ...parts];
  const allocation = allocationOf(execution, named, lone ? "live" : "pending");
  if (allocationBytes(allocation) > ALLOCATION_BYTES_MAX) return tooLarge(request, named);
  const [writtenAllocation, lent] = await allOf(
    writeAllocation(context, execution.expected, allocation),
    inParallel(
      selections,
      PARTS_TAKEN_AT_ONCE,
      async ({ block }) =>
        block.host === request.host || (await ensureBorrowedBlock(context, request.host, block)),
    ),
  );
  if (writtenAllocation.kind === "taken") {
    // Somebody decided the allocation that we wrote, and frees, or freed, what we held: nothing of it is ours any more.
    startOver(execution);
    return replayEarlier(execution, writtenAllocation.allocation);
  }
  const first = execution.written === undefined;
  execution.expected = execution.written = writtenAllocation.allocation;
  if (
    limited &&
    first &&
    !(await takeQuotaSlots(context, writtenAllocation.allocation, execution.allowance?.free ?? []))
  ) {
    // Another request of the handle was faster: what it comes to is seen in the next round.
    await withdraw(execution);
    startOver(execution);
    return undefined;
  }
  // One that fails does not leave the others running: they are all settled before anything is freed.
  await inParallel(
    [...selections.entries()],
    PARTS_TAKEN_AT_ONCE,
    async ([i, { block, again }]) => {
      if (!lent[i]) return;
      const part = parts[i] as Part;
      let named: readonly number[] | undefined = part.ordinals;
      const result = await take(context, block, { token: part.token, handleHash }, (now) => {
        // The first try is for the ordinals that the allocation names.
        const ordinals = named ?? again(now);
        named = undefined;
        return ordinals;
      }).catch((error) => {
        // After contention every write is known to be lost; after any other error one of them may have been done.
        if (!(error instanceof ContentionError)) execution.unsettled = true;
        throw error;
      });
      learnFrom(context, block, result);
      if (result.kind === "taken")
        execution.held.push({ part, block: result.block, ordinals: result.ordinals });
    },
  );
  return undefined;
}

/** Nothing of this round is written yet; what earlier ones hold is freed. */
function tooLarge({ wanted }: AssignRequest, named: readonly Part[]): Rejection {
  const problem = `comes to ${named.length} blocks, more than can be kept of one request; ask for less at once, or with smaller attributes`;
  const fields = wanted.map(({ family, count }) => ({
    field: `ipv${family}`,
    value: count,
    problem,
  }));
  return new Rejection("invalid_request", `${totalOf(wanted)} addresses: the request ${problem}.`, {
    fields,
  });
}

/** A warm function remembers its host's blocks as they stand, and forgets those that are gone or another's. */
function learnFrom({ cache }: Context, learned: Block, { block }: Take): void {
  if (learned.host === undefined) return;
  if (block?.host === learned.host) cache.remember(block);
  else cache.forget(learned.space, learned.host, learned.cidr);
}
