import { PAGE_READS_AT_ONCE } from "../../base/limits.ts";
import { CorruptItemError, orCorrupt } from "../../base/outcome.ts";
import type { Context } from "../core/context.ts";
import { inParallel } from "../core/parallel.ts";
import type { Allocation, Part } from "../values/allocation.ts";
import { allocationStartIn } from "../values/fresh.ts";
import type { Slot } from "../values/slot.ts";

type Taken = Extract<Slot, { readonly kind: "taken" }>;
type Quarantined = Extract<Slot, { readonly kind: "quarantined" }>;

/** The owner of a slot: an allocation, and its part with the slot's token. */
export interface SlotOwner {
  readonly allocation: Allocation;
  readonly part: Part;
}

/** Reads the allocation of a taken slot, strongly consistent. Returns nothing if it is gone: then the slot was freed before. */
export async function allocationOfSlot(
  context: Context,
  space: string,
  slot: Taken,
): Promise<SlotOwner | undefined> {
  return (await allocationsOfSlots(context, space, [slot])).get(slot.token);
}

/**
 * Reads the allocation that has a slot, for a rejection that names its owner. Only a rejected request costs this read.
 *
 * @returns the allocation; nothing if the slot was freed meanwhile, or if the allocation cannot be read
 */
export async function ownerOfSlot(
  context: Context,
  space: string,
  slot: Slot,
): Promise<Allocation | undefined> {
  const owners = await orCorrupt(allocationsOfSlots(context, space, [slot]));
  const [owner] = owners instanceof CorruptItemError ? [] : owners.values();
  return owner?.allocation;
}

/**
 * Reads the allocations of taken slots, by their tokens. It costs one read for each allocation, because a token contains the start
 * of its allocation's id. An older token does not, so all allocations of its handle are read, once for all such slots.
 *
 * @throws {CorruptItemError}
 */
export async function allocationsOfSlots(
  context: Context,
  space: string,
  slots: Iterable<Slot>,
): Promise<ReadonlyMap<string, SlotOwner>> {
  const { owners, unreadable } = await lookForOwners(context, space, slots);
  if (unreadable[0]) throw unreadable[0];
  return owners;
}

/**
 * Reads the allocations of taken slots, and of quarantined ones as far as they are kept. It names those that cannot be
 * read beside the others.
 */
export async function lookForOwners(
  { store }: Context,
  space: string,
  slots: Iterable<Slot>,
): Promise<{
  readonly owners: ReadonlyMap<string, SlotOwner>;
  readonly unreadable: readonly CorruptItemError[];
  /** The number of reads: one for each allocation. */
  readonly reads: number;
}> {
  const taken = [...slots].filter(
    (slot): slot is Taken | Quarantined => slot.kind === "taken" || slot.kind === "quarantined",
  );
  const looks = new Map(
    taken.map(({ token, handleHash }) => {
      const start = allocationStartIn(token);
      return [JSON.stringify([handleHash, start]), { handleHash, start }] as const;
    }),
  );
  const found = await inParallel([...looks.values()], PAGE_READS_AT_ONCE, ({ handleHash, start }) =>
    store.allocationsFrom(space, handleHash, start),
  );
  const tokens = new Set(taken.map(({ token }) => token));
  const owners = new Map<string, SlotOwner>();
  for (const allocation of found.flatMap(({ items }) => items))
    for (const part of allocation.parts)
      if (tokens.has(part.token)) owners.set(part.token, { allocation, part });
  const unreadable = found.flatMap(({ unreadable }) => unreadable);
  return { owners, unreadable, reads: looks.size };
}
