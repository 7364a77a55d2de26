import { PARTS_FREED_AT_ONCE } from "../../base/limits.ts";
import { ContentionError, DeadlineError } from "../../base/outcome.ts";
import { formatAddress, parseAddress } from "../../net/address.ts";
import { addressAt, contains, ordinalOf } from "../../net/cidr.ts";
import { applicationHash } from "../../nouns/application/application.ts";
import { fence } from "../blocks/fence-block.ts";
import { asHint } from "../core/bounded-work.ts";
import { answer, compareAndSwap, RETRY } from "../core/compare-and-swap.ts";
import { type Context, fresh } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import { settleFreed } from "../held/settle.ts";
import { type Allocation, outlivesRelease, type Part } from "../values/allocation.ts";
import { heldBy } from "../values/block.ts";
import { handleOfPrefixes } from "../values/handle.ts";
import { freeSlots, type Tag } from "./free-slots.ts";
import { dropEntries } from "./index-entries.ts";
import { dropQuotaSlots } from "./quota-slots.ts";

/**
 * Closes an allocation, whatever its author does: marks it, frees the slots that it visibly holds, fences the blocks in which none
 * is visible, and deletes it. An allocation with a key is kept instead. A live one without a key that holds all its slots needs no
 * mark, unless it is a prefix of a handle.
 *
 * @param how.settles true if a kept allocation loses its parts at once; otherwise the repair run drops them
 * @param how.freed receives the addresses that this call frees, as text, also if it fails later
 * @throws {ContentionError} if other callers change the allocation every time
 */
export async function closeAllocation(
  context: Context,
  found: Allocation,
  { settles, freed }: { readonly settles: boolean; readonly freed: string[] },
): Promise<void> {
  if (await endWhole(context, found, freed)) return;
  let seen = found;
  const allocation = await compareAndSwap("the allocation of this handle", async () => {
    const marked = await mark(context, "end", seen);
    if (marked.kind === "marked" || !marked.allocation) return answer(marked.allocation);
    seen = marked.allocation;
    return RETRY;
  });
  if (!allocation) return;
  await finish(context, allocation, { fence: "handle-fence" }, freed);
  const isKept = outlivesRelease(allocation) && allocation.state === "released";
  // A released allocation with a key stays for a while, so that a late duplicate gets `already_released`. Any other is deleted.
  if (!isKept) await context.store.deleteAllocation("end", allocation);
  else if (settles) await dropFinishedParts(context, allocation);
}

/**
 * Decides an allocation exactly as it was read, and frees what it holds. An unanswered request is aborted; one whose lease has ended
 * is released.
 *
 * @param step the name of the write in the protocol
 * @param author as of `finish`
 * @param freed receives the addresses that this call frees, as text, also if it fails later
 * @returns the decided allocation; nothing if it has changed since it was read: its request may be answered, or its lease renewed
 */
export async function closeAsSeen(
  context: Context,
  step: string,
  seen: Allocation,
  author: Author,
  freed: string[] = [],
): Promise<Allocation | undefined> {
  const marked = await mark(context, step, seen);
  if (marked.kind === "changed") return undefined;
  await finish(context, marked.allocation, author, freed);
  return marked.allocation;
}

/**
 * Fast path: frees and deletes an allocation without a key, all of whose slots are where it says. It needs no mark, because no
 * execution adds to it and no repeat asks for it. After a crash, its handle keeps the rest until the release is repeated.
 *
 * @returns true if the allocation is closed
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
    const end = await freeSlots(context, tagOf(allocation, part), part.ordinals);
    freed.push(...addressesOf(part, end.freed));
    return { freed: end.freed.length, left: heldBy(end.block, part.token).length };
  });
  const count = ends.reduce((sum, end) => sum + end.freed, 0);
  if (count !== allocation.want || ends.some(({ left }) => left > 0)) return false;
  await dropQuotaSlots(context, allocation, allocation.quotaSlots);
  await dropEntries(context, allocation);
  await context.store.deleteAllocation("end-whole", allocation);
  return true;
}

type Marked =
  | { readonly kind: "marked"; readonly allocation: Allocation }
  | { readonly kind: "changed"; readonly allocation: Allocation | undefined };

/**
 * Decides an allocation exactly as it was read. A live one is released, and a repeat of its request gets `already_released` from then
 * on. A pending one is aborted (rule 7), and its author can no longer answer.
 *
 * @throws {ContentionError} if a pool is made of its prefix (I23): a release says so before it comes here, unless the pool is new
 */
async function mark(context: Context, step: string, seen: Allocation): Promise<Marked> {
  if (seen.childId !== undefined)
    throw new ContentionError(`a pool is made of the prefix of ${seen.handle}`);
  if (seen.state === "released" || seen.state === "aborted")
    return { kind: "marked", allocation: seen };
  const state = seen.state === "pending" ? "aborted" : "released";
  const next: Allocation = {
    ...seen,
    state,
    revision: fresh(context),
    atMs: context.now(),
  };
  const result = await context.store.changeAllocation(step, seen, next);
  if (result.outcome === "done") return { kind: "marked", allocation: next };
  const current =
    result.outcome === "unknown" ? await context.store.readAllocation(seen.place) : result.item;
  return current?.revision === next.revision
    ? { kind: "marked", allocation: next }
    : { kind: "changed", allocation: current };
}

/**
 * The reason why the author of a closed allocation takes no more slots for it: a fence, by its name in the protocol; or the
 * answer, after which the author takes nothing; or the fence of a later close, until which the parts stay.
 */
export type Author = { readonly fence: string } | "answered" | "fenced later";

/**
 * Finishes an allocation that is released or aborted: frees what it still holds, and fences the blocks in which nothing is visible.
 * If a part fails, it finishes the others and removes them from the allocation, so that a repeat handles only the rest.
 *
 * @param freed receives the addresses that this call frees, as text, also if it fails later
 * @throws the first error of a part
 */
export async function finish(
  context: Context,
  allocation: Allocation,
  author: Author,
  freed: string[] = [],
): Promise<void> {
  const failures: unknown[] = [];
  const parts = await inParallel(allocation.parts, PARTS_FREED_AT_ONCE, async (part) => {
    try {
      await finishPart(context, allocation, part, author, freed);
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
    if (isLess) await asHint(() => dropFinishedParts(context, allocation, left));
    throw failures[0];
  }
  await dropQuotaSlots(context, allocation, allocation.quotaSlots);
  await dropEntries(context, allocation);
  await settleFreed(context, allocation);
}

async function finishPart(
  context: Context,
  allocation: Allocation,
  part: Part,
  author: Author,
  freed: string[],
): Promise<void> {
  const tag = tagOf(allocation, part);
  const free = async (ordinals: readonly number[]) => {
    const end = await freeSlots(context, tag, ordinals);
    freed.push(...addressesOf(part, end.freed));
    return end;
  };
  const released = releasedOrdinals(allocation, part);
  // Tries the slots that the allocation names and does not list as released. If they are there, this is one write.
  const seen = await free(part.ordinals.filter((ordinal) => !released.has(ordinal)));
  const left = heldBy(seen.block, part.token);
  if (typeof author === "object" && seen.block && seen.freed.length === 0)
    left.push(...heldBy(await fence(context, author.fence, tag.space, tag.block), part.token));
  if (left.length > 0) await free(left);
}

export function tagOf(allocation: Allocation, part: Part): Tag {
  const { place, state, conflicts, charges } = allocation;
  return {
    space: place.space,
    handleHash: place.handleHash,
    token: part.token,
    block: part.block,
    cools: state !== "aborted" || part.coolsAgain === true,
    conflicts: ordinalsOf(conflicts, part),
    ...(charges.length > 0 && { charges }),
    ...heldAgain(allocation, part),
  };
}

/** Names the application that holds the slots of a part again when they are freed, if they are one's. */
export const heldAgain = (
  { workload }: Allocation,
  { ofApplication }: Part,
): Pick<Tag, "applicationHash"> =>
  ofApplication && workload ? { applicationHash: applicationHash(workload) } : {};

const addressesOf = ({ block }: Part, ordinals: readonly number[]): string[] =>
  ordinals.map((ordinal) => formatAddress(addressAt(block, ordinal)));

/** Returns the ordinals of a part that the allocation lists as released. */
export const releasedOrdinals = ({ released }: Allocation, part: Part): ReadonlySet<number> =>
  ordinalsOf(released, part);

/** Returns the ordinals of those addresses that lie in the block of a part. */
function ordinalsOf(addresses: ReadonlySet<string>, { block }: Part): ReadonlySet<number> {
  const parsed = [...addresses].map(parseAddress).flatMap((text) => (text.ok ? [text.value] : []));
  return new Set(parsed.filter((a) => contains(block, a)).map((a) => ordinalOf(block, a)));
}

/**
 * Removes finished parts from a closed allocation, so that no later close reads or fences their blocks.
 *
 * @param left the parts that are not finished; none if the allocation is kept only for its key
 */
export async function dropFinishedParts(
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

/**
 * Ends the allocation of an instance exactly as it was read: marks it, frees what it holds, deletes it. A later incarnation of the instance
 * may have the addresses by now, so nothing else is closed.
 *
 * @param freed receives the addresses that this call frees, as text, also if it fails later
 * @returns false if the allocation has changed since it was read
 */
export async function closeInstance(
  context: Context,
  seen: Allocation,
  freed: string[],
): Promise<boolean> {
  const ended = await closeAsSeen(
    context,
    "instance-end",
    seen,
    { fence: "instance-fence" },
    freed,
  );
  if (ended) await context.store.deleteAllocation("instance-delete", ended);
  return ended !== undefined;
}
