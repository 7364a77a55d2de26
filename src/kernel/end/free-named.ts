import { GRACE_MS } from "../../base/limits.ts";
import { Rejection } from "../../base/outcome.ts";
import { type Address, formatAddress } from "../../net/address.ts";
import { addressAt, ordinalOf } from "../../net/cidr.ts";
import { holdingsOf } from "../allocations/holding.ts";
import { deleteEntries } from "../allocations/index-entries.ts";
import { deleteQuotaSlots, quotaSlotOf } from "../allocations/quota-slots.ts";
import { untilKnown } from "../core/compare-and-swap.ts";
import { poolAt } from "../core/configuration.ts";
import type { Context } from "../core/context.ts";
import { settleFreed } from "../held/settle.ts";
import { giveBack } from "../quotas/give-back.ts";
import { type Allocation, isOver, type Part } from "../values/allocation.ts";
import type { AllocationPlace } from "../values/allocation-place.ts";
import { type Block, takenUnder } from "../values/block.ts";
import { blockOf } from "../values/block-group.ts";
import { fresh } from "../values/fresh.ts";
import { type Generation, generationOf } from "../values/generation.ts";
import { entriesOf } from "../values/index-entry.ts";
import { heldAgain } from "./end.ts";
import { freeSlots } from "./free-slots.ts";

/** The address of one assignment, and whether it is given back because something else uses it. */
export interface FreedAddress {
  readonly address: Address;
  readonly generation: Generation;
  readonly isConflict: boolean;
  /** True if it stands for the whole prefix, which its node gives back. */
  readonly isPrefix?: true;
}

/**
 * Frees the slot of one assignment, and deletes the allocation with its last address. The slot of a conflict, or of one
 * that was reported before, goes into quarantine. A keyed allocation is marked first. Of any other
 * nothing is read first, unless the generation says so.
 *
 * @returns whether this call freed the slot, and the block after it or as it is; `request_in_progress`, because the
 *   address of an unanswered request was never returned to a caller; or `prefix_in_use`
 */
export async function freeNamed(
  context: Context,
  space: string,
  named: FreedAddress,
): Promise<{ readonly isFreed: boolean; readonly block: Block | undefined } | Rejection> {
  const { address, generation, isConflict, isPrefix } = named;
  const { token, blockSize, handleHash, allocationId, keyed, readsFirst } = generation;
  const text = formatAddress(address);
  const place: AllocationPlace = { space, handleHash, id: allocationId, keyed };
  const cidr = blockOf(address, blockSize);
  const ordinal = ordinalOf(cidr, address);
  // A keyed allocation is marked before the slot is free. Otherwise a late duplicate could take an address that no
  // request frees.
  const allocation = keyed
    ? await markFreed(context, place, named)
    : readsFirst
      ? await context.store.readAllocation(place)
      : undefined;
  if (allocation instanceof Rejection) return allocation;
  if ((keyed || readsFirst) && !allocation)
    return { isFreed: false, block: await blockAt(context, space, address, blockSize) };
  if (allocation?.state === "pending" || allocation?.state === "aborted")
    return new Rejection(
      "request_in_progress",
      "The request that holds the address is still in progress.",
      { address: text },
    );
  const conflicts =
    isConflict || allocation?.conflicts.has(text) ? { conflicts: new Set([ordinal]) } : {};
  const part = allocation?.parts.find((each) => each.token === token);
  const again = allocation && part && heldAgain(allocation, part);
  const slots = {
    ...{ space, block: cidr, token, handleHash, cools: true, ...conflicts, ...again },
    ...(allocation && { charges: allocation.charges }),
    // Without a mark of the allocation, a pool could be made of a prefix that is free.
    ...(!keyed && !isPrefix && { isOfAddress: true as const }),
  };
  const { freed, block, isCertain } = await freeSlots(
    context,
    slots,
    [ordinal],
    new Set([ordinal]),
  );
  if (allocation?.workload) {
    await settleFreed(context, allocation);
    await deleteIfEmpty(context, allocation);
  } else if (allocation && isOver(allocation)) await deleteEntries(context, entriesOf(allocation));
  if (freed.length === 0)
    return { isFreed: false, block: block ?? (await blockAt(context, space, address, blockSize)) };
  if (allocation) await deleteQuotaSlots(context, allocation, quotaSlotOf(allocation, text));
  // The allocation of a lone address goes with it; the returned block shows whether the request holds others there.
  if (!keyed && takenUnder(block, token).length === 0) {
    if (readsFirst) await context.store.markDue(place, token, context.now());
    else {
      const deleted = await context.store.deleteAllocationOfToken(place, token);
      // Only now it is known which budgets count the address. If another caller freed it, that one gave it back.
      if (deleted && isCertain) await giveBack(context, space, deleted.charges, 1);
      if (deleted) await deleteEntries(context, entriesOf(deleted));
    }
  }
  return { isFreed: true, block };
}

/**
 * Frees an address of one part of an allocation, exactly as it was assigned.
 *
 * @returns as `freeNamed`
 */
export const freeOfPart = (
  context: Context,
  allocation: Allocation,
  part: Part,
  address: Address,
): ReturnType<typeof freeNamed> =>
  freeNamed(context, allocation.place.space, namedIn(allocation, part, address));

/** Frees the prefix of one part of an allocation, exactly as it was assigned. @returns as `freeNamed` */
export const freePrefix = (
  context: Context,
  allocation: Allocation,
  part: Part,
): ReturnType<typeof freeNamed> =>
  freeNamed(context, allocation.place.space, {
    ...namedIn(allocation, part, addressAt(part.block, 0)),
    isPrefix: true,
  });

const namedIn = (allocation: Allocation, part: Part, address: Address): FreedAddress => ({
  address,
  generation: generationOf(allocation, part, address),
  isConflict: false,
});

/**
 * Marks the allocation, and returns it; nothing if it does not know the token, because then nothing is assigned under
 * it. The slots of an instance have the same token in all its incarnations, and its kept addresses are released as those in use.
 */
async function markFreed(
  context: Context,
  place: AllocationPlace,
  { address, generation: { token, want, instance }, isConflict }: FreedAddress,
): Promise<Allocation | Rejection | undefined> {
  const mark = (state: "live" | "kept") =>
    untilKnown("the address was marked as freed", () => {
      const nowMs = context.now();
      return context.store.markFreed(place, token, {
        address: formatAddress(address),
        isConflict,
        complete: want === 1,
        revision: fresh(context),
        atMs: nowMs,
        // The repair run finds out whether the slot was freed, and whether other addresses of the request are still held.
        ...(instance
          ? { instance: { incarnation: instance.incarnation, state } }
          : { dueAtMs: nowMs + GRACE_MS }),
      });
    });
  const marked = await mark("live");
  const { item } = instance && marked.item?.state === "kept" ? await mark("kept") : marked;
  if (item?.childId !== undefined) return heldForPool(address);
  if (item?.workload && item.workload.incarnation !== instance?.incarnation)
    return laterIncarnation(address);
  // A released allocation was marked before, perhaps by a release that was interrupted. Its slot may still have to be
  // freed.
  return item?.parts.some((part) => part.token === token) ? item : undefined;
}

/** Rejects the release of a prefix of which a pool is made (I23). */
const heldForPool = (address: Address): Rejection =>
  new Rejection(
    "prefix_in_use",
    `A pool is made of the prefix of ${formatAddress(address)}; delete that pool first.`,
    { address: formatAddress(address) },
  );

/** Rejects a generation of an instance whose addresses a later incarnation has. */
export const laterIncarnation = (address: Address): Rejection =>
  new Rejection(
    "generation_conflict",
    "The address belongs to a later incarnation of its instance.",
    { address: formatAddress(address) },
  );

/** Deletes the allocation of an instance that has nothing any more. Of several addresses, the last one to be freed deletes it. */
async function deleteIfEmpty(context: Context, marked: Allocation): Promise<void> {
  const { store } = context;
  const isLone = marked.want === 1;
  const allocation = isLone ? marked : await store.readAllocation(marked.place);
  if (!allocation || !isOver(allocation)) return;
  const isEmpty = isLone || (await holdingsOf(context, allocation)).length === 0;
  if (!isEmpty) return;
  await deleteEntries(context, entriesOf(allocation));
  await store.deleteAllocation("instance-delete", allocation);
}

async function blockAt(
  context: Context,
  space: string,
  address: Address,
  blockSize: number,
): Promise<Block | undefined> {
  const block = await context.store.readBlock(space, blockOf(address, blockSize));
  // Without a block here, one may exist under keys, or for a pool, that this version does not know.
  if (!block) await poolAt(context, space, address);
  return block;
}
