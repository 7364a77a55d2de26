import { PARTS_FREED_AT_ONCE } from "../../base/limits.ts";
import { ContentionError, DeadlineError } from "../../base/outcome.ts";
import { formatAddress } from "../../net/address.ts";
import { addressAt } from "../../net/cidr.ts";
import { applicationHash } from "../../nouns/application/application.ts";
import type { Holding } from "../allocations/holding.ts";
import { deleteEntries } from "../allocations/index-entries.ts";
import { deleteQuotaSlots } from "../allocations/quota-slots.ts";
import { fence } from "../blocks/fence-block.ts";
import { asHint } from "../core/bounded-work.ts";
import { answer, compareAndSwap, RETRY } from "../core/compare-and-swap.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import { settleFreed } from "../held/settle.ts";
import {
  type Allocation,
  ordinalsIn,
  outlivesRelease,
  type Part,
  releasedOrdinals,
} from "../values/allocation.ts";
import { takenUnder } from "../values/block.ts";
import { fresh } from "../values/fresh.ts";
import { handleOfPrefixes } from "../values/handle.ts";
import { entriesOf } from "../values/index-entry.ts";
import { freeSlots, type SlotsOfPart } from "./free-slots.ts";

/**
 * An allocation is over in four steps, whoever ends it:
 *
 * 1. *Decide* it as it was read: a live one becomes `released`, a pending one `aborted` (rule 7).
 * 2. *Free* the slots that it visibly holds. Fence the blocks in which none is visible, so that its author takes no more there.
 * 3. End what goes with it, in one order: its quota slots, its index entries, what its application holds again.
 * 4. *Delete* it. An allocation with a key is kept for a while instead, so that a late duplicate gets `already_released`.
 *
 * Those who end one differ in what they have read, and so in what may be left out. `freeNamed` frees single addresses, and deletes the
 * allocation with the last one. If it has read none, it learns from the deleted item what goes with it, so there step 4 comes first.
 */

/**
 * Ends an allocation, whatever its author does. A live one without a key that holds all its slots needs no mark, unless it is a
 * prefix of a handle.
 *
 * @param how.settles true if a kept allocation loses its parts at once; otherwise the repair run deletes them
 * @param how.freed receives the addresses that this call frees, as text, also if it fails later
 * @throws {ContentionError} if other callers change the allocation every time
 */
export async function endAllocation(
  context: Context,
  found: Allocation,
  { settles, freed }: { readonly settles: boolean; readonly freed: string[] },
): Promise<void> {
  if (await endWhole(context, found, freed)) return;
  let seen = found;
  const over = await compareAndSwap("the allocation of this handle", async () => {
    const decided = await decide(context, "end", seen);
    if (decided.isDone || !decided.allocation) return answer(decided.allocation);
    seen = decided.allocation;
    return RETRY;
  });
  if (!over) return;
  await freeRest(context, over, { fence: "handle-fence" }, freed);
  const isKept = outlivesRelease(over) && over.state === "released";
  if (!isKept) await context.store.deleteAllocation("end", over);
  else if (settles) await deleteFreedParts(context, over);
}

/**
 * Fast path: frees and deletes an allocation without a key, all of whose slots are where it says. It needs no mark, because no
 * execution adds to it and no repeat asks for it. After a crash, its handle keeps the rest until the release is repeated.
 *
 * @returns true if the allocation is gone
 */
async function endWhole(
  context: Context,
  allocation: Allocation,
  freed: string[],
): Promise<boolean> {
  // The prefix of a handle needs the mark: a pool may be about to be made of it (I23).
  const isPrefix = handleOfPrefixes(allocation.handle) !== undefined;
  const short = allocation.state === "live" && !allocation.place.keyed && !isPrefix;
  if (!short) return false;
  const ends = await inParallel(allocation.parts, PARTS_FREED_AT_ONCE, async (part) => {
    const end = await freeSlots(context, slotsOfPart(allocation, part), part.ordinals);
    freed.push(...addressesOf(part, end.freed));
    return { freed: end.freed.length, left: takenUnder(end.block, part.token).length };
  });
  const count = ends.reduce((sum, end) => sum + end.freed, 0);
  if (count !== allocation.want || ends.some(({ left }) => left > 0)) return false;
  await endTails(context, allocation);
  await context.store.deleteAllocation("end-whole", allocation);
  return true;
}

/**
 * Decides an allocation exactly as it was read, and frees what it holds. An unanswered request is aborted; one whose lease has ended
 * is released. The caller deletes the allocation, or keeps it.
 *
 * @param step the name of the write in the protocol
 * @param author as of `freeRest`
 * @param freed receives the addresses that this call frees, as text, also if it fails later
 * @returns the decided allocation; nothing if it has changed since it was read: its request may be answered, or its lease renewed
 */
export async function endAsSeen(
  context: Context,
  step: string,
  seen: Allocation,
  author: Author,
  freed: string[] = [],
): Promise<Allocation | undefined> {
  const decided = await decide(context, step, seen);
  if (!decided.isDone) return undefined;
  await freeRest(context, decided.allocation, author, freed);
  return decided.allocation;
}

/**
 * Ends the allocation of an instance exactly as it was read, and deletes it. A later incarnation of the instance may have the addresses by
 * now, so nothing else is ended.
 *
 * @param freed receives the addresses that this call frees, as text, also if it fails later
 * @returns false if the allocation has changed since it was read
 */
export async function endInstance(
  context: Context,
  seen: Allocation,
  freed: string[],
): Promise<boolean> {
  const author = { fence: "instance-fence" };
  const over = await endAsSeen(context, "instance-end", seen, author, freed);
  if (over) await context.store.deleteAllocation("instance-delete", over);
  return over !== undefined;
}

/** An execution of a request that has not answered: its allocation, and the slots that it took. */
export interface UnansweredExecution {
  /** The allocation as the execution wrote it; absent before that. */
  readonly written?: Allocation | undefined;
  readonly held: readonly Holding[];
  /** True if the outcome of a slot write is unknown. */
  readonly unsettled: boolean;
}

/**
 * Ends the allocation of an execution that has not answered, and only then frees its slots (rule 7): those of a pending one without
 * cooldown. It deletes the allocation of an execution that holds nothing, exactly as it was written. If the outcome of a slot write is unknown, the allocation
 * stays, and the repair run fences its parts.
 */
export async function withdraw(
  context: Context,
  { written, held, unsettled }: UnansweredExecution,
): Promise<void> {
  if (!written) return;
  const { store } = context;
  if (held.length === 0) {
    if (unsettled) return;
    await deleteQuotaSlots(context, written, written.quotaSlots);
    const deleted = await store.deleteAllocation("withdraw", written);
    // An allocation that another execution has replaced still needs the entries, which this one may have written over.
    if (deleted.outcome === "done") await deleteEntries(context, entriesOf(written));
    return;
  }
  // Otherwise the execution that decided it frees what it holds, or the repair run does.
  const aborted = await decide(context, "abort", written);
  if (!aborted.isDone) return;
  const { allocation } = aborted;
  await inParallel(held, PARTS_FREED_AT_ONCE, ({ part, ordinals }) =>
    freeSlots(context, slotsOfPart(allocation, part), ordinals),
  );
  if (unsettled) return;
  await endTails(context, allocation);
  await store.deleteAllocation("withdraw", allocation);
}

type Decided =
  | { readonly isDone: true; readonly allocation: Allocation }
  | { readonly isDone: false; readonly allocation: Allocation | undefined };

/**
 * Decides an allocation exactly as it was read. A live one is released, and a repeat of its request gets `already_released` from then
 * on. A pending one is aborted (rule 7), and its author can no longer answer.
 *
 * @returns the allocation as it was decided; else as it has become, or nothing if it is gone
 * @throws {ContentionError} if a pool is made of its prefix (I23): a release says so before it comes here, unless the pool is new
 */
async function decide(context: Context, step: string, seen: Allocation): Promise<Decided> {
  if (seen.childId !== undefined)
    throw new ContentionError(`a pool is made of the prefix of ${seen.handle}`);
  if (seen.state === "released" || seen.state === "aborted")
    return { isDone: true, allocation: seen };
  const next: Allocation = {
    ...seen,
    state: seen.state === "pending" ? "aborted" : "released",
    revision: fresh(context),
    atMs: context.now(),
  };
  const result = await context.store.changeAllocation(step, seen, next);
  if (result.outcome === "done") return { isDone: true, allocation: next };
  const current =
    result.outcome === "unknown" ? await context.store.readAllocation(seen.place) : result.item;
  return current?.revision === next.revision
    ? { isDone: true, allocation: next }
    : { isDone: false, allocation: current };
}

/**
 * The reason why the author of an allocation that is over takes no more slots for it: a fence, by its name in the protocol; or the
 * answer, after which the author takes nothing; or the fence of a later end, until which the parts stay.
 */
export type Author = { readonly fence: string } | "answered" | "fenced later";

/**
 * Frees what an allocation that is released or aborted still holds, fences the blocks in which nothing is visible, and ends what goes
 * with it. If a part fails, it frees the others and removes them from the allocation, so that a repeat handles only the rest.
 *
 * @param freed receives the addresses that this call frees, as text, also if it fails later
 * @throws the first error of a part
 */
export async function freeRest(
  context: Context,
  allocation: Allocation,
  author: Author,
  freed: string[] = [],
): Promise<void> {
  const failures: unknown[] = [];
  const parts = await inParallel(allocation.parts, PARTS_FREED_AT_ONCE, async (part) => {
    try {
      await freeRestOfPart(context, allocation, part, author, freed);
      return [];
    } catch (error) {
      if (error instanceof DeadlineError) throw error;
      failures.push(error);
      return [part];
    }
  });
  if (failures.length > 0) {
    const left = parts.flat();
    const isLess = left.length < allocation.parts.length && author !== "fenced later";
    if (isLess) await asHint(() => deleteFreedParts(context, allocation, left));
    throw failures[0];
  }
  await endTails(context, allocation);
}

async function freeRestOfPart(
  context: Context,
  allocation: Allocation,
  part: Part,
  author: Author,
  freed: string[],
): Promise<void> {
  const slots = slotsOfPart(allocation, part);
  const free = async (ordinals: readonly number[]) => {
    const end = await freeSlots(context, slots, ordinals);
    freed.push(...addressesOf(part, end.freed));
    return end;
  };
  const released = releasedOrdinals(allocation, part);
  // Tries the slots that the allocation names and does not list as released. If they are there, this is one write.
  const seen = await free(part.ordinals.filter((ordinal) => !released.has(ordinal)));
  const left = takenUnder(seen.block, part.token);
  if (typeof author === "object" && seen.block && seen.freed.length === 0)
    left.push(
      ...takenUnder(await fence(context, author.fence, slots.space, slots.block), part.token),
    );
  if (left.length > 0) await free(left);
}

/** Ends what goes with an allocation, after its slots are free and before it is deleted. */
async function endTails(context: Context, allocation: Allocation): Promise<void> {
  await deleteQuotaSlots(context, allocation, allocation.quotaSlots);
  await deleteEntries(context, entriesOf(allocation));
  await settleFreed(context, allocation);
}

/**
 * Removes the parts that are free from an allocation that is over, so that no later end reads or fences their blocks.
 *
 * @param left the parts that are not free; none if the allocation is kept only for its key
 */
export async function deleteFreedParts(
  context: Context,
  seen: Allocation,
  left: readonly Part[] = [],
): Promise<void> {
  if (seen.parts.length === left.length) return;
  const next: Allocation = {
    ...seen,
    state: seen.state === "aborted" ? "aborted" : "released",
    parts: left,
    owners: new Map(),
    revision: fresh(context),
  };
  await context.store.changeAllocation("settle-kept", seen, next);
}

export function slotsOfPart(allocation: Allocation, part: Part): SlotsOfPart {
  const { place, state, conflicts, charges } = allocation;
  return {
    space: place.space,
    handleHash: place.handleHash,
    token: part.token,
    block: part.block,
    cools: state !== "aborted" || part.coolsAgain === true,
    conflicts: ordinalsIn(part, conflicts),
    ...(charges.length > 0 && { charges }),
    ...heldAgain(allocation, part),
  };
}

/** Names the application that holds the slots of a part again when they are freed, if they are one's. */
export const heldAgain = (
  { workload }: Allocation,
  { ofApplication }: Part,
): Pick<SlotsOfPart, "applicationHash"> =>
  ofApplication && workload ? { applicationHash: applicationHash(workload) } : {};

const addressesOf = ({ block }: Part, ordinals: readonly number[]): string[] =>
  ordinals.map((ordinal) => formatAddress(addressAt(block, ordinal)));
