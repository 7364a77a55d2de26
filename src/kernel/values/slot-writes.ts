import type { Block } from "./block.ts";
import type { FreedSlots } from "./block-changes.ts";
import { type Slot, tagOf } from "./slot.ts";

/**
 * One slot of a write: its ordinal, and the slot that the author of the write read there. The slot
 * is absent if the ordinal was unused.
 */
interface SlotSeen {
  readonly ordinal: number;
  readonly seen: Slot | undefined;
}

/** Slots that become one request's, or that an application holds from then on. */
export interface SlotsToTake {
  readonly slots: readonly SlotSeen[];
  readonly taken: Slot;
}

/** Slots of one request, and what each becomes. */
export interface SlotsToFree {
  readonly taken: Slot;
  readonly freed: FreedSlots;
  /** True if a caller named an address: it frees no prefix, because a pool may be made of that (I23). */
  readonly isOfAddress?: true;
}

/** Returns true if a block shows every slot as the author of a write read it. The epoch is compared elsewhere. */
export const showsAsSeen = (block: Block, { slots }: SlotsToTake): boolean =>
  slots.every(({ ordinal, seen }) => areSame(block.slots.get(ordinal), seen));

/** Returns true if a block shows that every slot still is the request's. */
export const showsAsTaken = (block: Block, { taken, freed }: SlotsToFree): boolean =>
  [...freed.keys()].every((ordinal) => areSame(block.slots.get(ordinal), taken));

const areSame = (one: Slot | undefined, other: Slot | undefined): boolean =>
  one && other ? Buffer.compare(tagOf(one), tagOf(other)) === 0 : one === other;
