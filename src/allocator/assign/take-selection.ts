import type { Part } from "../../domain/allocation.ts";
import { recordBytes } from "../../domain/allocation-size.ts";
import type { Block } from "../../domain/block.ts";
import { PARTS_TAKEN_AT_ONCE, RECORD_BYTES_MAX } from "../../domain/limits.ts";
import { Contended, Refusal } from "../../domain/outcome.ts";
import { freshToken } from "../../domain/token.ts";
import { takeSeats } from "../allocations/quota-slots.ts";
import { type Take, take } from "../allocations/take-slots.ts";
import { stamp } from "../allocations/write-allocation.ts";
import { ensureLoan } from "../blocks/borrowed-block.ts";
import type { Context } from "../core/context.ts";
import { allOf, inParallel } from "../core/parallel.ts";
import { type Assignment, type AssignRequest, totalOf } from "./assignment.ts";
import { settleEarlier } from "./earlier-execution.ts";
import { type Attempt, recordOf, startOver, withdraw } from "./execution.ts";
import type { Pick } from "./selection.ts";

/**
 * One round: names the picks in the record, then takes them side by side. What could not be taken is wanted again.
 *
 * @param whole are these all that the request wants? Then a single write decides by itself
 * @returns an answer if another execution of the request has it, or that no record has room for what is to be named
 */
export async function takeAll(
  attempt: Attempt,
  picks: readonly Pick[],
  whole: boolean,
): Promise<Assignment | Refusal | undefined> {
  const { context, request } = attempt;
  const { handleHash } = attempt.place;
  const parts = picks.map(
    ({ block, ordinals }): Part => ({
      token: freshToken(attempt.place, context.random),
      block: block.cidr,
      count: ordinals.length,
      ordinals,
    }),
  );
  // Rule 2, record after epoch: the blocks were learned before, and whenever one is learned anew the record is written anew.
  const limited = request.limitPerHandle !== undefined;
  const lone = whole && parts.length === 1 && attempt.held.length === 0 && !limited;
  const named = [...attempt.held.map(({ part }) => part), ...parts];
  const record = recordOf(attempt, named, lone ? "live" : "open");
  if (recordBytes(record) > RECORD_BYTES_MAX) return tooLarge(request, named);
  const [stamped, lent] = await allOf(
    stamp(context, attempt.seen, record),
    inParallel(
      picks,
      PARTS_TAKEN_AT_ONCE,
      async ({ block }) =>
        block.host === request.host || (await ensureLoan(context, request.host, block)),
    ),
  );
  if (stamped.kind === "taken") {
    // Somebody decided the record that we wrote, and gives back, or gave back, what we held: nothing of it is ours any more.
    startOver(attempt);
    return settleEarlier(attempt, stamped.record);
  }
  const first = attempt.mine === undefined;
  attempt.seen = attempt.mine = stamped.record;
  if (
    limited &&
    first &&
    !(await takeSeats(context, stamped.record, attempt.allowance?.free ?? []))
  ) {
    // Another request of the handle was faster: what it comes to is seen in the next round.
    await withdraw(attempt);
    startOver(attempt);
    return undefined;
  }
  // One that fails does not leave the others running: they are all settled before anything is given back.
  await inParallel([...picks.entries()], PARTS_TAKEN_AT_ONCE, async ([i, { block, again }]) => {
    if (!lent[i]) return;
    const part = parts[i] as Part;
    let named: readonly number[] | undefined = part.ordinals;
    const result = await take(context, block, { token: part.token, handleHash }, (now) => {
      // The first try is for the ordinals that the record names.
      const ordinals = named ?? again(now);
      named = undefined;
      return ordinals;
    }).catch((error) => {
      // After contention every write is known to be lost; after any other error one of them may have been done.
      if (!(error instanceof Contended)) attempt.unsettled = true;
      throw error;
    });
    learnFrom(context, block, result);
    if (result.kind === "taken")
      attempt.held.push({ part, block: result.block, ordinals: result.ordinals });
  });
  return undefined;
}

/** Nothing of this round is written yet; what earlier ones hold is given back. */
function tooLarge({ wanted }: AssignRequest, named: readonly Part[]): Refusal {
  const problem = `comes to ${named.length} blocks, more than can be kept of one request; ask for less at once, or with smaller attributes`;
  const fields = wanted.map(({ family, count }) => ({
    field: `ipv${family}`,
    value: count,
    problem,
  }));
  return new Refusal("invalid_request", `${totalOf(wanted)} addresses: the request ${problem}.`, {
    fields,
  });
}

/** A warm function remembers its host's blocks as they stand, and forgets those that are gone or another's. */
function learnFrom({ memory }: Context, learned: Block, { block }: Take): void {
  if (learned.host === undefined) return;
  if (block?.host === learned.host) memory.remember(block);
  else memory.forget(learned.space, learned.host, learned.cidr);
}
